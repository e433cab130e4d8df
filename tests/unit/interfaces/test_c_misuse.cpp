// Misuse returns a status and a line, and does no harm.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <ctime>
#include <limits>
#include <thread>

#include <doctest/doctest.h>

#include "chamomile/force/gpu.hpp"
#include "tests/unit/c_context.hpp"
#include "tests/unit/child_process.hpp"
#include "tests/unit/clouds.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("c_misuse");

namespace {

/// Checks that a call was refused for a reason that contains `words`.
void refused(const Context& c, int status, int expected, const std::string& words)
{
    CAPTURE(words);
    CAPTURE(c.error());
    CHECK(status == expected);
    CHECK(c.error().find(words) != std::string::npos);
    CHECK(c.error().find('\n') == std::string::npos);
}

struct Pair {
    double x[6] = {-1, 0, 0, 1, 0, 0}, m[2] = {1, 1}, a[6] = {}, phi[2] = {};
    chm_targets targets{2, chm_vectors(x), {}, nullptr, {}};
    chm_results results{chm_vectors(a), {}, {}, {}};
    int sources(chm_context* c) const
    {
        return chm_set_sources(c, 2, chm_vectors(x), chm_numbers(m), {});
    }
};

} // namespace

TEST_CASE("null pointers and negative counts are refused")
{
    Context c;
    Pair p;
    CHECK(chm_create(nullptr) == CHM_USAGE);
    chm_destroy(nullptr);
    CHECK(chm_build(nullptr) == CHM_USAGE);
    CHECK(std::string(chm_last_error(nullptr)) != "");
    CHECK(c.error() == "");
    refused(c, chm_set_option(c, nullptr, "1"), CHM_USAGE, "option");
    refused(c, chm_set_option(c, "theta", nullptr), CHM_USAGE, "option");
    refused(c, chm_set_sources(c, -1, chm_vectors(p.x), chm_numbers(p.m), {}), CHM_USAGE, "-1");
    refused(c, chm_set_sources(c, 2, {}, chm_numbers(p.m), {}), CHM_USAGE, "position");
    refused(c, chm_set_sources(c, 2, chm_vectors(p.x), {}, {}), CHM_USAGE, "mass");
    refused(c, chm_set_sources(c, 5000000000, chm_vectors(p.x), chm_numbers(p.m), {}), CHM_USAGE,
            "sources: 5000000000: must be below 4294967295");
    REQUIRE(p.sources(c) == CHM_OK);
    REQUIRE(chm_build(c) == CHM_OK);
    refused(c, chm_eval(c, nullptr, &p.results), CHM_USAGE, "targets");
    refused(c, chm_eval(c, &p.targets, nullptr), CHM_USAGE, "results");
    p.targets.n = -3;
    refused(c, chm_eval(c, &p.targets, &p.results), CHM_USAGE, "-3");
    p.targets = {2, {}, {}, nullptr, {}};
    refused(c, chm_eval(c, &p.targets, &p.results), CHM_USAGE, "position");
    p.targets.position = chm_vectors(p.x);
    p.results = {};
    refused(c, chm_eval(c, &p.targets, &p.results), CHM_USAGE, "results");
    refused(c, chm_neighbours(c, &p.targets, chm_numbers(p.m), 3, nullptr, nullptr), CHM_USAGE,
            "count");
    refused(c, chm_neighbours(c, &p.targets, chm_numbers(p.m), -1, nullptr, nullptr), CHM_USAGE,
            "max");
    refused(c, chm_stats(c, nullptr), CHM_USAGE, "stats");
    refused(c, chm_compare_direct(c, 2, 0, nullptr), CHM_USAGE, "errors");
    refused(c, chm_solve(c, 2, nullptr, p.x, p.a, nullptr), CHM_USAGE, "mass");
    refused(c, chm_solve(c, 2, p.m, p.x, nullptr, nullptr), CHM_USAGE, "results");
    refused(c, chm_accel_strided(c, 1, 2, 8, p.x, p.m, p.a, nullptr, 1, 0), CHM_USAGE, "sources");
}

