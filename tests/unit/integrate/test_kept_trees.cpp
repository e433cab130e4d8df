// Trees kept while particles move.
#include <doctest/doctest.h>

#include "chamomile/initial/models/spheres.hpp"
#include "chamomile/integrate/rungs/kept_trees.hpp"
#include "tests/unit/periodic_sets.hpp"
#include "tests/unit/requests.hpp"
#include "tests/unit/restart_runs.hpp"
#include "tests/unit/some_targets.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("kept_trees");

TEST_CASE("a reused tree gives equal bits for resting and equal errors for moving particles")
{
    constexpr double eps = 0.02;
    Particles particles = make_sphere(SphereKind::hernquist, 5000).particles;
    const auto kept = make_solver(tree_options(eps)), built = make_solver(tree_options(eps));
    std::vector<Index> active;
    for (Index i = 0; i < 5000; i += 37)
        active.push_back(i);
    Particles same = particles;
    kept->solve(particles, Quantities::acceleration);
    solve(*kept, particles, {.active = active, .keeps_tree = true});
    built->solve(same, Quantities::acceleration);
    built->solve(same, Quantities::acceleration, active);
    CHECK(same_bits(particles.acceleration, same.acceleration));
    for (double moved : {0.05, 0.5}) {
        for (std::size_t i = 0; i < particles.size(); ++i)
            particles.position[i] += moved * particles.velocity[i];
        const ForceStatistics old = solve(*kept, particles, {.active = active, .keeps_tree = true});
        const double error = rms_error(particles, active, eps);
        const ForceStatistics anew = built->solve(particles, Quantities::acceleration, active);
        const double usual = rms_error(particles, active, eps);
        MESSAGE("moved by " << moved << " v: rms error " << error << ", new tree " << usual
                            << "; pairs " << old.particle_particle + old.particle_cell << ", "
                            << anew.particle_particle + anew.particle_cell);
        CHECK(error < 1.3 * usual);
        CHECK(error < 1e-3);
        CHECK(error > 0);
    }
    // Other particles cannot use its cells.
    Particles fewer = particles;
    fewer.resize(777);
    solve(*kept, fewer, {.keeps_tree = true});
    std::vector<Index> all(777);
    for (Index i = 0; i < 777; ++i)
        all[i] = i;
    CHECK(rms_error(fewer, all, eps) < 2e-3);
}

TEST_CASE("in a periodic box a reused tree follows particles across box sides")
{
    Particles particles = periodic_sets(4000)[1].particles;
    std::vector<Index> active;
    for (Index i = 0; i < particles.size(); i += 7)
        active.push_back(i);
    SolverOptions options;
    options.device = "cpu";
    options.softening.length = 0.002;
    options.box = 1;
    const auto kept = make_solver(options), built = make_solver(options);
    options.solver = SolverKind::direct;
    const auto exact = make_solver(options);
    kept->solve(particles, Quantities::acceleration);
    for (const double shift : {0.02, 0.3}) { // common to all particles; each also moves
                                             // individually
        for (std::size_t i = 0; i < particles.size(); ++i) {
            const double own = 1e-3 * double(i % 11) / 11;
            particles.position[i] =
                Periodicity{1}.wrapped(particles.position[i] + Vec3<double>{shift, own, -shift});
        }
        Particles by_kept = particles, by_built = particles, right = particles;
        const ForceStatistics old = solve(*kept, by_kept, {.active = active, .keeps_tree = true});
        const ForceStatistics anew = built->solve(by_built, Quantities::acceleration, active);
        exact->solve(right, Quantities::acceleration);
        CHECK(old.kept_tree);
        CHECK(!anew.kept_tree);
        const auto error = [&](const Particles& found) {
            double sum = 0, all = 0;
            for (const Index i : active) {
                sum += norm_squared(found.acceleration[i] - right.acceleration[i]);
                all += norm_squared(right.acceleration[i]);
            }
            return std::sqrt(sum / all);
        };
        MESSAGE("rms error " << error(by_kept) << ", new tree " << error(by_built));
        CHECK(error(by_kept) < 1.3 * error(by_built));
        const auto pairs = [](const ForceStatistics& s) {
            return double(s.particle_particle + s.particle_cell);
        };
        CHECK(pairs(old) < 1.3 * pairs(anew));
    }
}

namespace {

/// Runs blocks of `stride` in whole steps of 1, with one target. Its lists are a new tree's, longer
/// by `growth` times the age. Returns the number of blocks in the last whole step that kept their
/// tree.
int kept_of(KeptTrees& trees, int whole_steps, double stride, double growth)
{
    constexpr std::uint64_t particles = 1000;
    int kept = 0;
    for (int step = 0; step < whole_steps; ++step) {
        trees.begin();
        kept = 0;
        double built = 0;
        for (int block = 1; block * stride <= 1; ++block) {
            const double now = block * stride;
            ForceStatistics statistics;
            statistics.targets = 1;
            statistics.kept_tree = trees.keeps(-5, now);
            if (statistics.kept_tree)
                ++kept;
            else
                built = now;
            statistics.particle_particle =
                1000 + std::uint64_t(statistics.kept_tree ? growth * (now - built) : 0);
            trees.note(-5, now, statistics, particles);
        }
    }
    return kept;
}

} // namespace

TEST_CASE("trees are reused until longer lists cost more than a new tree")
{
    constexpr double build_cost = 10, stride = 1. / 32; // 10000 pairs
    KeptTrees at_rest(build_cost), slow(build_cost), fast(build_cost), faster(build_cost);
    // At rest: all except the first in a whole step, and one in 65 to measure new lists.
    CHECK(kept_of(at_rest, 10, stride, 0) >= 30);
    const int of_many = kept_of(at_rest, 10, 1. / 256, 0);
    CHECK(of_many >= 250);
    CHECK(of_many <= 253);
    // Equal cost after 8 strides: kept for 4 or 8.
    const int some = kept_of(slow, 10, stride, 10000 / (8 * stride));
    CHECK(some >= 32 * 3 / 4);
    CHECK(some < 30);
    // After half a stride: tried less and less often.
    CHECK(kept_of(fast, 100, stride, 10000 / (0.5 * stride)) <= 1);
    // Forgets the learned rates when particles come to rest.
    CHECK(kept_of(fast, 100, stride, 0) >= 30);
    // And each whole step begins with a new tree.
    faster.begin();
    CHECK_FALSE(faster.keeps(-5, stride));
}

TEST_SUITE_END();
