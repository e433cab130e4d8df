// A Plummer sphere in equilibrium stays unchanged; a wrong step or G is detected.
#include <algorithm>
#include <cmath>
#include <memory>

#include <doctest/doctest.h>

#include "chamomile/initial/models/plummer.hpp"
#include "chamomile/integrate/leapfrog.hpp"
#include "chamomile/integrate/simulation.hpp"
#include "tests/unit/kick_drift_kick.hpp"
#include "tests/unit/within.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("plummer");

namespace {

struct Figures {
    double energy_error = 0;               ///< largest |dE/E|
    double q_min = 1, q_max = 0;           ///< virial ratio
    double r25_change = 0, r50_change = 0; ///< max change from the infinite model
    double momentum = 0;
};

/// Lagrangian radii of 25 % and 50 % in Henon units.
constexpr double r25 = 0.477806341640549, r50 = 0.768570630659784;

/// Evolves ten time units (3.5 crossing times) with eps = 1/32.
Figures evolve(std::uint64_t n, double dt, SolverKind kind, double G = 1, double first_kick = 0.5)
{
    Particles particles = make_plummer({.particles = n}).particles;
    SolverOptions options;
    options.solver = kind;
    options.softening = {SofteningKind::plummer, 1.0 / 32};
    options.gravitational_constant = G;
    options.device = "cpu";
    if (kind == SolverKind::direct)
        options.precision = Precision::double_precision;
    const std::unique_ptr<Solver> solver = make_solver(options);
    Simulation simulation(particles, *solver, {.end_time = 10, .step = {.length = dt}});
    Figures figures;
    std::optional<Diagnostics> start;
    simulation.every_steps(16, Quantities::acceleration_potential, [&](Simulation& now) {
        const Diagnostics& d = now.diagnostics();
        if (!start)
            start = d;
        figures.energy_error =
            std::max(figures.energy_error, std::abs(d.energy() / start->energy() - 1));
        figures.q_min = std::min(figures.q_min, d.virial_ratio());
        figures.q_max = std::max(figures.q_max, d.virial_ratio());
        figures.r25_change =
            std::max(figures.r25_change, std::abs(d.lagrangian_radii[1] / r25 - 1));
        figures.r50_change =
            std::max(figures.r50_change, std::abs(d.lagrangian_radii[2] / r50 - 1));
        figures.momentum = norm(d.momentum);
    });
    if (first_kick != 0.5)
        simulation.after_each_step([&](Simulation&) { kick(particles, (first_kick - 0.5) * dt); });
    simulation.run();
    MESSAGE("N = " << n << ": dE/E " << figures.energy_error << ", Q " << figures.q_min << " to "
                   << figures.q_max << ", r25 " << figures.r25_change << ", r50 "
                   << figures.r50_change << ", momentum " << figures.momentum);
    return figures;
}

bool keeps_energy(const Figures& figures)
{
    return figures.energy_error < 5e-4;
}

bool stays_virialised(const Figures& figures)
{
    return figures.q_min > 0.48 && figures.q_max < 0.52;
}

bool keeps_its_shape(const Figures& figures)
{
    return figures.r50_change < 0.03 && figures.r25_change < 0.05;
}

} // namespace

TEST_CASE("a tree keeps a Plummer sphere of 4096 particles in equilibrium")
{
    const Figures right = evolve(4096, 1.0 / 64, SolverKind::tree);
    CHECK(keeps_energy(right));
    CHECK(stays_virialised(right));
    CHECK(keeps_its_shape(right));
    CHECK(right.momentum < 10 * 1e-4);

    const Figures strong = evolve(4096, 1.0 / 64, SolverKind::tree, 1.15);
    CHECK_FALSE(stays_virialised(strong));
    CHECK_FALSE(keeps_its_shape(strong));
    CHECK_FALSE(keeps_energy(evolve(4096, 1.0 / 64, SolverKind::tree, 1, 0.53)));
}

TEST_CASE("direct sums of 1024 particles: the energy error falls with the step squared")
{
    const Figures coarse = evolve(1024, 1.0 / 64, SolverKind::direct);
    const Figures fine = evolve(1024, 1.0 / 128, SolverKind::direct);
    // From another realisation: 4.2e-5 and 9.9e-6, Q within [0.480, 0.519].
    CHECK(coarse.energy_error < 2 * 4.2e-5);
    CHECK(fine.energy_error < 2 * 9.9e-6);
    CHECK_FALSE(coarse.energy_error < 2 * 9.9e-6);
    // From 1/32 to 1/64 and 1/128, errors still fall faster than by 4 (4.5 for the last pair),
    // because terms beyond the square matter; from 1/128 to 1/256 they do not.
    const Figures finest = evolve(1024, 1.0 / 256, SolverKind::direct);
    CHECK(fine.energy_error / finest.energy_error == within(0.1, 4));
    CHECK(fine.q_min > 0.47);
    CHECK(fine.q_max < 0.53);
    CHECK(fine.r50_change < 4 / std::sqrt(1024)); // shot noise
    CHECK(fine.momentum < 1e-15);
}

TEST_SUITE_END();