TEST_CASE("empty sets of sources, targets and results are accepted")
{
    Context c;
    REQUIRE(chm_set_sources(c, 0, {}, {}, {}) == CHM_OK);
    REQUIRE(chm_build(c) == CHM_OK);
    const chm_targets none{};
    const chm_results nothing{};
    CHECK(chm_eval(c, &none, &nothing) == CHM_OK);
    CHECK(chm_eval_active(c, 0, nullptr, &nothing) == CHM_OK);
    CHECK(chm_solve(c, 0, nullptr, nullptr, nullptr, nullptr) == CHM_OK);
    Pair p;
    p.a[4] = 7;
    REQUIRE(chm_eval(c, &p.targets, &p.results) == CHM_OK); // without sources
    CHECK(p.a[4] == 0);
    std::int64_t count[2] = {5, 5}, list[2];
    REQUIRE(chm_neighbours(c, &p.targets, chm_numbers(p.m), 1, count, list) == CHM_OK);
    CHECK(count[1] == 0);
}

TEST_CASE("overlapping results and arguments are refused")
{
    Context c;
    Pair p;
    REQUIRE(p.sources(c) == CHM_OK);
    REQUIRE(chm_build(c) == CHM_OK);
    p.results.acceleration = chm_vectors(p.x);
    refused(c, chm_eval(c, &p.targets, &p.results), CHM_USAGE,
            "acceleration: must not overlap position of the targets");
    p.results.acceleration = chm_vectors(p.a);
    p.results.potential = chm_numbers(p.a + 1);
    refused(c, chm_eval(c, &p.targets, &p.results), CHM_USAGE,
            "potential: must not overlap acceleration");
    p.results.potential = chm_view_numbers(p.phi, 0, CHM_FLOAT64, CHM_HOST);
    refused(c, chm_eval(c, &p.targets, &p.results), CHM_USAGE, "stride");
    p.results = {chm_view_soa(p.a, p.a + 1, p.a + 2, 8, CHM_FLOAT64, CHM_HOST), {}, {}, {}};
    refused(c, chm_eval(c, &p.targets, &p.results), CHM_USAGE,
            "acceleration: must not overlap acceleration");
    refused(c, chm_solve(c, 2, p.m, p.x, p.x, nullptr), CHM_USAGE,
            "acceleration: must not overlap positions");
    refused(c, chm_solve(c, 2, p.m, p.x, p.a, p.m), CHM_USAGE,
            "potential: must not overlap masses");
    std::int64_t numbers[8] = {0, 1};
    p.results = {chm_vectors(p.a), {}, {}, {}};
    p.results.potential = chm_numbers(reinterpret_cast<double*>(numbers));
    refused(c, chm_eval_active(c, 2, numbers, &p.results), CHM_USAGE,
            "potential: must not overlap active");
    refused(c, chm_neighbours(c, &p.targets, chm_numbers(p.m), 2, numbers, numbers + 1), CHM_USAGE,
            "list: must not overlap count");
    // Members of one record do not overlap.
    double body[2][7] = {{-1, 0, 0, 9, 9, 9, 1}, {1, 0, 0, 9, 9, 9, 1}};
    CHECK(chm_accel_strided(c, 2, 2, sizeof body[0], body[0], &body[0][6], &body[0][3], nullptr, 1,
                            0) == CHM_OK);
    CHECK(body[0][3] == doctest::Approx(0.25));
}

TEST_CASE("invalid views are refused")
{
    Context c;
    Pair p;
    const auto try_position = [&](const chm_view& view, const char* words) {
        refused(c, chm_set_sources(c, 2, view, chm_numbers(p.m), {}), CHM_USAGE, words);
    };
    try_position(chm_view_aos(p.x, 24, 7, CHM_HOST), "type: 7");
    try_position(chm_view_aos(p.x, 24, CHM_FLOAT64, 3), "place: 3");
    try_position(chm_view_aos(p.x, 12, CHM_FLOAT64, CHM_HOST), "multiples of 8");
    try_position(chm_view_aos(reinterpret_cast<char*>(p.x) + 2, 24, CHM_FLOAT32, CHM_HOST),
                 "multiples of 4");
    try_position(chm_numbers(p.x), "3 components");
    try_position(chm_view_tensors(p.x, 48, CHM_FLOAT64, CHM_HOST), "3 components");
    try_position(
        chm_view_aos(p.x, std::numeric_limits<std::int64_t>::max() - 7, CHM_FLOAT64, CHM_HOST),
        "memory");
    REQUIRE(p.sources(c) == CHM_OK);
    REQUIRE(chm_build(c) == CHM_OK);
    p.results.acceleration.place = CHM_GPU;
    refused(c, chm_eval(c, &p.targets, &p.results), CHM_USAGE, "CHM_GPU");
}

