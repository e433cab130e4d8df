// Softened pair forces from the solvers, against the formulas.
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include "chamomile/force/field.hpp"
#include "tests/unit/clouds.hpp"
#include "tests/unit/plain_sums.hpp"
#include "tests/unit/solvers.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("softening");

namespace {

constexpr double eps = 0.3, mass = 2;

/// Force and potential of a massless body at distance r from a massive one.
struct Pair {
    double acceleration, potential;
};

Pair pair_at(double r, SolverOptions options, double softening_error = 0)
{
    options.softening.length *= 1 + softening_error;
    Particles particles;
    particles.resize(2);
    particles.id = {1, 2};
    particles.mass = {0, mass};
    particles.position = {{0, 0, 0}, {0, r, 0}};
    make_solver(options)->solve(particles, Quantities::acceleration_potential);
    CHECK(particles.acceleration[0].x == 0);
    return {particles.acceleration[0].y, particles.potential[0]};
}

/// Gadget's cubic spline kernel (Springel, Yoshida & White 2001), by integrating the density 8/(pi
/// h^3) (1 - 6 u^2 + 6 u^3 for u < 1/2, 2 (1 - u)^3 up to 1) from Monaghan & Lattanzio (1985): the
/// mass inside u has a closed form.
double spline_mass_inside(double u)
{
    if (u >= 1)
        return 1;
    const auto inner = [](double x) { // 32 int (x^2 - 6 x^4 + 6 x^5) dx
        return 32 * (std::pow(x, 3) / 3 - 6 * std::pow(x, 5) / 5 + std::pow(x, 6));
    };
    const auto outer = [](double x) { // 64 int x^2 (1 - x)^3 dx
        return 64 * (std::pow(x, 3) / 3 - 3 * std::pow(x, 4) / 4 + 3 * std::pow(x, 5) / 5 -
                     std::pow(x, 6) / 6);
    };
    return u <= 0.5 ? inner(u) : inner(0.5) + outer(u) - outer(0.5);
}

bool within(double value, double expected, double limit)
{
    return std::abs(value - expected) <= limit * std::abs(expected);
}

double limit_of(const SolverUnderTest& solver)
{
    return solver.options.precision == Precision::single_precision ? 1e-6 : 1e-13;
}

const std::vector<double> radii{1e-6, 0.5, 1, 2, 2.8, 2.8 * (1 - 1e-7), 2.8 * (1 + 1e-7), 3};

} // namespace

TEST_CASE("Plummer force is m r / (r^2 + eps^2)^(3/2), maximum at eps / sqrt 2")
{
    for (const SolverUnderTest& solver : all_solvers({SofteningKind::plummer, eps})) {
        CAPTURE(solver.name);
        const double limit = limit_of(solver);
        for (double x : radii) {
            const double r = x * eps, u = std::sqrt(r * r + eps * eps);
            const Pair pair = pair_at(r, solver.options), wrong = pair_at(r, solver.options, 0.01);
            CAPTURE(x);
            CHECK(within(pair.acceleration, mass * r / (u * u * u), limit));
            CHECK(within(pair.potential, -mass / u, limit));
            CHECK_FALSE(within(wrong.acceleration, mass * r / (u * u * u), limit));
            CHECK_FALSE(within(wrong.potential, -mass / u, limit));
        }
        const double peak = 0.3849001794597505 * mass / (eps * eps);
        const double at = eps / std::sqrt(2.0);
        CHECK(within(pair_at(at, solver.options).acceleration, peak, limit));
        CHECK(pair_at(0.99 * at, solver.options).acceleration < peak);
        CHECK(pair_at(1.01 * at, solver.options).acceleration < peak);
    }
}

