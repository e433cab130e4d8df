// Trees that are kept while particles move.
#include <doctest/doctest.h>

#include "io/models/hernquist.hpp"
#include "tests/restart_runs.hpp"
#include "tests/some_targets.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("kept_trees");

TEST_CASE("a kept tree has the bits of a new one where nothing moved, and its errors where all did")
{
    constexpr double eps = 0.02;
    Particles particles = make_hernquist({.particles = 5000}).particles;
    const auto kept = make_solver(tree_options(eps)), built = make_solver(tree_options(eps));
    std::vector<Index> active;
    for (Index i = 0; i < 5000; i += 37)
        active.push_back(i);
    Particles same = particles;
    kept->solve(particles, Quantities::acceleration);
    kept->keep_tree(true);
    kept->solve(particles, Quantities::acceleration, active);
    built->solve(same, Quantities::acceleration);
    built->solve(same, Quantities::acceleration, active);
    CHECK(same_bits(particles.acceleration, same.acceleration));
    for (double moved : {0.05, 0.5}) {
        for (std::size_t i = 0; i < particles.size(); ++i)
            particles.position[i] += moved * particles.velocity[i];
        const ForceStatistics old = kept->solve(particles, Quantities::acceleration, active);
        const double error = rms_error(particles, active, eps);
        const ForceStatistics anew = built->solve(particles, Quantities::acceleration, active);
        const double usual = rms_error(particles, active, eps);
        MESSAGE("moved by " << moved << " v: rms error " << error << ", of a new tree " << usual
                            << "; pairs " << old.particle_particle + old.particle_cell << ", "
                            << anew.particle_particle + anew.particle_cell);
        CHECK(error < 1.3 * usual);
        CHECK(error < 1e-3);
        CHECK(error > 0);
    }
    // Others do not have its cells.
    Particles fewer = particles;
    fewer.resize(777);
    kept->solve(fewer, Quantities::acceleration);
    std::vector<Index> all(777);
    for (Index i = 0; i < 777; ++i)
        all[i] = i;
    CHECK(rms_error(fewer, all, eps) < 2e-3);
}

TEST_SUITE_END();
