/// \file  Behaviours of jerks on every machine, and spheres evolved with jerks.
#pragma once

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "chamomile/initial/models/plummer.hpp"
#include "chamomile/integrate/hermite.hpp"
#include "chamomile/integrate/simulation.hpp"
#include "tests/unit/reference_jerk.hpp"
#include "tests/unit/within.hpp"

namespace chamomile::tests {

inline SolverOptions direct_sums(double eps, const std::string& device = "cpu",
                                 Precision precision = Precision::double_precision)
{
    SolverOptions options;
    options.solver = SolverKind::direct;
    options.precision = precision;
    options.softening = {SofteningKind::plummer, eps};
    options.device = device;
    return options;
}

inline Particles sphere(std::uint64_t n)
{
    return make_plummer({.particles = n}).particles;
}

struct Result {
    Particles end;
    double energy_error = 0; ///< dE/E at the end
    std::uint64_t steps = 0;
    HermiteReport report;
};

/// Makes Hermite steps up to t.
inline Result evolve(JerkSolver& solver, Particles particles, double t,
                     const HermiteOptions& options)
{
    Hermite hermite(solver, options);
    Simulation simulation(particles, hermite, 0, t);
    double first = 0;
    simulation.at_intervals(t, Quantities::acceleration_potential, [&](Simulation& now) {
        if (now.step() == 0)
            first = now.diagnostics().energy();
    });
    simulation.run();
    const double last = simulation.diagnostics().energy();
    return {particles, last / first - 1, simulation.step(), hermite.report()};
}

/// Checks that sums for some of 597 sources agree with plain loops: without softening, with one
/// length, and with per-particle lengths by both rules.
inline void check_jerk_sums(const std::string& device, const std::string& set = "auto")
{
    const Particles p = sphere(597);
    std::vector<MovingSource> sources;
    for (std::size_t i = 0; i < p.size(); ++i)
        sources.push_back({p.position[i], p.velocity[i], double(1 + i % 3) * p.mass[i]});
    std::vector<Index> active;
    for (Index i = 3; i < 597; i += 1 + i % 7)
        active.push_back(i);
    std::vector<double> own;
    for (std::size_t i = 0; i < sources.size(); ++i)
        own.push_back(i % 50 == 0 ? 0 : i % 3 ? 0.02 : 0.3);
    struct Lengths {
        const char* name;
        double eps;
        SofteningRule rule;
        std::span<const double> own;
    };
    const Lengths cases[] = {{"none", 0, SofteningRule::larger, {}},
                             {"one", 0.05, SofteningRule::larger, {}},
                             {"the larger", 0, SofteningRule::larger, own},
                             {"the root of squares", 0, SofteningRule::root_of_squares, own}};
    std::vector<JerkSum> sums(active.size()), expected(active.size());
    for (const auto& [name, eps, rule, softening] : cases)
        for (Precision precision : {Precision::double_precision, Precision::single_precision}) {
            CAPTURE(std::string(name));
            SolverOptions options = direct_sums(eps, device, precision);
            options.softening.rule = rule;
            options.instruction_set = set;
            options.gravitational_constant = 4.3;
            ReferenceJerk(eps, 4.3, rule).solve(sources, softening, active, expected);
            const ForceStatistics s =
                make_jerk_solver(options)->solve(sources, softening, active, sums);
            CHECK(s.targets == active.size());
            CHECK(s.particle_particle == active.size() * sources.size());
            const double limit = precision == Precision::double_precision ? 1e-13 : 3e-6;
            for (std::size_t k = 0; k < active.size(); ++k) {
                const JerkSum &a = sums[k], &b = expected[k];
                CHECK(norm(a.acceleration - b.acceleration) <= limit * norm(b.acceleration));
                CHECK(norm(a.jerk - b.jerk) <= limit * norm(b.jerk));
                CHECK(a.potential == within(limit, b.potential));
            }
        }
}

} // namespace chamomile::tests
