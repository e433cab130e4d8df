// Per-particle softening on a GPU: against a plain loop over pairs in double, and against the bits
// of steps on the host.
#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

#include "chamomile/force/reference_sum.hpp"
#include "chamomile/force/solver.hpp"
#include "chamomile/integrate/leapfrog.hpp"
#include "chamomile/integrate/simulation.hpp"
#include "tests/unit/clouds.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("gpu_own_softenings");

namespace {

/// Lengths with two values, mixed (0) or separate (1), or all different (2).
Particles cloud(std::size_t n, int kind)
{
    Particles p = plummer(n);
    Random random(17);
    for (std::size_t i = 0; i < n; ++i) {
        const double different = 0.2 * random();
        p.softening.push_back(kind == 2                                        ? different
                              : (kind == 0 ? i % 3 == 0 : p.position[i].x > 0) ? 0.1
                                                                               : 0.02);
    }
    return p;
}

std::vector<Softening> laws()
{
    std::vector<Softening> all;
    for (const SofteningKind kind : {SofteningKind::plummer, SofteningKind::spline})
        for (const SofteningRule rule : {SofteningRule::larger, SofteningRule::root_of_squares})
            all.push_back({kind, 0, rule, true});
    return all;
}

/// Returns the max error at every `stride`-th target, relative to the sum of |a|.
double error_of(Particles p, const SolverOptions& options, std::size_t stride)
{
    std::vector<Index> targets;
    for (std::size_t i = 0; i < p.size(); i += stride)
        targets.push_back(Index(i));
    make_solver(options)->solve(p, Quantities::acceleration_potential);
    const ReferenceSums exact = reference_sum(p, targets, options.softening, 1);
    double error = 0;
    for (std::size_t k = 0; k < targets.size(); ++k) {
        error = std::max(error, norm(p.acceleration[targets[k]] - exact.acceleration[k]) /
                                    exact.absolute_sum[k]);
        error = std::max(error, std::abs(p.potential[targets[k]] / exact.potential[k] - 1));
    }
    return error;
}

} // namespace

TEST_CASE("direct sums with per-particle softening hold for few and many targets")
{
    for (const std::size_t n : {std::size_t(1201), std::size_t(9973), std::size_t(263001)})
        for (const int kind : {0, 1, 2})
            for (const Softening& law : laws())
                for (const Precision precision :
                     {Precision::single_precision, Precision::double_precision}) {
                    CAPTURE(n);
                    CAPTURE(kind);
                    SolverOptions options;
                    options.softening = law;
                    options.solver = SolverKind::direct;
                    options.precision = precision;
                    options.device = "gpu";
                    CHECK(error_of(cloud(n, kind), options, n / 200) <
                          (precision == Precision::double_precision ? 1e-13 : 2e-6));
                }
}

TEST_CASE("trees with per-particle softening match the host, isolated and periodic")
{
    for (const double box : {0., 1.})
        for (const int kind : {0, 1, 2})
            for (const Softening& law : laws())
                for (const int order : {0, 2, 3, 4}) {
                    if (box > 0 && order > 2)
                        continue;
                    Particles p = box > 0 ? uniform_cube(9973, 9) : cloud(9973, kind);
                    if (box > 0)
                        for (std::size_t i = 0; i < p.size(); ++i)
                            p.softening.push_back(i % 4 ? 0.002 : 0.01);
                    SolverOptions options;
                    options.softening = law;
                    options.order = order;
                    options.box = box;
                    options.group_size = 200; // equal lists
                    options.cluster_size = 8;
                    options.leaf_size = 24;
                    Particles host = p, gpu = p;
                    options.device = "cpu";
                    const auto here =
                        make_solver(options)->solve(host, Quantities::acceleration_potential);
                    options.device = "gpu";
                    const auto there =
                        make_solver(options)->solve(gpu, Quantities::acceleration_potential);
                    CHECK(here.particle_particle == there.particle_particle);
                    CHECK(here.particle_cell == there.particle_cell);
                    double error = 0, whole = 0;
                    for (std::size_t i = 0; i < p.size(); ++i) {
                        error += norm_squared(gpu.acceleration[i] - host.acceleration[i]);
                        whole += norm_squared(host.acceleration[i]);
                    }
                    CHECK(std::sqrt(error / whole) < 2e-6);
                }
}

TEST_CASE("GPU-resident steps with per-particle softening equal host steps bitwise")
{
    for (const SolverKind solver : {SolverKind::tree, SolverKind::direct})
        for (const bool individual : {false, true}) {
            SolverOptions options;
            options.softening = {SofteningKind::plummer, 0.1, SofteningRule::larger, true};
            options.solver = solver;
            options.device = "gpu";
            const auto moved = [&](Residence residence) {
                Particles p = cloud(20000, 0);
                const auto forces = make_solver(options);
                std::optional<Leapfrog> leapfrog;
                if (individual)
                    leapfrog.emplace(*forces,
                                     BlockSteps{.criterion = StepCriterion::softening, .eta = 0.1},
                                     Clock::newtonian(), residence);
                else
                    leapfrog.emplace(*forces, TimeStep{.length = 0.01}, Clock::newtonian(),
                                     residence);
                Simulation simulation(p, *leapfrog, 0, 1e6);
                simulation.after_each_step([](Simulation& s) {
                    if (s.step() == 4)
                        s.stop();
                });
                simulation.run();
                leapfrog->fetch(p);
                return p;
            };
            const Particles host = moved(Residence::host), there = moved(Residence::device);
            CHECK(there.position == host.position);
            CHECK(there.velocity == host.velocity);
        }
}

TEST_SUITE_END();