TEST_CASE("calls out of order are refused")
{
    Context c;
    Pair p;
    refused(c, chm_build(c), CHM_USAGE, "call chm_set_sources() first");
    refused(c, chm_eval(c, &p.targets, &p.results), CHM_USAGE, "order of calls");
    REQUIRE(p.sources(c) == CHM_OK);
    refused(c, chm_refit(c), CHM_USAGE, "call chm_build() first");
    refused(c, chm_eval(c, &p.targets, &p.results), CHM_USAGE, "call chm_build() first");
    REQUIRE(chm_build(c) == CHM_OK);
    c.set("theta", "0.5");
    refused(c, chm_eval(c, &p.targets, &p.results), CHM_USAGE, "call chm_build() first");
    REQUIRE(chm_build(c) == CHM_OK);
    REQUIRE(chm_set_sources(c, 1, chm_vectors(p.x), chm_numbers(p.m), {}) == CHM_OK);
    refused(c, chm_refit(c), CHM_USAGE, "must be 2");
    p.targets.n = 1; // the field still has two sources
    REQUIRE(chm_eval(c, &p.targets, &p.results) == CHM_OK);
    CHECK(p.a[0] == doctest::Approx(0.25));
}

TEST_CASE("unknown options and invalid values are refused")
{
    Context c;
    refused(c, chm_set_option(c, "thetta", "1"), CHM_USAGE, "did you mean 'theta'");
    refused(c, chm_set_option(c, "theta", "wide"), CHM_USAGE, "theta: wide");
    refused(c, chm_set_option(c, "theta", "3"), CHM_USAGE, "theta: 3");
    refused(c, chm_set_option(c, "solver", "mesh"), CHM_USAGE, "tree, direct");
    refused(c, chm_set_option(c, "order", "1.5"), CHM_USAGE, "0, 2, 3, 4");
    for (const char* number : {"-2", "4097", "1e9"})
        refused(c, chm_set_option(c, "threads", number), CHM_USAGE, "from 1 to 4096, or 0");
    for (const char* number : {"0", "-1", "inf", "nan"})
        refused(c, chm_set_option(c, "G", number), CHM_USAGE, "must be a number > 0");
    for (const char* number : {"1e-30", "2", "-1", "nan"})
        refused(c, chm_set_option(c, "accuracy", number), CHM_USAGE, "from 1e-12 to 0.5");
    refused(c, chm_set_option(c, "first_number", "2"), CHM_USAGE, "0, 1");
    refused(c, chm_set_option(c, "softening", "nan"), CHM_USAGE, "softening: nan");
    c.set("criterion", "moments");
    refused(c, chm_set_option(c, "theta", "0.5"), CHM_USAGE, "tolerance");
    Pair p;
    p.x[4] = std::numeric_limits<double>::quiet_NaN();
    REQUIRE(p.sources(c) == CHM_OK);
    refused(c, chm_build(c), CHM_INPUT, "1");
    p.x[4] = 0;
    REQUIRE(p.sources(c) == CHM_OK);
    REQUIRE(chm_build(c) == CHM_OK);
    const std::int64_t far[2] = {0, 2};
    refused(c, chm_eval_active(c, 2, far, &p.results), CHM_USAGE, "2");
    p.targets.self = far;
    refused(c, chm_eval(c, &p.targets, &p.results), CHM_INPUT, "2");
    const double negative[2] = {0, -0.5};
    p.targets.self = nullptr;
    p.targets.softening = chm_numbers(negative);
    refused(c, chm_eval(c, &p.targets, &p.results), CHM_INPUT, "softening");
}

