/// \file  Runs saved midway and continued, for every way to move particles.
#pragma once

#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "chamomile/force/gpu.hpp"
#include "chamomile/force/lists/hybrid_solver.hpp"
#include "chamomile/force/ranks/domain_solver.hpp"
#include "chamomile/integrate/comoving_clock.hpp"
#include "chamomile/integrate/hermite.hpp"
#include "chamomile/integrate/leapfrog.hpp"
#include "chamomile/integrate/ranks/led_integrator.hpp"
#include "chamomile/integrate/simulation.hpp"
#include "chamomile/io/checkpoint/checkpoint_file.hpp"
#include "tests/clouds.hpp"

namespace chamomile::tests {

/// An OwnedIntegrator is an integrator with the objects it references.
struct OwnedIntegrator {
    std::unique_ptr<Clock> clock;
    std::shared_ptr<const void> ranks;
    std::unique_ptr<Solver> solver;
    std::unique_ptr<JerkSolver> jerks;
    std::unique_ptr<Integrator> integrator;
};

struct WayToMove {
    std::string name;
    std::function<OwnedIntegrator()> make;
};

using WrapSolver = std::function<std::unique_ptr<Solver>(std::unique_ptr<Solver>)>;

/// Returns a leapfrog with particles resident on the solver's GPU.
template <class Steps>
std::unique_ptr<Leapfrog> resident(Solver& solver, const Steps& steps)
{
    return std::make_unique<Leapfrog>(solver, steps, Clock::newtonian(), Residence::device);
}

/// Returns every valid combination of solver, integrator and softening, on the host and the first
/// GPU.
inline std::vector<WayToMove> ways_to_move(const WrapSolver& wrapped = std::identity{})
{
    std::vector<std::string> devices{"cpu"};
    if (!list_gpus().empty())
        devices.push_back("gpu");
    struct NamedSoftening {
        const char* name;
        Softening softening;
    };
    const NamedSoftening softenings[] = {{"plummer", {SofteningKind::plummer, 0.05}},
                                         {"spline", {SofteningKind::spline, 0.05}},
                                         {"no softening", {}}};
    std::vector<WayToMove> ways;
    for (const std::string& device : devices)
        for (const NamedSoftening& named : softenings) {
            const Softening softening = named.softening;
            const bool soft = softening.length > 0;
            const std::string end = std::string(", ") + named.name + ", " + device;
            const auto leapfrog = [&](const std::string& name, SolverOptions options,
                                      TimeStep step) {
                options.softening = softening;
                options.device = device;
                ways.push_back({name + end, [=] {
                                    OwnedIntegrator owned;
                                    owned.solver = wrapped(make_solver(options));
                                    owned.integrator =
                                        std::make_unique<Leapfrog>(*owned.solver, step);
                                    return owned;
                                }});
            };
            const TimeStep fixed{.length = 1. / 64};
            const TimeStep adaptive{.kind = TimeStepKind::adaptive, .eta = 0.2};
            const TimeStep by_potentials{
                .kind = TimeStepKind::adaptive, .eta = 0.05, .criterion = StepCriterion::potential};
            SolverOptions direct;
            direct.solver = SolverKind::direct;
            for (Precision precision : {Precision::single_precision, Precision::double_precision}) {
                const std::string name =
                    precision == Precision::single_precision ? "float" : "double";
                SolverOptions tree;
                tree.precision = direct.precision = precision;
                leapfrog("tree, " + name, tree, fixed);
                leapfrog("direct, " + name, direct, fixed);
                leapfrog("tree, adaptive steps by potentials, " + name, tree, by_potentials);
                if (soft)
                    leapfrog("tree, adaptive steps, " + name, tree, adaptive);
                if (soft)
                    leapfrog("direct, adaptive steps, " + name, direct, adaptive);
            }
            SolverOptions geometric, high, random, asked;
            geometric.criterion = Criterion::geometric;
            high.order = 4;
            high.group_size = 48;
            random.decorrelate = 7;
            // Timing selects method and sizes; fixed here so that two runs agree.
            asked.accuracy = AccuracyGoal{.error = 5e-3,
                                          .check_every = 3,
                                          .criterion = Criterion::moments,
                                          .order = 2,
                                          .local_order = 4};
            asked.group_size = 64;
            asked.leaf_size = 16;
            const auto in_blocks = [&](const std::string& name, SolverOptions options,
                                       BlockSteps steps) {
                options.softening = softening;
                options.device = device;
                ways.push_back({name + end, [=] {
                                    OwnedIntegrator owned;
                                    owned.solver = wrapped(make_solver_with_host(options, 32));
                                    owned.integrator =
                                        std::make_unique<Leapfrog>(*owned.solver, steps);
                                    return owned;
                                }});
            };
            const auto comoving = [&](const std::string& name, SolverOptions options) {
                options.softening = softening;
                options.device = device;
                ways.push_back({"comoving, " + name + end, [=] {
                                    OwnedIntegrator owned;
                                    owned.solver = wrapped(make_solver(options));
                                    owned.clock = std::make_unique<ComovingClock>(
                                        ComovingOptions{.hubble_rate = 1});
                                    owned.integrator = std::make_unique<Leapfrog>(
                                        *owned.solver, TimeStep{.length = 1. / 64}, *owned.clock);
                                    return owned;
                                }});
            };
            const BlockSteps by_potential{.eta = 0.006, .longest = 1. / 64, .rebuild = 0.5},
                by_softening{.criterion = StepCriterion::softening, .eta = 0.05};
            for (const auto& [name, options] :
                 {std::pair{"tree", SolverOptions{}}, std::pair{"direct", direct},
                  std::pair{"tree, decorrelated", random}, std::pair{"tree, an accuracy", asked}}) {
                in_blocks(std::string("blocks, ") + name, options, by_potential);
                if (soft)
                    in_blocks(std::string("blocks by softening, ") + name, options, by_softening);
            }
            SolverOptions boxed, modes, pairs_in_box = direct;
            boxed.box = 8;
            boxed.periodic = {.mesh = 16, .split = 1};
            modes.box = 8;
            modes.periodic = {.long_range = LongRangeKind::modes};
            pairs_in_box.box = 8;
            for (const auto& [name, options] : {std::pair{"tree and mesh in a box", boxed},
                                                std::pair{"tree and modes in a box", modes},
                                                std::pair{"direct, in a box", pairs_in_box}}) {
                leapfrog(name, options, fixed);
                if (!soft || softening.kind == SofteningKind::spline)
                    continue;
                in_blocks(std::string("blocks, ") + name, options, by_softening);
                comoving(name, options);
            }
            leapfrog("tree, geometric", geometric, fixed);
            leapfrog("tree, hexadecapoles", high, fixed);
            leapfrog("tree, decorrelated", random, fixed);
            leapfrog("tree, an accuracy", asked, fixed);
            if (soft && softening.kind == SofteningKind::spline)
                continue;
            const auto on_ranks = [&](const std::string& name, SolverOptions options,
                                      RankSteps steps) {
                options.softening = softening;
                options.device = device;
                options.own_ranks = 3;
                ways.push_back({"on 3 ranks, " + name + end, [=] {
                                    OwnedIntegrator owned;
                                    SolverOptions given = options;
                                    owned.ranks = make_own_ranks(given, serve_particles);
                                    owned.integrator =
                                        std::make_unique<LedIntegrator>(given, steps);
                                    return owned;
                                }});
            };
            if (device == "cpu") {
                on_ranks("tree", {}, fixed);
                on_ranks("direct", direct, by_potentials);
                on_ranks("blocks, tree", {}, by_potential);
                on_ranks("blocks, direct", direct, by_potential);
            }
            const auto hermite = [&](const std::string& name, HermiteOptions scheme,
                                     Precision precision) {
                SolverOptions options = direct;
                options.softening = softening;
                options.device = device;
                options.precision = precision;
                ways.push_back({name + end, [=] {
                                    OwnedIntegrator owned;
                                    owned.jerks = make_jerk_solver(options);
                                    owned.integrator =
                                        std::make_unique<Hermite>(*owned.jerks, scheme);
                                    return owned;
                                }});
            };
            HermiteOptions blocks, shared, even, thorough;
            blocks.below_shortest = BelowShortest::count;
            blocks.shortest = 1e-6;
            shared = blocks;
            shared.sharing = StepSharing::shared;
            even.sharing = StepSharing::shared;
            even.fixed_length = 1. / 256;
            thorough = blocks;
            thorough.iterations = 2;
            thorough.last_evaluation = LastEvaluation::after_correction;
            for (Precision precision : {Precision::double_precision, Precision::single_precision})
                hermite("hermite, blocks", blocks, precision);
            hermite("hermite, shared", shared, Precision::double_precision);
            hermite("hermite, fixed", even, Precision::double_precision);
            hermite("hermite, P(EC)^2 E", thorough, Precision::double_precision);
            if (device == "gpu") {
                SolverOptions options = direct;
                options.softening = softening;
                options.device = device;
                ways.push_back({"resident" + end, [=] {
                                    OwnedIntegrator owned;
                                    owned.solver = wrapped(make_solver(options));
                                    owned.integrator = resident(*owned.solver, fixed);
                                    return owned;
                                }});
                SolverOptions tree = options;
                tree.solver = SolverKind::tree;
                ways.push_back({"resident tree" + end, [=] {
                                    OwnedIntegrator owned;
                                    owned.solver = wrapped(make_solver(tree));
                                    owned.integrator = resident(*owned.solver, fixed);
                                    return owned;
                                }});
                const auto resident_blocks = [&](const std::string& name, SolverOptions options,
                                                 BlockSteps steps) {
                    ways.push_back({name + end, [=] {
                                        OwnedIntegrator owned;
                                        owned.solver = wrapped(make_solver(options));
                                        owned.integrator = resident(*owned.solver, steps);
                                        return owned;
                                    }});
                };
                resident_blocks("resident blocks", tree, by_potential);
                tree.box = boxed.box;
                tree.periodic = boxed.periodic;
                if (soft)
                    resident_blocks("resident blocks in a box", tree, by_softening);
            }
        }
    return ways;
}

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b)
{
    return a.size() == b.size() &&
           (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

inline bool same_bits(const Particles& a, const Particles& b)
{
    return a.size() > 0 && same_bits(a.position, b.position) && same_bits(a.velocity, b.velocity) &&
           same_bits(a.acceleration, b.acceleration) && same_bits(a.potential, b.potential) &&
           same_bits(a.id, b.id) && same_bits(a.mass, b.mass) && same_bits(a.type, b.type);
}

constexpr double end_of_followed = 0.25;

/// Returns a moving set with a close pair for schemes sensitive to it.
inline Particles set_in_motion(std::size_t n = 301)
{
    Particles particles = plummer(n);
    Random random(5);
    for (auto& v : particles.velocity)
        v = on_sphere(random, 0.4 * random());
    return particles;
}

/// A Followed is a run with one way to move and two observers.
struct Followed {
    Particles particles = set_in_motion();
    OwnedIntegrator owned;
    std::unique_ptr<Simulation> simulation;
    std::vector<double> energies;

    explicit Followed(const WayToMove& way) : owned(way.make())
    {
        simulation = std::make_unique<Simulation>(particles, *owned.integrator, 0, end_of_followed);
        constexpr auto potentials = Quantities::acceleration_potential;
        simulation->at_intervals(0.1, potentials, [this](Simulation& now) { note(now); });
        simulation->every_steps(3, Quantities::acceleration,
                                [this](Simulation& now) { note(now); });
    }
    void note(Simulation& now) { energies.push_back(now.diagnostics().energy()); }
};

} // namespace chamomile::tests
