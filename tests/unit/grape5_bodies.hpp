/// \file  Bodies, plain sums and an opened board, common to GRAPE-5 tests.
#pragma once

#include <array>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "chamomile/interfaces/grape5/gp5util.h"

namespace chamomile::tests::grape5 {

using Vector = std::array<double, 3>;
using Row = double (*)[3];

struct Bodies {
    std::vector<Vector> x;
    std::vector<double> m;

    Row rows() { return reinterpret_cast<Row>(x.data()); }
    int count() const { return int(x.size()); }
};

inline Bodies cloud(int n, unsigned seed = 1)
{
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> mass(0.5, 1.5);
    Bodies b;
    for (int k = 0; k < n; ++k) {
        b.x.push_back({3 + normal(random), -2 + normal(random), normal(random)});
        b.m.push_back(mass(random) / n);
    }
    return b;
}

struct Field {
    std::vector<Vector> a;
    std::vector<double> p;

    explicit Field(int n) : a(std::size_t(n)), p(std::size_t(n)) {}
    Row rows() { return reinterpret_cast<Row>(a.data()); }
};

/// Returns plain sums, with potentials +sum m / u; calls `eps2` for each target and source.
inline Field reference(const std::vector<Vector>& targets, const Bodies& sources, int used,
                       const std::function<double(std::size_t, std::size_t)>& eps2)
{
    Field field(int(targets.size()));
    for (std::size_t i = 0; i < targets.size(); ++i)
        for (std::size_t j = 0; j < std::size_t(used); ++j) {
            double d[3], s = eps2(i, j);
            for (int c = 0; c < 3; ++c) {
                d[c] = sources.x[j][c] - targets[i][c];
                s += d[c] * d[c];
            }
            if (s == 0)
                continue;
            for (int c = 0; c < 3; ++c)
                field.a[i][c] += sources.m[j] * d[c] / std::pow(s, 1.5);
            field.p[i] += sources.m[j] / std::sqrt(s);
        }
    return field;
}

inline double worst(const Field& a, const Field& b)
{
    double worst = 0, size = 0, depth = 0;
    for (std::size_t i = 0; i < b.a.size(); ++i) {
        size = std::max(size, std::hypot(b.a[i][0], b.a[i][1], b.a[i][2]));
        depth = std::max(depth, std::abs(b.p[i]));
    }
    for (std::size_t i = 0; i < a.a.size(); ++i) {
        for (int c = 0; c < 3; ++c) {
            const double e = std::abs(a.a[i][c] - b.a[i][c]) / size;
            worst = e > worst || std::isnan(e) ? e : worst;
        }
        const double e = std::abs(a.p[i] - b.p[i]) / depth;
        worst = e > worst || std::isnan(e) ? e : worst;
    }
    return worst;
}

inline bool all_nan(const Field& f)
{
    for (std::size_t i = 0; i < f.p.size(); ++i)
        if (!std::isnan(f.p[i]) || !std::isnan(f.a[i][0]) || !std::isnan(f.a[i][2]))
            return false;
    return true;
}

/// Opened opens the library in one precision, and closes it at the end.
struct Opened {
    explicit Opened(const char* precision = "double")
    {
        setenv("CHAMOMILE_PRECISION", precision, 1);
        g5_close();
        g5_open();
    }
    ~Opened()
    {
        chm_g5_set_potential_sign(1);
        g5_set_eps_to_all(0);
        g5_close();
        g5_open();
        unsetenv("CHAMOMILE_PRECISION");
    }
};

inline std::string error()
{
    return g5_get_error();
}

inline void load(Bodies& b)
{
    g5_set_xmj(0, b.count(), b.rows(), b.m.data());
    g5_set_n(b.count());
}

inline Field on(std::vector<Vector> x)
{
    Field f(int(x.size()));
    g5_calculate_force_on_x(reinterpret_cast<Row>(x.data()), f.rows(), f.p.data(), int(x.size()));
    return f;
}

} // namespace chamomile::tests::grape5
