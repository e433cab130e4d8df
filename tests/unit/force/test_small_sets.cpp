// A second solver for few targets.
#include <doctest/doctest.h>

#include "chamomile/force/lists/hybrid_solver.hpp"
#include "chamomile/initial/models/spheres.hpp"
#include "tests/unit/requests.hpp"
#include "tests/unit/restart_runs.hpp"
#include "tests/unit/snapshot_fixture.hpp"
#include "tests/unit/some_targets.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("small_sets");

TEST_CASE("few targets use the second solver, never with an outdated tree")
{
    constexpr double eps = 0.02;
    Particles particles = make_sphere(SphereKind::hernquist, 3000).particles;
    SolverOptions coarse = tree_options(eps), exact = tree_options(eps);
    coarse.tolerance = 0.05;
    exact.solver = SolverKind::direct;
    exact.precision = Precision::double_precision;
    std::vector<Index> few{5, 17, 900}, many;
    for (Index i = 0; i < 3000; i += 3)
        many.push_back(i);
    const auto joined = join_solvers(make_solver(coarse), make_solver(exact), 10);
    joined->solve(particles, Quantities::acceleration);
    CHECK(rms_error(particles, many, eps) > 1e-4);
    joined->solve(particles, Quantities::acceleration, many);
    CHECK(rms_error(particles, many, eps) > 1e-4);
    joined->solve(particles, Quantities::acceleration, few);
    CHECK(rms_error(particles, few, eps) < 1e-12);

    // Neither solver keeps a tree built before the request to keep none.
    const auto two = [&] { return join_solvers(make_solver(coarse), make_solver(coarse), 10); };
    const auto used = two(), fresh = two();
    Particles a = particles;
    used->solve(a, Quantities::acceleration, few);
    used->solve(a, Quantities::acceleration);
    for (Vec3<double>& x : a.position)
        x = 1.3 * x + Vec3<double>{x.y, 0, -x.x};
    Particles b = a;
    for (Solver* solver : {used.get(), fresh.get()}) {
        Particles& now = solver == used.get() ? a : b;
        solve(*solver, now, {});
        solve(*solver, now, {.active = few, .keeps_tree = true});
        solve(*solver, now, {.active = many, .keeps_tree = true});
    }
    CHECK(same_bits(a.acceleration, b.acceleration));
}

TEST_CASE("the crossover between solvers is measured once and stored")
{
    const TemporaryFolder folder;
    const auto file = folder / "state.chk";
    Particles particles = make_sphere(SphereKind::hernquist, 4000).particles;
    SolverOptions slow = tree_options(0.02);
    slow.solver = SolverKind::direct;
    slow.precision = Precision::double_precision;
    const auto first = join_solvers(make_solver(slow), make_solver(tree_options(0.02)), {});
    const Vec3<double> before = [&] {
        Particles alone = particles;
        make_solver(slow)->solve(alone, Quantities::acceleration);
        return alone.acceleration[7];
    }();
    const ForceStatistics statistics = first->solve(particles, Quantities::acceleration);
    CHECK(statistics.profile.seconds("calibration") > 0);
    CHECK(particles.acceleration[7] == before);
    CHECK(first->solve(particles, Quantities::acceleration).profile.seconds("calibration") == 0);
    write_checkpoint(file, [&](Archive& archive) { first->exchange(archive); });

    const auto second = join_solvers(make_solver(slow), make_solver(tree_options(0.02)), {});
    CheckpointReader archive(file);
    second->exchange(archive);
    CHECK(second->solve(particles, Quantities::acceleration).profile.seconds("calibration") == 0);
    for (std::size_t count : {1u, 20u, 100u, 500u, 900u}) {
        std::vector<Index> active;
        for (Index i = 0; i < count; ++i)
            active.push_back(4 * i);
        Particles a = particles, b = particles;
        first->solve(a, Quantities::acceleration, active);
        second->solve(b, Quantities::acceleration, active);
        CHECK(same_bits(a.acceleration, b.acceleration));
    }
}

TEST_SUITE_END();
