// GRAPE-6: calls by reference, both unit types, and effects of wrong calls.
#include <doctest/doctest.h>

#include "tests/unit/child_process.hpp"
#include "tests/unit/grape6_stars.hpp"

// Fortran names and arguments.
extern "C" {
int g6_open_(int*);
int g6_close_(int*);
int g6_npipes_(void);
int g6_set_tunit_(double*);
int g6_set_ti_(int*, double*);
int g6_set_j_particle_(int*, int*, int*, double*, double*, double*, double*, double*, double*,
                       double*, double*);
void g6calc_firsthalf_(int*, int*, int*, int*, double (*)[3], double (*)[3], double (*)[3],
                       double (*)[3], double*, double*, double*);
int g6calc_lasthalf2np_(int*, int*, int*, int*, double (*)[3], double (*)[3], double*, double*,
                        double (*)[3], double (*)[3], double*, int*, float*);
int g6_read_neighbour_list_(int*);
int g6_get_neighbour_list_(int*, int*, int*, int*, int*);
}

using namespace chamomile::tests::grape6;
using chamomile::tests::status_of_child;

TEST_SUITE_BEGIN("grape6_misuse");

TEST_CASE("Fortran calls by reference equal C calls bitwise")
{
    const OpenedCluster opened;
    std::vector<Star> all = stars(97);
    send(0, all);
    double t = 0.625, dt = 0.1, unit = 51;
    g6_set_ti(0, t);
    const std::vector<Star> then = all_moved(all, t);
    Call value(then, 0.5), reference(then, 0.5);
    value.first(0, 97);
    REQUIRE(value.last_nearest(0, 97) == 0);

    int cl = 12, nj = 97, ni = 97;
    g6_open_(&cl);
    g6_set_tunit_(&unit);
    g6_set_ti_(&cl, &t);
    for (int k = 0; k < 97; ++k) {
        Star s = all[std::size_t(k)];
        for (int c = 0; c < 3; ++c) {
            s.a[c] /= 2;
            s.jerk[c] /= 6;
            s.snap[c] /= 18;
        }
        g6_set_j_particle_(&cl, &k, &s.id, &s.t, &dt, &s.m, s.snap.data(), s.jerk.data(),
                           s.a.data(), s.v.data(), s.x.data());
    }
    Call& r = reference;
    g6calc_firsthalf_(&cl, &nj, &ni, r.id.data(), rows(r.x), rows(r.v), nullptr, nullptr, nullptr,
                      &r.eps2, r.h2.data());
    REQUIRE(g6calc_lasthalf2np_(&cl, &nj, &ni, r.id.data(), rows(r.x), rows(r.v), &r.eps2,
                                r.h2.data(), rows(r.a), rows(r.jerk), r.pot.data(),
                                r.nearest.data(), r.distance.data()) == 0);
    CHECK(r.a == value.a);
    CHECK(r.jerk == value.jerk);
    CHECK(r.pot == value.pot);
    CHECK(r.nearest == value.nearest);
    int pipe = 9, max = 97, n = 0;
    std::vector<int> list(97);
    REQUIRE(g6_read_neighbour_list_(&cl) == 0);
    REQUIRE(g6_get_neighbour_list_(&cl, &pipe, &max, &n, list.data()) == 0);
    list.resize(std::size_t(n));
    CHECK(list == list_of(0, 9));
    CHECK(g6_npipes_() == 48);
    CHECK(g6_close_(&cl) == 0);
}

namespace {

/// Calls through another library's header; the sanitizer would end them.
#ifdef __clang__
__attribute__((no_sanitize("function")))
#endif
void send_as_double(int (*set)(int))
{
    reinterpret_cast<int (*)(double)>(reinterpret_cast<void (*)()>(set))(51.0);
}

} // namespace

TEST_CASE("g6_set_tunit() and g6_set_xunit() accept ints and doubles")
{
    g6_set_tunit(51);
    g6_set_xunit(51);
    send_as_double(g6_set_tunit);
    send_as_double(g6_set_xunit);
    setenv("CHAMOMILE_PIPES", "2048", 1);
    CHECK(g6_npipes() == 2048);
    setenv("CHAMOMILE_PIPES", "-3", 1);
    CHECK(g6_npipes() == 48);
    unsetenv("CHAMOMILE_PIPES");
}

