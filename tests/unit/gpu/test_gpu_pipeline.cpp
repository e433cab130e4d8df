// The batch pipeline on the first GPU: permitted dependencies, and persistent state.
#include <cmath>
#include <cstring>

#include <doctest/doctest.h>
#include <omp.h>

#include "chamomile/force/accuracy/direct_sample.hpp"
#include "chamomile/force/gpu.hpp"
#include "chamomile/force/reference_sum.hpp"
#include "tests/unit/clouds.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("gpu_pipeline");

namespace {

bool same(const Particles& a, const Particles& b)
{
    return a.acceleration == b.acceleration && a.potential == b.potential;
}

} // namespace

TEST_CASE("forces match bitwise for any number of threads and any batch size")
{
    const Particles p = hernquist(60013);
    SolverOptions o;
    o.device = "gpu";
    o.softening.length = 0.01;
    const int threads = omp_get_max_threads();
    for (auto [order, local_order] : {std::pair{2, 0}, {2, 5}, {3, 0}, {4, 5}}) {
        o.order = order;
        o.local_order = local_order;
        o.batch_size = 0;
        Particles first = p;
        make_solver(o)->solve(first, Quantities::acceleration_potential);
        for (int n : {1, 4, 16})
            for (int batch : {0, 1, 37, 100000}) {
                omp_set_num_threads(n);
                o.batch_size = batch;
                const auto solver = make_solver(o);
                for (int repeat = 0; repeat < 2; ++repeat) {
                    Particles again = p;
                    solver->solve(again, Quantities::acceleration_potential);
                    CHECK_MESSAGE(same(first, again), n << " threads, batches of " << batch);
                }
            }
        omp_set_num_threads(threads);
    }
}

TEST_CASE("forces match bitwise when few threads reuse their copy slots")
{
    const Particles p = plummer(700001); // 17 blocks of positions, 9 of accelerations
    SolverOptions o;
    o.device = "gpu";
    o.softening.length = 0.01;
    o.tolerance = 0.02;
    Particles first = p;
    make_solver(o)->solve(first, Quantities::acceleration_potential);
    const int threads = omp_get_max_threads();
    for (int n : {1, 3}) {
        omp_set_num_threads(n);
        Particles again = p;
        make_solver(o)->solve(again, Quantities::acceleration_potential);
        CHECK_MESSAGE(same(first, again), n << " threads");
    }
    omp_set_num_threads(threads);
}

TEST_CASE("GPU groups and clusters match the host for all particles and for those of a rung")
{
    constexpr std::size_t n = 150001; // enough for the GPU to split them
    Particles one_place = plummer(n), massless = uniform_cube(n);
    for (std::size_t i = 0; i < 9001; ++i) // more than a cluster has
        one_place.position[i] = one_place.position[0];
    for (std::size_t i = 0; i < n; i += 3)
        massless.mass[i] = 0;
    const auto memory = device_memory(0, n + 7);
    for (Particles& p : std::vector<Particles>{plummer(n), one_place, massless})
        for (const auto& [longest_side, every] :
             {std::pair{Box::infinity, 1}, {0.1, 1}, {Box::infinity, 3}, {0.1, 3}, {0.1, 4000}}) {
            CAPTURE(longest_side);
            CAPTURE(every);
            std::vector<Index> active;
            std::vector<double> levels((n + 7) / 8); // a byte a particle
            for (Index i = 0; i < n; i += Index(every)) {
                active.push_back(i);
                reinterpret_cast<std::uint8_t*>(levels.data())[i] = 2;
            }
            ArrayView there = numbers_at(reinterpret_cast<double*>(memory.get()), sizeof(double));
            there.on_device = true;
            write_to_device(0, levels.data(), levels.size(), there);
            const TreePlan plan{.leaf_size = 32,
                                .groups = {.group = 128,
                                           .cluster = 32,
                                           .longest_side = longest_side,
                                           .few = 0,
                                           .sparse = 1000},
                                .has_no_listed_targets = true,
                                .criterion = AcceptanceCriterion{}};
            std::unique_ptr<TreeBuilder> builders[2]; // hold the lists of targets
            TargetGroups found[2];
            for (const bool on_gpu : {false, true}) {
                auto& builder = builders[on_gpu];
                builder = on_gpu ? make_cuda_parts(0, Precision::single_precision, false,
                                                   TreeBuiltBy::gpu)
                                       .builder
                                 : make_host_tree_builder();
                Tree tree(builder->memory());
                Profile profile;
                builder->build(tree,
                               {n, view_of(std::span(p.position)), view_of(std::span(p.mass))},
                               plan, profile);
                SourceTargets targets;
                if (every > 1 && on_gpu)
                    targets = {.rung = reinterpret_cast<std::uint8_t*>(memory.get()), .first = 2};
                else if (every > 1)
                    targets.active = active;
                builder->make_groups(found[on_gpu], tree, targets, plan.groups);
                builder->finish_nodes(tree, found[on_gpu], profile);
            }
            const auto &a = found[0], &b = found[1];
            CHECK(a.target_count == b.target_count);
            CHECK(std::ranges::equal(a.targets, b.targets));
            REQUIRE(a.groups.size() == b.groups.size());
            REQUIRE(a.clusters.size() == b.clusters.size());
            CHECK(std::memcmp(a.groups.data(), b.groups.data(), a.groups.size() * sizeof(Group)) ==
                  0);
            CHECK(std::memcmp(a.clusters.data(), b.clusters.data(),
                              a.clusters.size() * sizeof(Cluster)) == 0);
        }
}

