// Periodic boxes on several ranks with GPUs: forces within an rms of 2e-6 of one rank's on one GPU.
// Ranks share the first GPU, or use one GPU each if several exist.
#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

#include "chamomile/integrate/comoving_clock.hpp"
#include "chamomile/integrate/scheme.hpp"
#include "chamomile/integrate/simulation.hpp"
#include "tests/unit/error_line.hpp"
#include "tests/unit/failing_rank.hpp"
#include "tests/unit/gpu/cards.hpp"
#include "tests/unit/periodic_sets.hpp"
#include "tests/unit/rank_series.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("gpu_rank_boxes");

namespace {

constexpr double promised = 2e-6;

SolverOptions box_options()
{
    SolverOptions options;
    options.device = "gpu:0";
    options.box = 1;
    options.softening.length = 1e-3;
    return options;
}

Particles solved(Particles p, const SolverOptions& options)
{
    const auto solver = make_solver(options);
    for (int k = 0; k < 2; ++k) // cuts follow the previous work
        solver->solve(p, Quantities::acceleration_potential);
    return p;
}

void check_near(const Particles& p, const SolverOptions& options, double error = 1)
{
    const Particles one = solved(p, options);
    for (const Cards& cards : all_cards()) {
        CAPTURE(cards.device);
        CAPTURE(cards.ranks);
        const Particles several = solved(p, cards.given(options));
        CHECK(rms(several.acceleration, one.acceleration) < promised * error);
        CHECK(rms(several.potential, one.potential) < promised * error);
    }
}

/// Checks the evaluations of individual steps.
void check_blocks_near(const Particles& p, const SolverOptions& options)
{
    const Series one = evaluate_blocks(p, *make_solver(options));
    for (const Cards& cards : all_cards()) {
        CAPTURE(cards.device);
        CAPTURE(cards.ranks);
        const Series several = evaluate_blocks(p, *make_solver(cards.given(options)));
        for (std::size_t k = 0; k < one.after.size(); ++k) {
            CAPTURE(k);
            CHECK(rms(several.after[k].acceleration, one.after[k].acceleration) < promised);
        }
    }
}

} // namespace

TEST_CASE("forces in a box on ranks agree with one rank for all meshes and sets")
{
    struct Way {
        int mesh;
        Precision precision;
    };
    for (const PeriodicSet& set : periodic_sets(20011))
        for (const Way& way : {Way{0, Precision::single_precision},
                               {27, Precision::single_precision},
                               {96, Precision::single_precision},
                               {27, Precision::double_precision}}) {
            CAPTURE(set.name);
            CAPTURE(way.mesh);
            CAPTURE(int(way.precision));
            SolverOptions options = box_options();
            options.precision = way.precision;
            options.periodic.mesh = way.mesh;
            check_near(set.particles, options, set.error);
        }
}

TEST_CASE("forces and imports in a box on ranks agree with the processor's")
{
    SolverOptions options = box_options();
    options.leaf_size = 24;
    for (const PeriodicSet& set : periodic_sets(9973))
        for (const auto& [group, cluster] :
             {std::pair(200, 8), std::pair(32, 1)}) { // few or many regions
            CAPTURE(set.name);
            CAPTURE(group);
            options.group_size = group; // equal lists
            options.cluster_size = cluster;
            Particles there = set.particles, here = set.particles;
            const auto host = make_solver(Cards{"cpu", 3, false}.given(options)),
                       gpu = make_solver(Cards{"gpu:0", 3, true}.given(options));
            for (int k = 0; k < 3; ++k) { // the first imports by estimates of accelerations
                CAPTURE(k);
                for (Particles* p : {&there, &here})
                    for (Vec3<double>& x : p->position)
                        x.y += k == 2 ? 0.3 * options.box : 0; // other rows of the mesh
                const auto from_host = host->solve(there, Quantities::acceleration_potential),
                           from_gpu = gpu->solve(here, Quantities::acceleration_potential);
                CHECK(rms(here.acceleration, there.acceleration) < promised * set.error);
                CHECK(rms(here.potential, there.potential) < promised * set.error);
                CHECK(from_gpu.ranks->imported_cells == from_host.ranks->imported_cells);
            }
        }
}

TEST_CASE("criteria, Ewald modes and trees of the host agree with one rank in a box")
{
    const Particles p = periodic_sets(20011)[1].particles;
    for (const Criterion criterion :
         {Criterion::geometric, Criterion::relative, Criterion::minimum_distance}) {
        CAPTURE(int(criterion));
        SolverOptions options = box_options();
        options.criterion = criterion;
        check_near(p, options);
    }
    SolverOptions options = box_options();
    options.tree_built_by = TreeBuiltBy::host;
    check_near(p, options);
    options = box_options();
    options.periodic.long_range = LongRangeKind::modes;
    check_near(p, options);
}

