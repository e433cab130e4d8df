#include "tests/unit/range_behaviours.hpp"

#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

#include "chamomile/core/error.hpp"
#include "chamomile/core/norm.hpp"
#include "chamomile/force/field.hpp"
#include "tests/unit/clouds.hpp"

namespace chamomile::tests {
namespace {

struct LongVec {
    long double x = 0, y = 0, z = 0;
};

/// Sums over all particles except `self`, G = 1, with Plummer softening: the plain formula in
/// 80-bit arithmetic.
LongVec long_sum(const Particles& p, const Vec3<double>& at, std::size_t self, long double eps)
{
    LongVec sum;
    for (std::size_t j = 0; j < p.size(); ++j) {
        const long double x = (long double)p.position[j].x - at.x,
                          y = (long double)p.position[j].y - at.y,
                          z = (long double)p.position[j].z - at.z;
        if (j == self)
            continue;
        const long double u = std::sqrt(x * x + y * y + z * z + eps * eps),
                          w = p.mass[j] / u / u / u;
        sum.x += w * x;
        sum.y += w * y;
        sum.z += w * z;
    }
    return sum;
}

double relative_error(const Vec3<double>& a, const LongVec& exact)
{
    const long double x = a.x - exact.x, y = a.y - exact.y, z = a.z - exact.z;
    return double(std::hypot(x, y, z) / std::hypot(exact.x, exact.y, exact.z));
}

/// Returns all errors except for `except`, ascending.
std::vector<double> errors_of_all(const Particles& p, double eps, std::size_t except)
{
    std::vector<double> errors;
    for (std::size_t i = 0; i < p.size(); ++i)
        if (i != except)
            errors.push_back(relative_error(p.acceleration[i], long_sum(p, p.position[i], i, eps)));
    std::sort(errors.begin(), errors.end());
    return errors;
}

Particles cube_of(std::size_t n, double side, double mass)
{
    Particles p;
    p.resize(n);
    Random random(5);
    for (std::size_t i = 0; i < n; ++i) {
        p.id[i] = i + 1;
        p.mass[i] = mass;
        p.position[i] = {side * random(), side * random(), side * random()};
    }
    return p;
}

} // namespace

void check_wide_groups(const Machine& machine)
{
    for (const Precision precision : {Precision::double_precision, Precision::single_precision})
        for (const std::size_t n : {300, 1500, 12000}) {
            const double largest = precision == Precision::double_precision ? 1e-13 : 3e-6;
            CAPTURE(n);
            CAPTURE(largest);
            SolverOptions o = options_for(machine);
            o.solver = SolverKind::direct;
            o.precision = precision;
            if (n <= 1500)
                for (const double away : {1e6, 1e9, 1e12, 1e13, 1e14, 1e16}) {
                    CAPTURE(away);
                    Particles p = cube_of(n + 1, 1, 1 / double(n));
                    p.mass[n / 2] = 0;
                    p.position[n / 2] = {0, away, 0};
                    o.softening.length = 0.01;
                    make_solver(o)->solve(p, Quantities::acceleration);
                    CHECK(errors_of_all(p, 0.01, n / 2).back() < largest);
                }
            for (const double gap : {1e-6, 1e-12, 1e-15}) {
                CAPTURE(gap);
                Particles p = cube_of(n, 8, 1 / double(n));
                p.position[0] = {0.3, 0.4, 0.2};
                p.position[1] = {0.3 + gap, 0.4, 0.2};
                o.softening.length = 0;
                make_solver(o)->solve(p, Quantities::acceleration);
                for (const std::size_t i : {0, 1})
                    CHECK(relative_error(p.acceleration[i], long_sum(p, p.position[i], i, 0)) <
                          largest);
            }
        }
}

void check_sizes_without_squares(const Machine& machine)
{
    const auto error = [&](double side, double mass) {
        Particles p = cube_of(600, side, mass);
        SolverOptions o = options_for(machine);
        o.softening.length = 0.01 * side;
        make_solver(o)->solve(p, Quantities::acceleration);
        const std::vector<double> errors = errors_of_all(p, 0.01 * side, p.size());
        return errors[594];
    };
    const double usual = error(1, 1);
    CHECK(usual < 1e-3);
    for (const auto& scale :
         {std::pair{1.0, 1e200}, std::pair{1.0, 1e290}, std::pair{1e-78, 1.0},
          std::pair{1e-120, 1.0}, std::pair{1e-130, 1e-90}, std::pair{1e140, 1e300}}) {
        const double side = scale.first, mass = scale.second;
        CAPTURE(side);
        CAPTURE(mass);
        CHECK(error(side, mass) < 2 * usual);
    }
}

void check_far_targets(const Machine& machine)
{
    const Particles p = cube_of(1000, 1, 1e-3);
    const FieldSources sources{p.size(), view_of(std::span(p.position)),
                               view_of(std::span(p.mass))};
    for (const Precision precision : {Precision::single_precision, Precision::double_precision})
        for (const SolverKind kind : {SolverKind::tree, SolverKind::direct})
            for (const SofteningKind softening : {SofteningKind::plummer, SofteningKind::spline}) {
                SolverOptions o = options_for(machine);
                o.solver = kind;
                o.precision = precision;
                o.gravitational_constant = 2;
                if (softening == SofteningKind::spline)
                    o.softening = {softening, 0.01};
                const auto field = make_field_solver(o);
                field->build(sources);
                for (double away = 1e3; away < 1e60; away *= 10)
                    for (const bool alone : {true, false}) {
                        CAPTURE(away);
                        CAPTURE(alone);
                        std::vector<Vec3<double>> points{{away, 0.1 * away, 0}};
                        if (!alone)
                            points.insert(points.begin(), {0.5, 0.5, 1.5});
                        std::vector<Vec3<double>> a(points.size());
                        std::vector<double> phi(points.size());
                        field->evaluate({points.size(), view_of(std::span(points))},
                                        {view_of(std::span(a)), view_of(std::span(phi))});
                        for (std::size_t k = 0; k < points.size(); ++k) {
                            LongVec exact = long_sum(p, points[k], p.size(), 0);
                            exact = {2 * exact.x, 2 * exact.y, 2 * exact.z};
                            const bool near = k + 1 < points.size();
                            CHECK(relative_error(a[k], exact) < (near ? 1e-3 : 3e-6));
                            if (!near)
                                CHECK(phi[k] * norm_of_any_size(points[k]) ==
                                      doctest::Approx(-2).epsilon(1e-3));
                        }
                    }
            }
    // Masses with both signs have no usable moments.
    Particles both = p;
    for (std::size_t i = 0; i < both.size(); i += 3)
        both.mass[i] = -both.mass[i];
    SolverOptions o = options_for(machine);
    o.solver = SolverKind::direct;
    const auto field = make_field_solver(o);
    field->build({both.size(), view_of(std::span(both.position)), view_of(std::span(both.mass))});
    for (const double away : {1e6, 1e12, 1e18}) {
        CAPTURE(away);
        std::vector<Vec3<double>> points{{0.5, 0.5, 1.5}, {away, 0, 0}}, a(2);
        field->evaluate({2, view_of(std::span(points))}, {view_of(std::span(a))});
        for (std::size_t k = 0; k < 2; ++k)
            CHECK(relative_error(a[k], long_sum(both, points[k], both.size(), 0)) < 1e-5);
    }
}

void check_overflow(const Machine& machine)
{
    for (const double mass : {1e307, 1e308}) {
        CAPTURE(mass);
        Particles p = cube_of(1000, 1, 1e-3);
        p.mass[10] = mass;
        const FieldSources sources{p.size(), view_of(std::span(p.position)),
                                   view_of(std::span(p.mass))};
        for (const SolverKind kind : {SolverKind::tree, SolverKind::direct}) {
            SolverOptions o = options_for(machine);
            o.solver = kind;
            o.softening.length = 0.1;
            const auto field = make_field_solver(o);
            std::vector<Vec3<double>> a(p.size());
            CHECK_THROWS_AS(
                (field->build(sources), field->evaluate_sources({}, {view_of(std::span(a))})),
                Error);
            CHECK_THROWS_AS(make_solver(o)->solve(p, Quantities::acceleration), Error);
        }
    }
}

void check_cancelling_line(const Machine& machine)
{
    const auto part = [&](const Particles& particles) {
        Particles p = particles;
        const auto solver = make_solver(options_for(machine));
        const ForceStatistics first = solver->solve(p, Quantities::acceleration);
        CHECK_FALSE(solver->solve(p, Quantities::acceleration).cancelling_part);
        return first.cancelling_part.value_or(-1);
    };
    Particles line = cube_of(600, 1, 1);
    for (std::size_t i = 0; i < line.size(); ++i)
        line.position[i] = {double(i), 0, 0};
    CHECK(part(line) > 0.1);
    const double usual = part(plummer(20000));
    CHECK(usual >= 0);
    CHECK(usual < 0.01);
    CHECK(part(cube_of(20000, 1, 1)) < 0.01);
}

} // namespace chamomile::tests