TEST_CASE("the GPU tree equals the host tree bitwise")
{
    // Lists, and hence interaction counts, depend on moments, nodes and groups.
    for (const Particles& p : {plummer(30011), uniform_cube(20011)})
        for (const Criterion criterion : {Criterion::relative, Criterion::moments,
                                          Criterion::geometric, Criterion::minimum_distance}) {
            SolverOptions o;
            o.order = criterion == Criterion::relative ? 4 : 2;
            o.group_size = 300;
            o.cluster_size = 8;
            o.leaf_size = 20;
            o.criterion = criterion;
            o.theta = 0.7;
            for (const auto seed :
                 {std::optional<std::uint64_t>(), std::optional<std::uint64_t>(5)}) {
                o.decorrelate = seed;
                Particles host = p, gpu = p;
                o.device = "cpu";
                const ForceStatistics a = make_solver(o)->solve(host, Quantities::acceleration);
                o.device = "gpu";
                const ForceStatistics b = make_solver(o)->solve(gpu, Quantities::acceleration);
                CHECK(a.particle_particle == b.particle_particle);
                CHECK(a.particle_cell == b.particle_cell);
                CHECK(a.expansions == b.expansions);
            }
        }
}

TEST_CASE("the GPU meets a requested accuracy")
{
    for (double goal : {1e-2, 1e-4, 1e-5}) {
        Particles p = plummer(100003);
        SolverOptions o;
        o.device = "gpu";
        o.softening.length = 0.001;
        o.accuracy = AccuracyGoal{.error = goal};
        const auto solver = make_solver(o);
        solver->solve(p, Quantities::acceleration);
        std::vector<Index> targets;
        Random random(4711);
        for (int k = 0; k < 3000; ++k)
            targets.push_back(Index(random() * double(p.size())));
        const ReferenceSums exact = reference_sum(p, targets, o.softening, 1);
        std::vector<double> errors;
        for (std::size_t k = 0; k < targets.size(); ++k)
            errors.push_back(norm(p.acceleration[targets[k]] - exact.acceleration[k]) /
                             norm(exact.acceleration[k]));
        const double error = value_at_percentile(errors, 99);
        CHECK(error < goal);
        if (solver->options().solver == SolverKind::tree) // a direct sum may be faster
            CHECK(error > 0.3 * goal);
    }
}

TEST_CASE("a thousand steps leak no device memory")
{
    Particles p = plummer(20011);
    SolverOptions o;
    o.device = "gpu";
    o.softening.length = 0.01;
    const auto solver = make_solver(o);
    double early = 0;
    for (int step = 0; step < 1000; ++step) {
        // The cloud pulsates and shears, so lists grow and shrink.
        const double size = 1 + 0.02 * std::sin(0.1 * step), shear = 0.02 * std::sin(0.037 * step);
        Particles now = p;
        for (auto& x : now.position)
            x = size * Vec3<double>{x.x + shear * x.y, x.y, x.z};
        solver->solve(now,
                      step % 2 ? Quantities::acceleration : Quantities::acceleration_potential);
        if (step == 200)
            early = free_gpu_memory(0);
    }
    CHECK(free_gpu_memory(0) == early);
}

TEST_SUITE_END();