TEST_CASE("huge masses give correct forces or an error")
{
    const Particles p = plummer(300);
    const auto x = coordinates(p.position);
    const std::vector<double> v(x.size(), 0.1);
    for (const std::string solver : {"tree", "direct"})
        for (const std::string precision : {"float", "double"})
            for (const std::string softening : {"0", "0.1"})
                for (const double heavy : {1e30, 1e200, 1e290, 1e307, 1e308}) {
                    CAPTURE(solver);
                    CAPTURE(precision);
                    CAPTURE(softening);
                    CAPTURE(heavy);
                    Context c;
                    c.set("solver", solver.c_str());
                    c.set("precision", precision.c_str());
                    c.set("softening", softening.c_str());
                    std::vector<double> m = p.mass, a(900), phi(300), tidal(1800), jerk(900);
                    m[10] = heavy;
                    REQUIRE(chm_set_sources(c, 300, chm_vectors(x.data()), chm_numbers(m.data()),
                                            chm_vectors(v.data())) == CHM_OK);
                    const chm_results all[] = {
                        {chm_vectors(a.data()), {}, {}, {}},
                        {chm_vectors(a.data()), chm_numbers(phi.data()), {}, {}},
                        {{}, {}, chm_view_tensors(tidal.data(), 48, CHM_FLOAT64, CHM_HOST), {}},
                        {{}, {}, {}, chm_vectors(jerk.data())}};
                    const chm_targets targets{
                        300, chm_vectors(x.data()), chm_vectors(v.data()), nullptr, {}};
                    REQUIRE(chm_build(c) == CHM_OK);
                    for (const chm_results& results : all)
                        for (const bool apart : {false, true}) {
                            for (auto* values : {&a, &phi, &tidal, &jerk})
                                std::fill(values->begin(), values->end(), 0);
                            const int status = apart ? chm_eval(c, &targets, &results)
                                                     : chm_eval_active(c, 300, nullptr, &results);
                            const auto finite = [](double value) { return std::isfinite(value); };
                            if (heavy <= 1e200)
                                CHECK(status == CHM_OK);
                            if (status == CHM_OK)
                                for (const auto* values : {&a, &phi, &tidal, &jerk})
                                    CHECK(std::all_of(values->begin(), values->end(), finite));
                            else
                                refused(c, status, CHM_NUMERIC, "not finite");
                        }
                }
}

TEST_CASE("error lines number particles and targets from 0 or from first_number")
{
    for (const int first : {0, 1}) {
        Context c;
        c.set("first_number", first ? "1" : "0");
        const auto number = [&](int k) { return std::to_string(k + first); };
        Pair p;
        p.x[4] = std::nan("");
        REQUIRE(p.sources(c) == CHM_OK);
        refused(c, chm_build(c), CHM_INPUT, "particle " + number(1) + ":");
        std::fill_n(p.x, 6, 0.5);
        REQUIRE(p.sources(c) == CHM_OK);
        REQUIRE(chm_build(c) == CHM_OK);
        refused(c, chm_eval_active(c, 2, nullptr, &p.results), CHM_INPUT,
                number(0) + " and " + number(1) +
                    ": position: (0.5, 0.5, 0.5): coincident particles need a softening > 0");
        p.x[3] = std::nan("");
        refused(c, chm_eval(c, &p.targets, &p.results), CHM_INPUT, "target " + number(1) + ":");
    }
}

TEST_CASE("a missing GPU is refused")
{
    Context c;
    refused(c, chm_set_option(c, "device", "gpu:99"), CHM_DEVICE, "");
    CHECK(c.error() != "");
    refused(c, chm_set_option(c, "device", "quantum"), CHM_USAGE, "quantum");
    if (list_gpus().empty()) {
        refused(c, chm_set_option(c, "device", "gpu"), CHM_DEVICE, "");
        CHECK(c.error() != "");
    }
}

TEST_CASE("a second thread in a busy context gets a separate error at once")
{
    Context c;
    c.set("solver", "direct");
    c.set("precision", "double");
    c.set("threads", "1");
    const Particles p = plummer(8000);
    const auto x = coordinates(p.position);
    std::vector<double> a(x.size());
    std::atomic<bool> done{false};
    int first = -1;
    std::thread busy([&] {
        do // while the other thread reads statistics
            first = chm_solve(c, 8000, p.mass.data(), x.data(), a.data(), nullptr);
        while (first == CHM_USAGE);
        done = true;
    });
    int refusals = 0;
    std::string line;
    while (!done) {
        chm_run_stats stats;
        const int status = chm_stats(c, &stats);
        if (status != CHM_OK && refusals++ == 0) {
            CHECK(status == CHM_USAGE);
            line = c.error();
        }
    }
    busy.join();
    CHECK(first == CHM_OK);
    CHECK(refusals > 0);
    CHECK(line.find("another thread") != std::string::npos);
    std::thread other([&] { CHECK(c.error() == ""); });
    other.join();
}