TEST_CASE("spline force counts the mass inside r, Newtonian from 2.8 eps")
{
    for (const SolverUnderTest& solver : all_solvers({SofteningKind::spline, eps})) {
        CAPTURE(solver.name);
        const double limit = 5 * limit_of(solver), h = 2.8 * eps;
        for (double x : radii) {
            CAPTURE(x);
            const double r = x * eps, q = r / h;
            // Near the center the closed form loses its digits; the density is uniform there.
            const double inside = q < 1e-6 ? 32.0 / 3 * q * q * q : spline_mass_inside(q);
            const double expected = mass * inside / (r * r);
            CHECK(within(pair_at(r, solver.options).acceleration, expected, limit));
            if (x < 2.7)
                CHECK_FALSE(within(pair_at(r, solver.options, 0.01).acceleration, expected, limit));
        }
        const double newtonian = mass / (h * h);
        CHECK(within(pair_at(h, solver.options).acceleration, newtonian, limit_of(solver)));
        CHECK(within(pair_at(h, solver.options).potential, -mass / h, limit_of(solver)));
    }
}

TEST_CASE("all kernels have potential -m/eps and no force at the center")
{
    for (const SofteningForm& form : softening_forms)
        for (const SolverUnderTest& solver : all_solvers({form.kind, eps})) {
            CAPTURE(solver.name);
            const Pair pair = pair_at(0, solver.options);
            CHECK(pair.acceleration == 0);
            CHECK(within(pair.potential, -mass / eps, limit_of(solver)));
            CHECK_FALSE(
                within(pair_at(0, solver.options, 0.01).potential, -mass / eps, limit_of(solver)));
        }
}

TEST_CASE("earlier requests do not change the softening of target points")
{
    using Vectors = std::vector<Vec3<double>>;
    using enum SofteningRule;
    for (const SolverKind solver : {SolverKind::direct, SolverKind::tree})
        for (const auto& [kind, word, name, reach] : softening_forms)
            for (const SofteningRule rule : {larger, root_of_squares}) {
                SolverOptions options;
                options.solver = solver;
                options.softening = {kind, 0, rule, true};
                options.precision = Precision::double_precision;
                options.tolerance = 1e-5;
                Particles p = plummer(2003);
                p.softening.assign(p.size(), 0.3);
                const FieldSources sources{p.size(),
                                           view_of(std::span(p.position)),
                                           view_of(std::span(p.mass)),
                                           {},
                                           view_of(std::span(p.softening))};
                const auto field = make_field_solver(options);
                field->build(sources);
                for (Vec3<double>& x : p.position)
                    x = 1.01 * x;
                field->refit(sources); // a new tree has different bits
                const Vectors point{{0.1, 0.2, 0.3}, {-0.2, 0, 0.1}, p.position[5]};
                const std::vector<std::int64_t> self{-1, -1, 5};
                const auto pulls = [&](const ArrayView& own) {
                    Vectors a(3);
                    field->evaluate({3, view_of(std::span(point)), {}, self, own},
                                    {view_of(std::span(a)), {}});
                    return a;
                };
                const auto at_sources = [&] {
                    Vectors a(p.size());
                    field->evaluate_sources({}, {view_of(std::span(a)), {}});
                    return a;
                };
                const std::vector<double> none{0, 0, 0.3}, other{0.6, 0, 0.3};
                const Vectors first = pulls({}), sums = at_sources(),
                              with_other = pulls(view_of(std::span(other)));
                CHECK(pulls({}) == first);
                CHECK(at_sources() == sums);
                for (std::size_t k = 0; k < 3; ++k)
                    for (const auto& [own, found] :
                         {std::pair{none[k], first[k]}, std::pair{other[k], with_other[k]}}) {
                        Vec3<double> a{};
                        for (std::size_t j = 0; j < p.size(); ++j) {
                            const Vec3<double> d = p.position[j] - point[k];
                            const double r = length(d);
                            if (std::int64_t(j) != self[k])
                                a += (p.mass[j] * pull(r, own, 0.3, options.softening).force / r) *
                                     d;
                        }
                        CAPTURE(k);
                        CHECK(length(found - a) <
                              (solver == SolverKind::direct ? 1e-12 : 1e-4) * length(a));
                    }
            }
}

TEST_SUITE_END();
