// The GRAPE-6 calls against plain loops in double: prediction, signs, ids, addresses, neighbours,
// both ways of calling, clusters, misuse.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "clients/grape6/gp6util.h"

// As Fortran calls them.
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

TEST_SUITE_BEGIN("grape6");

namespace {

using Vector = std::array<double, 3>;
using Row = double (*)[3];

Row rows(std::vector<Vector>& x)
{
    return reinterpret_cast<Row>(x.data());
}

/// A particle with all its derivatives at its own time.
struct Star {
    int id = 0;
    double t = 0, m = 0;
    Vector x{}, v{}, a{}, jerk{}, snap{};
};

std::vector<Star> stars(int n, unsigned seed = 1)
{
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    std::vector<Star> all(static_cast<std::size_t>(n));
    for (int k = 0; k < n; ++k) {
        Star& s = all[std::size_t(k)];
        s.id = 16777216 + k; // floats hold every other one
        s.t = 0.5 - std::ldexp(1.0, -1 - k % 5);
        s.m = (1 + 0.3 * normal(random)) / n;
        for (int c = 0; c < 3; ++c) {
            s.x[c] = 5 + normal(random);
            s.v[c] = normal(random);
            s.a[c] = normal(random);
            s.jerk[c] = normal(random);
            s.snap[c] = normal(random);
        }
    }
    return all;
}

void send(int cl, int address, const Star& s)
{
    double a2[3], j6[3], s18[3], v[3], x[3];
    for (int c = 0; c < 3; ++c) {
        a2[c] = s.a[c] / 2;
        j6[c] = s.jerk[c] / 6;
        s18[c] = s.snap[c] / 18;
        v[c] = s.v[c];
        x[c] = s.x[c];
    }
    g6_set_j_particle(cl, address, s.id, s.t, 0.125, s.m, s18, j6, a2, v, x);
}

void send(int cl, const std::vector<Star>& all)
{
    for (std::size_t k = 0; k < all.size(); ++k)
        send(cl, int(k), all[k]);
}

Star moved(Star s, double t)
{
    const double d = t - s.t;
    for (int c = 0; c < 3; ++c) {
        s.x[c] += s.v[c] * d + s.a[c] * d * d / 2 + s.jerk[c] * std::pow(d, 3) / 6 +
                  s.snap[c] * std::pow(d, 4) / 24;
        s.v[c] += s.a[c] * d + s.jerk[c] * d * d / 2 + s.snap[c] * std::pow(d, 3) / 6;
    }
    return s;
}

/// Targets of one call and what comes back.
struct Call {
    std::vector<int> id, nearest;
    std::vector<Vector> x, v, a, jerk;
    std::vector<double> pot, h2;
    std::vector<float> distance;
    double eps2 = 0;

    explicit Call(const std::vector<Star>& targets, double radius2 = 0)
    {
        for (const Star& s : targets) {
            id.push_back(s.id);
            x.push_back(s.x);
            v.push_back(s.v);
            h2.push_back(radius2);
        }
        a = jerk = std::vector<Vector>(id.size());
        pot.resize(id.size());
        nearest.resize(id.size());
        distance.resize(id.size());
    }
    int count() const { return int(id.size()); }

