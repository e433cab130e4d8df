// Batches of small systems in C.
#include <doctest/doctest.h>

#include "tests/unit/batch_behaviours.hpp"
#include "tests/unit/c_context.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("c_batch");

namespace {

struct BatchCall {
    BatchSystems systems{{4, 6}};
    BatchSums sums{10};
    std::vector<std::int64_t> offsets{0, 4, 10};
    chm_systems given{2,
                      offsets.data(),
                      0,
                      chm_vectors(&systems.position[0].x),
                      chm_vectors(&systems.velocity[0].x),
                      chm_numbers(systems.mass.data()),
                      {}};
    chm_results results{chm_vectors(&sums.acceleration[0].x),
                        chm_numbers(sums.potential.data()),
                        {},
                        chm_vectors(&sums.jerk[0].x)};
};

} // namespace

TEST_CASE("a context solves and advances batches as a BatchSolver does, and keeps its sources")
{
    BatchCall call;
    Context c;
    c.exact();
    c.set("softening", "0.1");
    build(c, call.systems.particles(1));
    REQUIRE(chm_solve_batch(c, &call.given, &call.results) == CHM_OK);
    BatchSystems systems({4, 6});
    BatchSums sums(10);
    BatchSolver solver(direct_sums(0.1));
    solver.evaluate(systems.batch(), sums.results());
    CHECK(call.sums.acceleration == sums.acceleration);
    CHECK(call.sums.potential == sums.potential);
    CHECK(call.sums.jerk == sums.jerk);
    chm_run_stats stats;
    REQUIRE(chm_stats(c, &stats) == CHM_OK);
    CHECK(stats.sources == 10);
    CHECK(stats.particle_particle == 52);

    const double steps[] = {0.01, 0.02};
    for (const int scheme : {CHM_LEAPFROG, CHM_HERMITE}) {
        REQUIRE(chm_advance_batch(c, &call.given, scheme, 2, steps, 3) == CHM_OK);
        solver.advance(systems.batch(), {BatchScheme(scheme), steps, 3});
        CHECK(call.systems.position == systems.position);
        CHECK(call.systems.velocity == systems.velocity);
    }
    const chm_results field{call.results.acceleration, {}, {}, {}};
    REQUIRE(chm_eval_active(c, 6, nullptr, &field) == CHM_OK);

    call.given.softening = chm_numbers(systems.softening.data()); // of each body
    REQUIRE(chm_solve_batch(c, &call.given, &call.results) == CHM_OK);
    SolverOptions own = direct_sums(0.1);
    own.softening.per_particle = true;
    BatchSolver(own).evaluate(systems.batch(true), sums.results());
    CHECK(call.sums.acceleration == sums.acceleration);
}

TEST_CASE("equal systems need no offsets, and a context with a tree's defaults sums directly")
{
    BatchCall call;
    Context c;
    c.set("softening", "0.1");
    call.given.offsets = nullptr;
    call.given.bodies = 5;
    REQUIRE(chm_solve_batch(c, &call.given, &call.results) == CHM_OK);
    BatchSystems systems({4, 6});
    systems.offsets = {0, 5, 10};
    BatchSums sums(10);
    BatchSolver(direct_sums(0.1, "cpu", Precision::single_precision))
        .evaluate(systems.batch(), sums.results());
    CHECK(call.sums.jerk == sums.jerk);
    call.given.n = 0;
    CHECK(chm_solve_batch(c, &call.given, &call.results) == CHM_OK);
}

TEST_CASE("wrong arguments are refused by name")
{
    BatchCall call;
    Context c;
    c.set("softening", "0.1");
    const auto refused = [&](int status, int expected, const char* what) {
        CHECK(status == expected);
        CAPTURE(c.error());
        CHECK(c.error().find(what) != std::string::npos);
    };
    const auto solve = [&] { return chm_solve_batch(c, &call.given, &call.results); };
    refused(chm_solve_batch(c, nullptr, &call.results), CHM_USAGE, "systems: ");
    refused(chm_solve_batch(c, &call.given, nullptr), CHM_USAGE, "results: ");
    call.offsets = {0, 12, 10};
    refused(solve(), CHM_INPUT, "offsets: 10 after 12: must not decrease");
    call.offsets = {0, 10, 10};
    refused(solve(), CHM_INPUT, "offsets: system 1: empty");
    call.offsets = {0, -4, 10};
    refused(solve(), CHM_USAGE, "offsets: -4");
    call.offsets = {0, 4, 10};
    const chm_results right = call.results;
    call.results.acceleration = call.given.position;
    refused(solve(), CHM_USAGE, "must not overlap");
    call.results = right;
    call.given.velocity = {};
    refused(solve(), CHM_USAGE, "velocities: missing");
    const double step = 0.1;
    refused(chm_advance_batch(c, &call.given, CHM_LEAPFROG, 1, &step, 1), CHM_USAGE, "velocity");
    call.given.velocity = chm_vectors(&call.systems.velocity[0].x);
    refused(chm_advance_batch(c, &call.given, 7, 1, &step, 1), CHM_USAGE, "scheme: 7");
    refused(chm_advance_batch(c, &call.given, 0, 3, &step, 1), CHM_INPUT, "step: 3 lengths");
    refused(chm_advance_batch(c, &call.given, 0, 1, nullptr, 1), CHM_USAGE, "step: ");
    refused(chm_advance_batch(c, &call.given, 0, 1, &step, -1), CHM_USAGE, "count: -1");
    c.set("box", "1");
    refused(solve(), CHM_USAGE, "box");
    c.set("box", "0");
    c.set("solver", "tree");
    refused(solve(), CHM_USAGE, "solver tree: must be direct for a batch");
}

TEST_SUITE_END();
