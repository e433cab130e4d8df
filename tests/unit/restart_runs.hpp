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
#include "tests/unit/clouds.hpp"
#include "tests/unit/pairwise.hpp"

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
    std::vector<std::string> choices; ///< forces, steps, precision, softening and device
    std::function<OwnedIntegrator()> make;

    std::string name() const
    {
        std::string all;
        for (const std::string& choice : choices)
            all += (all.empty() ? "" : ", ") + choice;
        return all;
    }
};

/// Returns some of the ways, in which each two choices meet that meet in one of these.
inline std::vector<WayToMove> pairwise(const std::vector<WayToMove>& ways)
{
    std::vector<std::vector<std::string>> rows;
    for (const WayToMove& way : ways)
        rows.push_back(way.choices);
    std::vector<WayToMove> chosen;
    for (const std::size_t k : covering_pairs(rows))
        chosen.push_back(ways[k]);
    return chosen;
}

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
            // Adds a way by options that get softening and device: make(options).
            const auto add = [&](const char* forces, const char* steps, SolverOptions options,
                                 const auto& make) {
                options.softening = softening;
                options.device = device;
                const bool single = options.precision == Precision::single_precision;
                ways.push_back({{forces, steps, single ? "float" : "double", named.name, device},
                                [=] { return make(options); }});
            };
            const auto leapfrog = [&](const char* forces, const char* steps,
                                      const SolverOptions& options, TimeStep step) {
                add(forces, steps, options, [=](const SolverOptions& given) {
                    OwnedIntegrator owned;
                    owned.solver = wrapped(make_solver(given));
                    owned.integrator = std::make_unique<Leapfrog>(*owned.solver, step);
                    return owned;
                });
            };
            const TimeStep fixed{.length = 1. / 64};
            const TimeStep adaptive{.kind = TimeStepKind::adaptive, .eta = 0.2};
            const TimeStep by_potentials{
                .kind = TimeStepKind::adaptive, .eta = 0.05, .criterion = StepCriterion::potential};
            SolverOptions direct;
            direct.solver = SolverKind::direct;
            for (Precision precision : {Precision::single_precision, Precision::double_precision}) {
                SolverOptions tree;
                tree.precision = direct.precision = precision;
                leapfrog("tree", "fixed", tree, fixed);
                leapfrog("direct", "fixed", direct, fixed);
                leapfrog("tree", "adaptive by potentials", tree, by_potentials);
                if (soft)
                    leapfrog("tree", "adaptive", tree, adaptive);
                if (soft)
                    leapfrog("direct", "adaptive", direct, adaptive);
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
            const auto in_blocks = [&](const char* forces, const char* steps,
                                       const SolverOptions& options, BlockSteps lengths) {
                add(forces, steps, options, [=](const SolverOptions& given) {
                    OwnedIntegrator owned;
                    owned.solver = wrapped(make_solver_with_host(given, 32));
                    owned.integrator = std::make_unique<Leapfrog>(*owned.solver, lengths);
                    return owned;
                });
            };
            const auto comoving = [&](const char* forces, const SolverOptions& options) {
                add(forces, "comoving", options, [=](const SolverOptions& given) {
                    OwnedIntegrator owned;
                    owned.solver = wrapped(make_solver(given));
                    owned.clock =
                        std::make_unique<ComovingClock>(ComovingOptions{.hubble_rate = 1});
                    owned.integrator = std::make_unique<Leapfrog>(
                        *owned.solver, TimeStep{.length = 1. / 64}, *owned.clock);
                    return owned;
                });
            };
            const BlockSteps by_potential{.eta = 0.006, .longest = 1. / 64, .rebuild = 0.5},
                by_softening{.criterion = StepCriterion::softening, .eta = 0.05};
            BlockSteps nested = by_potential, nested_by_softening = by_softening;
            nested.rebuild.reset();
            nested.scheme = nested_by_softening.scheme = BlockScheme::hierarchical;
            for (const auto& [name, options] :
                 {std::pair{"tree", SolverOptions{}}, std::pair{"direct", direct},
                  std::pair{"tree, decorrelated", random}, std::pair{"tree, an accuracy", asked}}) {
                in_blocks(name, "blocks", options, by_potential);
                in_blocks(name, "hierarchical blocks", options, nested);
                if (soft)
                    in_blocks(name, "blocks by softening", options, by_softening);
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
                leapfrog(name, "fixed", options, fixed);
                if (!soft || softening.kind == SofteningKind::spline)
                    continue;
                in_blocks(name, "blocks by softening", options, by_softening);
                in_blocks(name, "hierarchical blocks by softening", options, nested_by_softening);
                comoving(name, options);
            }
            leapfrog("tree, geometric", "fixed", geometric, fixed);
            leapfrog("tree, hexadecapoles", "fixed", high, fixed);
            leapfrog("tree, decorrelated", "fixed", random, fixed);
            leapfrog("tree, an accuracy", "fixed", asked, fixed);
            if (soft && softening.kind == SofteningKind::spline)
                continue;
            const auto on_ranks = [&](const char* forces, const char* steps, SolverOptions options,
                                      RankSteps lengths) {
                options.own_ranks = 3;
                add(forces, steps, options, [=](SolverOptions given) {
                    OwnedIntegrator owned;
                    owned.ranks = make_own_ranks(given, serve_particles);
                    owned.integrator = std::make_unique<LedIntegrator>(given, lengths);
                    return owned;
                });
            };
            if (device == "cpu") {
                on_ranks("tree on 3 ranks", "fixed", {}, fixed);
                on_ranks("direct on 3 ranks", "adaptive by potentials", direct, by_potentials);
                on_ranks("tree on 3 ranks", "blocks", {}, by_potential);
                on_ranks("direct on 3 ranks", "blocks", direct, by_potential);
            }
            const auto hermite = [&](const char* steps, HermiteOptions scheme,
                                     Precision precision) {
                SolverOptions options = direct;
                options.precision = precision;
                add("hermite", steps, options, [=](const SolverOptions& given) {
                    OwnedIntegrator owned;
                    owned.jerks = make_jerk_solver(given);
                    owned.integrator = std::make_unique<Hermite>(*owned.jerks, scheme);
                    return owned;
                });
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
                hermite("blocks", blocks, precision);
            hermite("shared", shared, Precision::double_precision);
            hermite("fixed", even, Precision::double_precision);
            hermite("blocks, P(EC)^2 E", thorough, Precision::double_precision);
            if (device == "gpu") {
                const auto on_card = [&](const char* forces, const char* steps,
                                         const SolverOptions& options, const auto& lengths) {
                    add(forces, steps, options, [=](const SolverOptions& given) {
                        OwnedIntegrator owned;
                        owned.solver = wrapped(make_solver(given));
                        owned.integrator = resident(*owned.solver, lengths);
                        return owned;
                    });
                };
                SolverOptions tree = direct;
                tree.solver = SolverKind::tree;
                on_card("direct, resident", "fixed", direct, fixed);
                on_card("tree, resident", "fixed", tree, fixed);
                on_card("tree, resident", "blocks", tree, by_potential);
                tree.box = boxed.box;
                tree.periodic = boxed.periodic;
                if (soft)
                    on_card("tree and mesh in a box, resident", "blocks by softening", tree,
                            by_softening);
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