    void first(int cl, int nj)
    {
        g6calc_firsthalf(cl, nj, count(), id.data(), rows(x), rows(v), nullptr, nullptr, nullptr,
                         eps2, h2.data());
    }
    int last(int cl, int nj)
    {
        return g6calc_lasthalf(cl, nj, count(), id.data(), rows(x), rows(v), eps2, h2.data(),
                               rows(a), rows(jerk), pot.data());
    }
    int last_nearest(int cl, int nj)
    {
        return g6calc_lasthalf2p(cl, nj, count(), id.data(), rows(x), rows(v), eps2, h2.data(),
                                 rows(a), rows(jerk), pot.data(), nearest.data(), distance.data());
    }
    int run(int cl, int nj)
    {
        first(cl, nj);
        return last(cl, nj);
    }
};

Call reference(Call call, const std::vector<Star>& sources)
{
    for (std::size_t i = 0; i < call.id.size(); ++i) {
        call.a[i] = call.jerk[i] = {};
        call.pot[i] = 0;
        for (const Star& s : sources) {
            if (s.id == call.id[i])
                continue;
            double r[3], v[3], u2 = call.eps2, rv = 0;
            for (int c = 0; c < 3; ++c) {
                r[c] = s.x[c] - call.x[i][c];
                v[c] = s.v[c] - call.v[i][c];
                u2 += r[c] * r[c];
                rv += r[c] * v[c];
            }
            for (int c = 0; c < 3; ++c) {
                call.a[i][c] += s.m * r[c] / std::pow(u2, 1.5);
                call.jerk[i][c] +=
                    s.m * (v[c] / std::pow(u2, 1.5) - 3 * rv * r[c] / std::pow(u2, 2.5));
            }
            call.pot[i] -= s.m / std::sqrt(u2);
        }
    }
    return call;
}

double worst(const Call& a, const Call& b)
{
    double worst = 0, force = 0, jerk = 0, depth = 0;
    const auto take = [&](double e) { worst = e > worst || std::isnan(e) ? e : worst; };
    for (std::size_t i = 0; i < b.id.size(); ++i) {
        force = std::max(force, std::hypot(b.a[i][0], b.a[i][1], b.a[i][2]));
        jerk = std::max(jerk, std::hypot(b.jerk[i][0], b.jerk[i][1], b.jerk[i][2]));
        depth = std::max(depth, std::abs(b.pot[i]));
    }
    for (std::size_t i = 0; i < b.id.size(); ++i) {
        for (int c = 0; c < 3; ++c) {
            take(std::abs(a.a[i][c] - b.a[i][c]) / force);
            take(std::abs(a.jerk[i][c] - b.jerk[i][c]) / jerk);
        }
        take(std::abs(a.pot[i] - b.pot[i]) / depth);
    }
    return worst;
}

bool all_nan(const Call& call)
{
    for (std::size_t i = 0; i < call.id.size(); ++i)
        if (!std::isnan(call.a[i][0]) || !std::isnan(call.jerk[i][2]) || !std::isnan(call.pot[i]))
            return false;
    return true;
}

std::vector<Star> all_moved(std::vector<Star> all, double t)
{
    for (Star& s : all)
        s = moved(s, t);
    return all;
}

struct Opened {
    explicit Opened(const char* precision = "double")
    {
        setenv("CHAMOMILE_PRECISION", precision, 1);
        g6_open(0);
    }
    ~Opened()
    {
        g6_close(0);
        g6_open(0); // forgets faults
        g6_close(0);
        unsetenv("CHAMOMILE_PRECISION");
    }
};

std::string error()
{
    return chm_g6_get_error();
}

std::vector<int> list_of(int cl, int pipe)
{
    std::vector<int> list(2000);
    int n = 0;
    REQUIRE(g6_get_neighbour_list(cl, pipe, 2000, &n, list.data()) == 0);
    list.resize(std::size_t(n));
    return list;
}

double distance2(const Vector& a, const Vector& b)
{
    return (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
           (a[2] - b[2]) * (a[2] - b[2]);
}

} // namespace

TEST_CASE("forces, jerks and negative potentials of predicted particles")
{
    for (const auto& [precision, tolerance] :
         {std::pair("double", 1e-12), std::pair("float", 2e-6)})
        for (const double eps2 : {0.0, 0.01}) {
            CAPTURE(precision);
            const Opened opened(precision);
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
            CHECK(error() == "");
        }
}

TEST_CASE("each derivative has its own scale")
{
    const Opened opened;
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

TEST_CASE("a target does not see its own id, however large, and sees every other")
{
    const Opened opened;
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
    // Fewer j-particles: one's own may be beyond them.
    REQUIRE(call.run(0, 20) == 0);
    CHECK(worst(call, reference(call, {all.begin(), all.begin() + 20})) < 1e-12);
}

TEST_CASE("addresses in any order, and again")
{
    const Opened opened;
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
    // One particle changes, with its id, without a new time.
    all[50] = stars(1, 77)[0];
    all[50].id = 123;
    send(0, 50, all[50]);
    REQUIRE(call.run(0, 97) == 0);
    CHECK(worst(call, reference(call, all_moved(all, 0.5))) < 1e-12);
    // The same again, now that it is the target.
    Call other({moved(all[50], 0.5)});
    REQUIRE(other.run(0, 97) == 0);
    CHECK(worst(other, reference(other, all_moved(all, 0.5))) < 1e-12);
}

TEST_CASE("nearest neighbours and lists are exact, of ids, without self")
{
    const Opened opened("float");
    std::vector<Star> all = stars(1201);
    all[700].t = all[5].t = 0.5; // stay as they are
    send(0, all);
    g6_set_ti(0, 0.5);
    const std::vector<Star> then = all_moved(all, 0.5);
    std::vector<Star> targets(then.begin(), then.begin() + 211);
    for (const double eps2 : {0.0, 0.04}) {
        Call call(targets, 0.3);
        call.eps2 = eps2;
        call.h2[4] = 0;
        // Exactly the distance of a particle, which counts.
        call.h2[5] = distance2(then[700].x, targets[5].x);
        call.first(0, 1201);
        REQUIRE(call.last_nearest(0, 1201) == 0);
        CHECK(worst(call, reference(call, then)) < 2e-6);
        REQUIRE(g6_read_neighbour_list(0) == 0);
        for (int i = 0; i < call.count(); ++i) {
            std::vector<int> within;
            double best = 1e30;
            int nearest = -1;
            for (const Star& s : then) {
                const double r2 = distance2(s.x, targets[std::size_t(i)].x);
                if (s.id == targets[std::size_t(i)].id)
                    continue;
                if (r2 <= call.h2[std::size_t(i)] && r2 > 0)
                    within.push_back(s.id);
                if (r2 < best) {
                    best = r2;
                    nearest = s.id;
                }
            }
            CHECK(call.nearest[std::size_t(i)] == nearest);
            CHECK(call.distance[std::size_t(i)] == doctest::Approx(std::sqrt(best)));
            CHECK(list_of(0, i) == within);
        }
        const std::vector<int> fifth = list_of(0, 5);
        CHECK(std::count(fifth.begin(), fifth.end(), all[700].id) == 1);
        CHECK(list_of(0, 4).empty());
    }
    CHECK(error() == "");
}

TEST_CASE("lists come after any last half and stay until the next")
{
    const Opened opened;
    const std::vector<Star> all = stars(97);
    send(0, all);
    g6_set_ti(0, 0.5);
    Call call({moved(all[3], 0.5)}, 2);
    REQUIRE(call.run(0, 97) == 0);
    Star far = all[3];
    far.id = 7;
    for (int k = 0; k < 97; ++k)
        send(0, k, far); // is in the memory, but not predicted
    const std::vector<int> plain = list_of(0, 0);
    CHECK(plain.size() > 5);
    send(0, all);
    for (int which = 0; which < 3; ++which) {
        call.first(0, 97);
        std::vector<int> nnb(1);
        std::vector<float> r(1);
        const auto args = [&](auto f, auto... more) {
            return f(0, 97, 1, call.id.data(), rows(call.x), rows(call.v), 0.0, call.h2.data(),
                     rows(call.a), rows(call.jerk), call.pot.data(), more...);
        };
        REQUIRE((which == 0   ? args(g6calc_lasthalfn)
                 : which == 1 ? args(g6calc_lasthalf2n, nnb.data())
                              : args(g6calc_lasthalf2np, nnb.data(), r.data())) == 0);
        CHECK(list_of(0, 0) == plain);
        if (which > 0)
            CHECK(std::find(plain.begin(), plain.end(), nnb[0]) != plain.end());
    }
    // More than there is room for: so many and no more are written.
    std::vector<int> list(6, -77);
    int n = 0;
    CHECK(g6_get_neighbour_list(0, 0, 5, &n, list.data()) == 1);
    CHECK(n == 5);
    CHECK(std::vector<int>(list.begin(), list.begin() + 5) ==
          std::vector<int>(plain.begin(), plain.begin() + 5));
    CHECK(list[5] == -77);
    CHECK(g6_get_neighbour_list(0, 0, int(plain.size()), &n,
                                std::vector<int>(plain.size()).data()) == 0);
    g6_set_neighbour_list_sort_mode(1);
    CHECK(g6_get_neighbour_list_sort_mode() == 1);
    // The next first half forgets them.
    call.first(0, 97);
    CHECK(g6_read_neighbour_list(0) == -1);
    CHECK(error().find("g6calc_lasthalf must come before") != std::string::npos);
}

TEST_CASE("a particle alone has no neighbour")
{
    const Opened opened;
    std::vector<Star> one = stars(1);
    send(0, one);
    Call call(one, 1e9);
    call.first(0, 1);
    REQUIRE(call.last_nearest(0, 1) == 0);
    CHECK(call.nearest[0] == -1);
    CHECK(list_of(0, 0).empty());
    CHECK(call.a[0] == Vector{0, 0, 0});
    CHECK(call.pot[0] == 0);
}

TEST_CASE("clusters are apart")
{
    const Opened opened;
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
    CHECK(error().find("g6_open must come before") != std::string::npos);
}

TEST_CASE("by reference, with an underscore, the same bits")
{
    const Opened opened;
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
    int pipe = 9, most = 97, n = 0;
    std::vector<int> list(97);
    REQUIRE(g6_read_neighbour_list_(&cl) == 0);
    REQUIRE(g6_get_neighbour_list_(&cl, &pipe, &most, &n, list.data()) == 0);
    list.resize(std::size_t(n));
    CHECK(list == list_of(0, 9));
    CHECK(g6_npipes_() == 48);
    CHECK(g6_close_(&cl) == 0);
}

TEST_CASE("units may be sent as ints or doubles")
{
    g6_set_tunit(51);
    g6_set_xunit(51);
    reinterpret_cast<int (*)(double)>(reinterpret_cast<void (*)()>(&g6_set_tunit))(51.0);
    reinterpret_cast<int (*)(double)>(reinterpret_cast<void (*)()>(&g6_set_xunit))(51.0);
    setenv("CHAMOMILE_PIPES", "2048", 1);
    CHECK(g6_npipes() == 2048);
    setenv("CHAMOMILE_PIPES", "-3", 1);
    CHECK(g6_npipes() == 48);
    unsetenv("CHAMOMILE_PIPES");
}

TEST_CASE("two threads in one cluster take turns")
{
    const Opened opened;
    const std::vector<Star> all = stars(300);
    send(0, all);
    g6_set_ti(0, 0.5);
    const std::vector<Star> then = all_moved(all, 0.5);
    Call call(then);
    call.first(0, 300);
    const Call exact = reference(call, then);
    std::array<double, 2> most{};
    std::vector<std::thread> threads;
    for (std::size_t k = 0; k < 2; ++k)
        threads.emplace_back([&, k] {
            for (int repeat = 0; repeat < 10; ++repeat) {
                Call mine(then);
                g6_set_ti(0, 0.5);
                const int status = mine.run(0, 300);
                most[k] = std::max(most[k], status == 0 ? worst(mine, exact) : 1e9);
            }
        });
    for (std::thread& thread : threads)
        thread.join();
    CHECK(std::max(most[0], most[1]) < 1e-12);
}

TEST_CASE("misuse becomes -1, NaN and a line, never a crash")
{
    const auto fails = [&](const char* line,
                           const std::function<int(Call&, std::vector<Star>&)>& f) {
        CAPTURE(line);
        const Opened opened;
        std::vector<Star> all = stars(10);
        for (Star& s : all)
            s.t = 0;
        send(0, all);
        Call call(all);
        CHECK(f(call, all) == -1);
        CHECK(all_nan(call));
        CHECK(error().find(line) != std::string::npos);
        CHECK(error().find('\n') == std::string::npos);
    };
    fails("g6calc_firsthalf must come before", [](Call& call, auto&) { return call.last(0, 10); });
    fails("nj: 11: addresses were loaded below 10",
          [](Call& call, auto&) { return call.run(0, 11); });
    fails("nj: -1", [](Call& call, auto&) { return call.run(0, -1); });
    fails("j-particle 10: was not loaded", [](Call& call, auto& all) {
        send(0, 11, all[0]);
        return call.run(0, 12);
    });
    fails("address: -1", [](Call& call, auto& all) {
        send(0, -1, all[0]);
        return call.run(0, 10);
    });
    fails("address: 2147483647", [](Call& call, auto& all) {
        send(0, 2147483647, all[0]);
        return call.run(0, 10);
    });
    fails("j-particle 3: is not finite", [](Call& call, auto& all) {
        all[3].jerk[1] = NAN;
        send(0, 3, all[3]);
        return call.run(0, 10);
    });
    fails("ti: is not finite", [](Call& call, auto&) {
        g6_set_ti(0, INFINITY);
        return call.run(0, 10);
    });
    fails("aby2: a null pointer", [](Call& call, auto&) {
        double d[3] = {};
        g6_set_j_particle(0, 0, 0, 0, 0, 1, d, d, nullptr, d, d);
        return call.run(0, 10);
    });
    fails("eps2: -", [](Call& call, auto&) {
        call.eps2 = -1;
        return call.run(0, 10);
    });
    fails("without softening", [](Call& call, auto&) {
        call.x[4] = call.x[5];
        return call.run(0, 10);
    });
    fails("must be finite", [](Call& call, auto&) {
        call.v[4][0] = NAN;
        return call.run(0, 10);
    });
    fails("cl: 5: g6_open must come before", [](Call& call, auto&) { return call.run(5, 10); });
    fails("index: a null pointer", [](Call& call, auto&) {
        call.first(0, 10);
        return g6calc_lasthalf(0, 10, 10, nullptr, rows(call.x), rows(call.v), 0, nullptr,
                               rows(call.a), rows(call.jerk), call.pot.data());
    });
    fails("acc: a null pointer", [](Call& call, auto&) {
        call.a.assign(10, {NAN, 0, 0});
        call.first(0, 10);
        return g6calc_lasthalf(0, 10, 10, call.id.data(), rows(call.x), rows(call.v), 0, nullptr,
                               nullptr, rows(call.jerk), call.pot.data());
    });
    const Opened opened;
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
