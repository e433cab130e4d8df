/// \file  The begin of a run, for the program and Python: what its particles complete, and the time
/// loop.
#pragma once

#include <memory>
#include <string>

#include "chamomile/integrate/scheme.hpp"
#include "chamomile/integrate/simulation.hpp"
#include "chamomile/run/run_settings.hpp"

namespace chamomile {

/// Returns the start of a run of these particles in simulation time: ln a if comoving.
double start_of(const CosmologyRequest& cosmology, const Snapshot& state);

/// Completes the background of a comoving snapshot, and returns the run's clock. `source` names the
/// particles in errors. Throws Error(usage) if a given box is not the snapshot's, and like
/// set_background().
std::shared_ptr<const Clock> begin_clock(const CosmologyRequest& cosmology,
                                         const std::string& source, const SolverOptions& forces,
                                         const GivenOptions& given, Snapshot& state);

/// Sets the external field, or none, of a run between two times. Throws Error(usage) if an orbit
/// does not span them.
void begin_field(Scheme& scheme, std::shared_ptr<const ExternalField> field,
                 const SimulationOptions& time);

/// Refuses a limit of the energy error in a field that does not conserve energy.
Refusal refuse_energy_limit(const RunSettings& settings, const ExternalField* field);

/// A TimeLoop is a simulation with its clock and integrator.
struct TimeLoop {
    std::shared_ptr<const Clock> clock;
    IntegratorWithSolver made;
    std::unique_ptr<Simulation> simulation;
};

/// Makes the time loop of a snapshot's particles, which must outlive it. On ranks, particles may
/// stay in their file; otherwise reads them. Throws like make_integrator().
TimeLoop begin_loop(const SolverOptions& forces, const Scheme& scheme,
                    std::shared_ptr<const Clock> clock, Snapshot& state,
                    const SimulationOptions& time);

} // namespace chamomile
