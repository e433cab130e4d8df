// Random root cubes: a function of seed and number, with errors that do not repeat.
#include <cmath>

#include <doctest/doctest.h>
#include <omp.h>

#include "chamomile/core/error.hpp"
#include "chamomile/force/field.hpp"
#include "chamomile/force/reference_sum.hpp"
#include "chamomile/force/solver.hpp"
#include "chamomile/integrate/simulation.hpp"
#include "chamomile/tree/keys.hpp"
#include "tests/unit/clouds.hpp"
#include "tests/unit/requests.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("decorrelation");

namespace {

SolverOptions options_with(std::optional<std::uint64_t> seed)
{
    SolverOptions o;
    o.device = "cpu";
    o.softening.length = 0.01;
    o.tolerance = 0.02;
    o.decorrelate = seed;
    return o;
}

using Vectors = std::vector<Vec3<double>>;

Vectors accelerations(const Particles& p, std::optional<std::uint64_t> seed, std::uint64_t number)
{
    Particles copy = p;
    const auto solver = make_solver(options_with(seed));
    solve(*solver, copy, {.number = number});
    return copy.acceleration;
}

double correlation(const Vectors& a, const Vectors& b)
{
    double ab = 0, aa = 0, bb = 0;
    for (std::size_t k = 0; k < a.size(); ++k) {
        ab += a[k].x * b[k].x + a[k].y * b[k].y + a[k].z * b[k].z;
        aa += norm(a[k]) * norm(a[k]);
        bb += norm(b[k]) * norm(b[k]);
    }
    return ab / std::sqrt(aa * bb);
}

} // namespace

TEST_CASE("random root cubes contain all particles and differ in place and size")
{
    const Particles p = hernquist(1009);
    const RootCube smallest = bounding_cube(p.position);
    CubePlacement last;
    for (std::uint64_t number = 0; number < 200; ++number) {
        const CubePlacement placement = random_placement(3, number);
        CHECK(placement.growth >= 1.5);
        CHECK(placement.growth < 2);
        CHECK(placement.growth != last.growth);
        CHECK(placement.below.x != placement.below.y);
        const RootCube cube = placed(smallest, placement);
        for (double Vec3<double>::*axis : {&Vec3<double>::x, &Vec3<double>::y, &Vec3<double>::z}) {
            CHECK(cube.low.*axis <= smallest.low.*axis);
            CHECK(cube.low.*axis + cube.size >= smallest.low.*axis + smallest.size * (1 - 1e-15));
        }
        last = placement;
    }
    const RootCube same = placed(smallest, {});
    CHECK(same.low == smallest.low);
    CHECK(same.size == smallest.size);
}

TEST_CASE("forces depend on seed and evaluation number only")
{
    const Particles p = plummer(20011);
    const Vectors first = accelerations(p, 1, 5);
    const int threads = omp_get_max_threads();
    omp_set_num_threads(1);
    CHECK(accelerations(p, 1, 5) == first);
    omp_set_num_threads(threads);
    CHECK(accelerations(p, 1, 6) != first);
    CHECK(accelerations(p, 2, 5) != first);
    CHECK(accelerations(p, {}, 5) != first);
    CHECK(accelerations(p, {}, 5) == accelerations(p, {}, 6));
    const auto solver = make_solver(options_with(1));
    Particles copy = p;
    for (int number = 0; number <= 5; ++number) // counted by the solver
        solver->solve(copy, Quantities::acceleration);
    CHECK(copy.acceleration == first);
}

TEST_CASE("each build of a field draws a new root cube, like each solver evaluation")
{
    Particles p = plummer(20011);
    const auto field = make_field_solver(options_with(1));
    for (int number = 0; number < 3; ++number) {
        field->build({p.size(), view_of(std::span(p.position)), view_of(std::span(p.mass))});
        Vectors a(p.size());
        field->evaluate_sources({}, {view_of(std::span(a))});
        CHECK(a == accelerations(p, 1, number));
    }
}

TEST_CASE("root cubes follow the step number: an energy measurement changes no bit")
{
    Particles seen = plummer(2003), unseen = seen;
    for (Particles* p : {&seen, &unseen}) {
        const auto solver = make_solver(options_with(7));
        SimulationOptions time;
        time.end_time = 0.25;
        time.step.length = 0.03125;
        Simulation simulation(*p, *solver, time);
        if (p == &seen)
            simulation.after_each_step([](Simulation& now) { now.diagnostics(); });
        simulation.run();
    }
    CHECK(seen.position == unseen.position);
    CHECK(seen.acceleration == unseen.acceleration);
}

TEST_CASE("different seeds give uncorrelated force errors")
{
    const Particles p = plummer(20011);
    const std::vector<Index> targets = sample_targets(p.size(), 1500);
    const ReferenceSums exact = reference_sum(p, targets, {SofteningKind::plummer, 0.01}, 1);
    const auto errors = [&](std::optional<std::uint64_t> seed, std::uint64_t number) {
        const Vectors all = accelerations(p, seed, number);
        Vectors errors;
        for (std::size_t k = 0; k < targets.size(); ++k) // relative, so few particles cannot
                                                         // dominate
            errors.push_back((1 / norm(exact.acceleration[k])) *
                             (all[targets[k]] - exact.acceleration[k]));
        return errors;
    };
    CHECK(correlation(errors({}, 0), errors({}, 1)) == doctest::Approx(1));
    CHECK(std::abs(correlation(errors(1, 0), errors(2, 0))) < 0.1);
    CHECK(std::abs(correlation(errors(1, 0), errors(1, 1))) < 0.1);
    CHECK(std::abs(correlation(errors({}, 0), errors(1, 1))) < 0.1);
}

TEST_CASE("decorrelation without a tree is refused")
{
    SolverOptions o = options_with(1);
    o.solver = SolverKind::direct;
    CHECK_THROWS_WITH_AS(make_solver(o), "decorrelate: needs solver tree", Error);
}

TEST_SUITE_END();