TEST_CASE("ranks that cannot read each other's memory have the same forces in a box")
{
    const Particles p = periodic_sets(20011)[1].particles;
    for (const Precision precision : {Precision::single_precision, Precision::double_precision}) {
        CAPTURE(int(precision));
        SolverOptions options = Cards{"gpu:0", 3, true}.given(box_options());
        options.precision = precision;
        Particles threads = p, apart = p;
        make_solver(options)->solve(threads, Quantities::acceleration_potential);
        options.own_ranks = 0;
        run_ranks(3, [&](Communicator& own) {
            FailingRank never(own, -1, false); // does not share memory
            if (own.rank() > 0)
                return serve_solver(never);
            options.ranks = &never;
            make_solver(options)->solve(apart, Quantities::acceleration_potential);
            end_serving(never);
        });
        CHECK(apart.acceleration == threads.acceleration);
        CHECK(apart.potential == threads.potential);
    }
}

TEST_CASE("coincident particles in a box are named after the mesh took the memory of rows")
{
    Particles p = periodic_sets(200003)[0].particles;
    p.position[700] = p.position[20];
    SolverOptions options = box_options();
    options.softening.length = 0;
    const auto line = [&](const SolverOptions& given) {
        return error_line([&] { make_solver(given)->solve(p, Quantities::acceleration); });
    };
    const std::string of_one = line(options);
    CHECK(!of_one.empty());
    CHECK(line(Cards{"gpu:0", 3, true}.given(options)) == of_one);
}

TEST_CASE("kept cells and few targets in a box agree with one rank")
{
    check_blocks_near(periodic_sets(20011)[1].particles, box_options());
    for (const SofteningKind kind : {SofteningKind::plummer, SofteningKind::spline}) {
        CAPTURE(int(kind));
        SolverOptions options = box_options();
        options.softening = {kind, 1e-3};
        options.softening.per_particle = true;
        Particles p = periodic_sets(20011)[2].particles;
        for (std::size_t i = 0; i < p.size(); ++i)
            p.softening.push_back(i % 3 ? 0.001 : 0.003);
        for (std::size_t i = p.size() - 400; i < p.size(); ++i)
            p.mass[i] = 0;
        check_blocks_near(p, options);
    }
}

TEST_CASE("a comoving box on ranks with GPUs moves like one rank, across the faces")
{
    const ComovingClock clock({.hubble_rate = 2, .physical_softening = 4e-3});
    for (const bool individual : {false, true})
        for (const BlockScheme blocks : {BlockScheme::all, BlockScheme::hierarchical}) {
            if (!individual && blocks != BlockScheme::all)
                continue;
            CAPTURE(individual);
            CAPTURE(int(blocks));
            Scheme scheme;
            scheme.individual = individual;
            scheme.adaptive = !individual;
            scheme.criterion = StepCriterion::softening;
            scheme.block_scheme = blocks;
            const auto end = [&](const SolverOptions& options) {
                Particles p = periodic_sets(9973)[2].particles;
                for (std::size_t i = 0; i < p.size(); ++i)
                    p.velocity[i] = {0.02, -0.01, 0.02};
                const IntegratorWithSolver made = make_integrator(options, scheme, clock);
                Simulation simulation(p, *made.integrator, std::log(0.1), std::log(0.103));
                simulation.run();
                simulation.fetch();
                return p;
            };
            SolverOptions options = box_options();
            options.softening.length = 0.02;
            const Particles one = end(options);
            for (const Cards& cards : all_cards()) {
                CAPTURE(cards.device);
                CAPTURE(cards.ranks);
                const Particles several = end(cards.given(options));
                double farthest = 0;
                for (std::size_t i = 0; i < one.size(); ++i)
                    farthest = std::max(farthest, norm(Periodicity{1}.nearest(several.position[i] -
                                                                              one.position[i])));
                CHECK(farthest < 1e-5);
                CHECK(rms(several.velocity, one.velocity) < 1e-4);
            }
        }
}

TEST_CASE("diagnostics on ranks with GPUs equal diagnostics on the host")
{
    Scheme scheme;
    scheme.fixed_length = 0.01;
    for (const Cards& cards : all_cards()) {
        CAPTURE(cards.device);
        CAPTURE(cards.ranks);
        Particles p = periodic_sets(9973)[2].particles;
        for (std::size_t i = 0; i < p.size(); ++i)
            p.velocity[i] = {0.1 * double(i % 7), -0.01, 0.02};
        const IntegratorWithSolver made =
            make_integrator(cards.given(box_options()), scheme, Clock::newtonian());
        Simulation simulation(p, *made.integrator, 0, 0.03);
        int compared = 0;
        simulation.every_steps(
            1, Quantities::acceleration_potential,
            [&](Simulation& now) {
                const Diagnostics there = now.diagnostics();
                now.fetch();
                const Diagnostics here = diagnose(now.particles());
                CHECK(there.kinetic == here.kinetic);
                CHECK(there.potential == here.potential);
                CHECK(there.momentum == here.momentum);
                CHECK(there.internal_kinetic == here.internal_kinetic);
                CHECK(there.lagrangian_radii == here.lagrangian_radii);
                ++compared;
            },
            Simulation::LooksAt::rows);
        simulation.run();
        CHECK(compared == 4);
    }
}

TEST_CASE("a mesh with fewer planes than ranks is refused on GPUs")
{
    SolverOptions options = Cards{"gpu:0", 17, true}.given(box_options());
    options.periodic.mesh = 16;
    Particles p = periodic_sets(300)[0].particles;
    CHECK(error_line([&] { make_solver(options)->solve(p, Quantities::acceleration); }) ==
          "mesh: 16: must be at least the number of ranks, 17");
}

TEST_SUITE_END();
