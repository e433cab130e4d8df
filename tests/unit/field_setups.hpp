/// \file  Field setups for tests, and plain sums for comparison.
#pragma once

#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

#include "chamomile/force/field.hpp"
#include "tests/unit/behaviours.hpp"
#include "tests/unit/clouds.hpp"

namespace chamomile::tests {

using Vectors = std::vector<Vec3<double>>;

inline FieldSources sources_of(const Particles& p)
{
    return {p.size(), view_of(std::span(p.position)), view_of(std::span(p.mass)),
            view_of(std::span(p.velocity))};
}

struct Point {
    Vec3<double> acceleration, jerk;
    double potential = 0;
    double tidal[6] = {};
};

/// Sums pair by pair with independent formulas. Sources exactly at x exert no force.
inline Point plain_field(const Particles& p, const Vec3<double>& x, const Vec3<double>& v,
                         double eps, std::int64_t self, double G)
{
    Point sum;
    for (std::size_t j = 0; j < p.size(); ++j) {
        const double r[3] = {p.position[j].x - x.x, p.position[j].y - x.y, p.position[j].z - x.z};
        const double w[3] = {p.velocity[j].x - v.x, p.velocity[j].y - v.y, p.velocity[j].z - v.z};
        const double u2 = r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + eps * eps;
        if (std::int64_t(j) == self || u2 == 0)
            continue;
        const double u = std::sqrt(u2), u3 = u2 * u, u5 = u2 * u3, gm = G * p.mass[j];
        const double rw = r[0] * w[0] + r[1] * w[1] + r[2] * w[2];
        sum.potential -= gm / u;
        for (int a = 0, t = 0; a < 3; ++a) {
            (&sum.acceleration.x)[a] += gm * r[a] / u3;
            (&sum.jerk.x)[a] += gm * (w[a] / u3 - 3 * rw * r[a] / u5);
            for (int b = a; b < 3; ++b)
                sum.tidal[t++] += gm * (3 * r[a] * r[b] / u5 - (a == b ? 1 / u3 : 0));
        }
    }
    return sum;
}

/// Sums pairs with a softening length per pair.
template <class PairLength>
Point plain_field_by_pair(const Particles& p, const Vec3<double>& x, const Vec3<double>& v,
                          std::int64_t self, PairLength length)
{
    Point sum;
    Particles one;
    one.resize(1);
    for (std::size_t j = 0; j < p.size(); ++j) {
        if (std::int64_t(j) == self)
            continue;
        one.position[0] = p.position[j];
        one.velocity[0] = p.velocity[j];
        one.mass[0] = p.mass[j];
        const Point pull = plain_field(one, x, v, length(j), -1, 2);
        sum.acceleration += pull.acceleration;
        sum.jerk += pull.jerk;
        for (int c = 0; c < 6; ++c)
            sum.tidal[c] += pull.tidal[c];
    }
    return sum;
}

struct Setup {
    const char* name;
    SolverKind kind;
    Precision precision;
    double largest, typical; ///< errors in |a|: max and 90 %
};

constexpr auto single = Precision::single_precision, precise = Precision::double_precision;
inline const Setup setups[] = {{"tree, float", SolverKind::tree, single, 8e-3, 6e-4},
                               {"tree, double", SolverKind::tree, precise, 8e-3, 6e-4},
                               {"direct, float", SolverKind::direct, single, 3e-5, 1e-6},
                               {"direct, double", SolverKind::direct, precise, 1e-11, 1e-13}};

inline SolverOptions options_of(const Machine& machine, const Setup& setup, double eps)
{
    SolverOptions options = options_for(machine);
    options.solver = setup.kind;
    options.precision = setup.precision;
    options.softening.length = eps;
    options.gravitational_constant = 2;
    return options;
}

inline Vectors points_about(const Particles& p, std::size_t n, double spread)
{
    Random random(77);
    Vectors points(n);
    for (std::size_t i = 0; i < n; ++i)
        points[i] =
            p.position[i % p.size()] +
            Vec3<double>{random(-spread, spread), random(-spread, spread), random(-spread, spread)};
    return points;
}

inline void check_errors(std::vector<double> errors, const Setup& setup)
{
    std::sort(errors.begin(), errors.end()); // a tree at its sources: 3e-4 at 90 %, max 2e-3
    CHECK(errors.back() < setup.largest);
    if (errors.size() > 33)
        CHECK(errors[errors.size() * 9 / 10] < setup.typical);
}

/// Felt holds a field's results at points.
struct Felt {
    Vectors a;
    std::vector<double> phi;
    ForceStatistics statistics;

    Felt(FieldSolver& field, const Vectors& points, std::span<const std::int64_t> self = {})
        : a(points.size()), phi(points.size()),
          statistics(field.evaluate({points.size(), view_of(std::span(points)), {}, self},
                                    {view_of(std::span(a)), view_of(std::span(phi))}))
    {}
};

/// Checks the results against plain sums over the sources.
inline void check_felt(const Felt& felt, const Particles& p, const Vectors& points, double eps,
                       const Setup& setup, std::span<const std::int64_t> self = {})
{
    std::vector<double> errors, deeper;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const Point right = plain_field(p, points[i], {}, eps, self.empty() ? -1 : self[i], 2);
        errors.push_back(norm(felt.a[i] - right.acceleration) / norm(right.acceleration));
        deeper.push_back(std::abs(felt.phi[i] / right.potential - 1));
    }
    check_errors(errors, setup);
    check_errors(deeper, setup);
}

/// Returns a view with six contiguous numbers per target.
inline ArrayView tensors(std::vector<double>& tidal)
{
    ArrayView six = numbers_at(tidal.data(), 6 * sizeof(double));
    for (int c = 1; c < 6; ++c)
        six.component[c] = six.component[0] + sizeof(double) * std::size_t(c);
    return six;
}

inline Particles moving_plummer(std::size_t n)
{
    Particles p = plummer(n);
    Random random(5);
    for (std::size_t i = 0; i < n; ++i) {
        p.velocity[i] = {random(-1, 1), random(-1, 1), random(-1, 1)};
        p.mass[i] *= random(0.5, 1.5);
    }
    return p;
}

} // namespace chamomile::tests
