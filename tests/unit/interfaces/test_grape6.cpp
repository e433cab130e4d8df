// The GRAPE-6 calls against plain loops in double: prediction, signs, ids, addresses, clusters,
// threads.
#include <numeric>
#include <thread>

#include <doctest/doctest.h>

#include "tests/unit/grape6_stars.hpp"

using namespace chamomile::tests::grape6;

TEST_SUITE_BEGIN("grape6");

TEST_CASE("forces, jerks and negative potentials of predicted particles match sums")
{
    for (const auto& [name, tolerance] : {std::pair("double", 1e-12), std::pair("float", 2e-6)})
        for (const double eps2 : {0.0, 0.01}) {
            const char* const precision = name;
            CAPTURE(precision);
            const OpenedCluster opened(precision);
            const std::vector<Star> all = stars(597);
            send(0, all);
            for (const double t : {0.5, 0.625, -0.25}) {
                g6_set_ti(0, t);
                const std::vector<Star> then = all_moved(all, t);
                Call call({then.begin() + 100, then.begin() + 197});
                call.eps2 = eps2;
                REQUIRE(call.run(0, 597) == 0);
                const Call exact = reference(call, then);
                CHECK(worst(call, exact) < tolerance);
                CHECK(*std::max_element(call.pot.begin(), call.pot.end()) < 0);
            }
            CHECK(cluster_error() == "");
        }
}

TEST_CASE("each derivative uses a separate scale factor")
{
    const OpenedCluster opened;
    const double t = 0.5;
    for (int order = 0; order < 4; ++order) {
        Star s;
        s.id = 1;
        s.m = 2;
        s.x = {1, 0, 0};
        (order == 0 ? s.v : order == 1 ? s.a : order == 2 ? s.jerk : s.snap) = {3, 1, 2};
        send(0, 0, s);
        g6_set_ti(0, t);
        Call call(std::vector<Star>(1));
        REQUIRE(call.run(0, 1) == 0);
        CHECK(worst(call, reference(call, {moved(s, t)})) < 1e-14);
    }
}

TEST_CASE("a target skips only sources with an equal id")
{
    const OpenedCluster opened;
    std::vector<Star> all = all_moved(stars(40), 0.5);
    for (Star& s : all)
        s.t = 0.5;
    all[7].id = all[31].id = 2147483647; // twice
    all[8].id = -5;
    send(0, all);
    g6_set_ti(0, 0.5);
    std::vector<Star> targets = all;
    Star stranger = all[3];
    stranger.id = 99;
    stranger.x[0] += 0.01;
    targets.push_back(stranger);
    Call call(targets);
    REQUIRE(call.run(0, 40) == 0);
    CHECK(worst(call, reference(call, all)) < 1e-12);
    // Fewer j-particles: a target's own may lie beyond them.
    REQUIRE(call.run(0, 20) == 0);
    CHECK(worst(call, reference(call, {all.begin(), all.begin() + 20})) < 1e-12);
}

TEST_CASE("particles can be written in any order and overwritten")
{
    const OpenedCluster opened;
    std::vector<Star> all = stars(97);
    std::vector<int> order(97);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), std::mt19937(5));
    for (const int k : order)
        send(0, k, all[std::size_t(k)]);
    g6_set_ti(0, 0.5);
    Call call({moved(all[0], 0.5)});
    REQUIRE(call.run(0, 97) == 0);
    CHECK(worst(call, reference(call, all_moved(all, 0.5))) < 1e-12);
    // One particle changes, with its id, at the same time.
    all[50] = stars(1, 77)[0];
    all[50].id = 123;
    send(0, 50, all[50]);
    REQUIRE(call.run(0, 97) == 0);
    CHECK(worst(call, reference(call, all_moved(all, 0.5))) < 1e-12);
    // Again, with the changed particle as target.
    Call other({moved(all[50], 0.5)});
    REQUIRE(other.run(0, 97) == 0);
    CHECK(worst(other, reference(other, all_moved(all, 0.5))) < 1e-12);
}

TEST_CASE("clusters keep separate memories")
{
    const OpenedCluster opened;
    for (const int cl : {3, 1000000}) {
        g6_open(cl);
        send(cl, stars(50 + cl % 7, unsigned(cl)));
        g6_set_ti(cl, cl == 3 ? 0.5 : 0.75);
    }
    send(0, stars(10));
    g6_set_ti(0, 0.25);
    for (const int cl : {3, 1000000}) {
        const double t = cl == 3 ? 0.5 : 0.75;
        const std::vector<Star> then = all_moved(stars(50 + cl % 7, unsigned(cl)), t);
        Call call(then);
        REQUIRE(call.run(cl, call.count()) == 0);
        CHECK(worst(call, reference(call, then)) < 1e-12);
        CHECK(g6_close(cl) == 0);
        CHECK(call.run(cl, call.count()) == -1);
        CHECK(all_nan(call));
    }
    CHECK(cluster_error().find("call g6_open first") != std::string::npos);
}

TEST_CASE("two threads can share a cluster")
{
    const OpenedCluster opened;
    const std::vector<Star> all = stars(300);
    send(0, all);
    g6_set_ti(0, 0.5);
    const std::vector<Star> then = all_moved(all, 0.5);
    Call call(then);
    call.first(0, 300);
    const Call exact = reference(call, then);
    std::array<double, 2> max{};
    std::vector<std::thread> threads;
    for (std::size_t k = 0; k < 2; ++k)
        threads.emplace_back([&, k] {
            for (int repeat = 0; repeat < 10; ++repeat) {
                Call mine(then);
                g6_set_ti(0, 0.5);
                const int status = mine.run(0, 300);
                max[k] = std::max(max[k], status == 0 ? worst(mine, exact) : 1e9);
            }
        });
    for (std::thread& thread : threads)
        thread.join();
    CHECK(std::max(max[0], max[1]) < 1e-12);
}