TEST_CASE("another thread or a signal handler can cancel a running call")
{
    static chm_context* under_way = nullptr;
    const Particles p = plummer(60000);
    const auto x = coordinates(p.position);
    std::vector<double> a(x.size());
    Context c;
    c.exact();
    c.set("threads", "1");
    const auto solve = [&](std::size_t n) {
        return chm_solve(c, std::int64_t(n), p.mass.data(), x.data(), a.data(), nullptr);
    };
    under_way = c;
    const auto earlier = std::signal(SIGUSR1, [](int) { chm_cancel(under_way); });
    chm_cancel(nullptr);
    for (const bool by_signal : {false, true}) {
        chm_cancel(c); // no call in progress
        CHECK(solve(100) == CHM_OK);
        std::clock_t sent = 0; // processor time: independent of other programs
        std::thread other([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(200));
            sent = std::clock();
            by_signal ? void(std::raise(SIGUSR1)) : chm_cancel(c);
        });
        CHECK(solve(p.size()) == CHM_CANCELLED);
        const std::clock_t ended = std::clock();
        other.join();
        CHECK(c.error() == "call: ended by chm_cancel()");
        CHECK(double(ended - sent) / CLOCKS_PER_SEC < 0.3);
    }
    std::signal(SIGUSR1, earlier);
    REQUIRE(solve(200) == CHM_OK);
    const std::vector<double> found(a.begin(), a.begin() + 600);
    Context fresh;
    fresh.exact();
    REQUIRE(chm_solve(fresh, 200, p.mass.data(), x.data(), a.data(), nullptr) == CHM_OK);
    CHECK(std::equal(found.begin(), found.end(), a.begin()));
}

TEST_CASE("contexts work concurrently in many threads")
{
    const Particles p = plummer(500);
    const auto x = coordinates(p.position);
    std::vector<std::vector<double>> a(4, std::vector<double>(x.size()));
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0};
    for (auto& mine : a)
        threads.emplace_back([&] {
            chm_context* c = nullptr;
            wrong += chm_create(&c) != CHM_OK || chm_set_option(c, "device", "cpu") != CHM_OK;
            for (int k = 0; k < 3; ++k)
                wrong += chm_solve(c, 500, p.mass.data(), x.data(), mine.data(), nullptr) != CHM_OK;
            chm_destroy(c);
        });
    for (auto& thread : threads)
        thread.join();
    CHECK(wrong == 0);
    for (const auto& other : a)
        CHECK(other == a[0]);
}

TEST_CASE("after fork() a child can use new contexts only")
{
    Context c;
    c.set("threads", "2");
    const Particles p = plummer(3000);
    const auto x = coordinates(p.position);
    std::vector<double> a(x.size()), again(x.size());
    REQUIRE(chm_solve(c, 3000, p.mass.data(), x.data(), a.data(), nullptr) == CHM_OK);
    CHECK(status_of_child([&] {
              const int status = chm_solve(c, 3000, p.mass.data(), x.data(), again.data(), nullptr);
              const bool told = c.error().find("fork()") != std::string::npos;
              chm_destroy(c);
              return told ? status : 50;
          }) == CHM_USAGE);
    CHECK(status_of_child([&] {
              chm_context* mine = nullptr;
              int status = chm_create(&mine);
              status +=
                  chm_set_option(mine, "device", "cpu") + chm_set_option(mine, "threads", "2");
              for (int k = 0; k < 2; ++k)
                  status += chm_solve(mine, 3000, p.mass.data(), x.data(), again.data(), nullptr);
              chm_destroy(mine);
              return status + (again == a ? 0 : 50);
          }) == CHM_OK);
    CHECK(chm_solve(c, 3000, p.mass.data(), x.data(), again.data(), nullptr) == CHM_OK);
}

TEST_SUITE_END();
