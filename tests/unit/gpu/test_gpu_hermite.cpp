// Hermite's scheme with sums on the first GPU. The suite is skipped without a GPU.
#include <cmath>

#include <doctest/doctest.h>

#include "chamomile/core/error.hpp"
#include "tests/unit/error_line.hpp"
#include "tests/unit/jerk_behaviours.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("gpu_hermite");

TEST_CASE("GPU jerk sums match plain loops")
{
    check_jerk_sums("gpu");
}

TEST_CASE("a sphere without softening keeps its energy with repeatable bits")
{
    const std::unique_ptr<JerkSolver> solver = make_jerk_solver(direct_sums(0, "gpu"));
    const Result first = evolve(*solver, sphere(512), 0.5, {});
    CHECK(std::abs(first.energy_error) < 1e-7);
    CHECK(first.report.particle_steps > 10000);
    const Result again = evolve(*make_jerk_solver(direct_sums(0, "gpu")), sphere(512), 0.5, {});
    CHECK(again.end.position == first.end.position);
    CHECK(again.end.velocity == first.end.velocity);
}

TEST_CASE("coincident particles are refused by both ids")
{
    Particles twins = sphere(40);
    twins.position[31] = twins.position[7];
    const std::string message =
        error_line([&] { evolve(*make_jerk_solver(direct_sums(0, "gpu")), twins, 0.1, {}); });
    CHECK(message.find("equal positions at t = 0") != message.npos);
}

TEST_SUITE_END();
