/// \file  Stars with derivatives, calls and plain sums, common to GRAPE-6 tests.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "chamomile/interfaces/grape6/gp6util.h"

namespace chamomile::tests::grape6 {

using Vector = std::array<double, 3>;
using Row = double (*)[3];

inline Row rows(std::vector<Vector>& x)
{
    return reinterpret_cast<Row>(x.data());
}

/// A Star is a particle with all derivatives at an individual time.
struct Star {
    int id = 0;
    double t = 0, m = 0;
    Vector x{}, v{}, a{}, jerk{}, snap{};
};

inline std::vector<Star> stars(int n, unsigned seed = 1)
{
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    std::vector<Star> all(static_cast<std::size_t>(n));
    for (int k = 0; k < n; ++k) {
        Star& s = all[std::size_t(k)];
        s.id = 16777216 + k; // floats represent every second one
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

inline void send(int cl, int address, const Star& s)
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

inline void send(int cl, const std::vector<Star>& all)
{
    for (std::size_t k = 0; k < all.size(); ++k)
        send(cl, int(k), all[k]);
}

inline Star moved(Star s, double t)
{
    const double d = t - s.t;
    for (int c = 0; c < 3; ++c) {
        s.x[c] += s.v[c] * d + s.a[c] * d * d / 2 + s.jerk[c] * std::pow(d, 3) / 6 +
                  s.snap[c] * std::pow(d, 4) / 24;
        s.v[c] += s.a[c] * d + s.jerk[c] * d * d / 2 + s.snap[c] * std::pow(d, 3) / 6;
    }
    return s;
}

/// A Call holds the targets and results of one call.
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

inline Call reference(Call call, const std::vector<Star>& sources)
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

inline double worst(const Call& a, const Call& b)
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

inline bool all_nan(const Call& call)
{
    for (std::size_t i = 0; i < call.id.size(); ++i)
        if (!std::isnan(call.a[i][0]) || !std::isnan(call.jerk[i][2]) || !std::isnan(call.pot[i]))
            return false;
    return true;
}

inline std::vector<Star> all_moved(std::vector<Star> all, double t)
{
    for (Star& s : all)
        s = moved(s, t);
    return all;
}

struct OpenedCluster {
    explicit OpenedCluster(const char* precision = "double")
    {
        setenv("CHAMOMILE_PRECISION", precision, 1);
        g6_open(0);
    }
    ~OpenedCluster()
    {
        g6_close(0);
        g6_open(0); // forgets faults
        g6_close(0);
        unsetenv("CHAMOMILE_PRECISION");
    }
};

inline std::string cluster_error()
{
    return chm_g6_get_error();
}

inline std::vector<int> list_of(int cl, int pipe)
{
    std::vector<int> list(2000);
    int n = 0;
    REQUIRE(g6_get_neighbour_list(cl, pipe, 2000, &n, list.data()) == 0);
    list.resize(std::size_t(n));
    return list;
}

inline double distance2(const Vector& a, const Vector& b)
{
    return (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
           (a[2] - b[2]) * (a[2] - b[2]);
}

} // namespace chamomile::tests::grape6