TEST_CASE("misuse gives -1, NaN and an error line, never a crash")
{
    const auto fails = [&](const char* line,
                           const std::function<int(Call&, std::vector<Star>&)>& f) {
        CAPTURE(line);
        const OpenedCluster opened;
        std::vector<Star> all = stars(10);
        for (Star& s : all)
            s.t = 0;
        send(0, all);
        Call call(all);
        CHECK(f(call, all) == -1);
        CHECK(all_nan(call));
        CHECK(cluster_error().find(line) != std::string::npos);
        CHECK(cluster_error().find('\n') == std::string::npos);
    };
    const auto after = [&](const char* line,
                           const std::function<void(Call&, std::vector<Star>&)>& calls) {
        fails(line, [&](Call& call, std::vector<Star>& all) {
            calls(call, all);
            return call.run(0, 10);
        });
    };
    fails("call g6calc_firsthalf first", [](Call& call, auto&) { return call.last(0, 10); });
    fails("nj: 11: must be at most the number of loaded addresses, 10",
          [](Call& call, auto&) { return call.run(0, 11); });
    fails("nj: -1", [](Call& call, auto&) { return call.run(0, -1); });
    fails("j-particle 10: not loaded", [](Call& call, auto& all) {
        send(0, 11, all[0]);
        return call.run(0, 12);
    });
    after("address: -1", [](auto&, auto& all) { send(0, -1, all[0]); });
    after("address: 2147483647", [](auto&, auto& all) { send(0, 2147483647, all[0]); });
    after("j-particle 3: must be finite", [](auto&, auto& all) {
        all[3].jerk[1] = NAN;
        send(0, 3, all[3]);
    });
    after("ti: inf: must be finite", [](auto&, auto&) { g6_set_ti(0, INFINITY); });
    after("aby2: must not be null", [](auto&, auto&) {
        double d[3] = {};
        g6_set_j_particle(0, 0, 0, 0, 0, 1, d, d, nullptr, d, d);
    });
    after("eps2: -", [](Call& call, auto&) { call.eps2 = -1; });
    after("needs a softening > 0", [](Call& call, auto&) { call.x[4] = call.x[5]; });
    after("must be finite", [](Call& call, auto&) { call.v[4][0] = NAN; });
    fails("cl: 5: not open: call g6_open first", [](Call& call, auto&) { return call.run(5, 10); });
    fails("index: must not be null", [](Call& call, auto&) {
        call.first(0, 10);
        return g6calc_lasthalf(0, 10, 10, nullptr, rows(call.x), rows(call.v), 0, nullptr,
                               rows(call.a), rows(call.jerk), call.pot.data());
    });
    fails("acc: must not be null", [](Call& call, auto&) {
        call.a.assign(10, {NAN, 0, 0});
        call.first(0, 10);
        return g6calc_lasthalf(0, 10, 10, call.id.data(), rows(call.x), rows(call.v), 0, nullptr,
                               nullptr, rows(call.jerk), call.pot.data());
    });
    const OpenedCluster opened;
    CHECK(g6_open(-1) == -1);
    CHECK(g6_close(44) == -1);
    CHECK(g6_get_neighbour_list(0, 0, 0, nullptr, nullptr) == -1);
    std::vector<Star> all = stars(10);
    send(0, all);
    Call call(all);
    call.first(0, 10);
    int n = 0;
    CHECK(g6calc_lasthalf(0, 10, -4, nullptr, nullptr, nullptr, 0, nullptr, nullptr, nullptr,
                          nullptr) == -1);
    CHECK(g6calc_lasthalf(0, 10, 0, nullptr, nullptr, nullptr, 0, nullptr, nullptr, nullptr,
                          nullptr) == 0);
    CHECK(g6_read_neighbour_list(0) == -1); // no radii were given
    REQUIRE(call.run(0, 10) == 0);
    CHECK(g6_get_neighbour_list(0, 10, 0, &n, nullptr) == -1);
    CHECK(g6_get_neighbour_list(0, -1, 0, &n, nullptr) == -1);
    CHECK(g6_get_neighbour_list(0, 0, -1, &n, nullptr) == -1);
}

TEST_CASE("a forked process without its parent's threads gets an error")
{
    const OpenedCluster opened;
    const std::vector<Star> all = stars(300);
    send(0, all);
    Call call(all);
    REQUIRE(call.run(0, 300) == 0);
    CHECK(status_of_child([&] {
              const bool refused = call.run(0, 300) == -1 && all_nan(call);
              return refused && cluster_error().find("forked") != std::string::npos ? 0 : 1;
          }) == 0);
}
