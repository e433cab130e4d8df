/// \file  The introduction of a run in its log, on screen and in its snapshots.
#pragma once

#include <string>

#include "chamomile/integrate/simulation.hpp"
#include "chamomile/io/snapshot.hpp"
#include "chamomile/run/journal.hpp"

namespace chamomile {

/// A RunDescription holds facts that only the caller of a run knows.
struct RunDescription {
    std::string source = {};  ///< of the particles, such as "model plummer" or a file
    std::string box = {};     ///< source of the box side; empty for isolated particles
    std::string steps = {};   ///< such as "in steps of 0.01"
    std::string options = {}; ///< every option with its value
};

/// Replaces the snapshot's provenance by the run's. Keeps entries for linear theory, and the
/// command and version that made the initial conditions.
void record_provenance(const RunDescription& run, const std::string& command,
                       const Integrator& integrator, Snapshot& state);

/// Prints particles, units, forces, device, time and notes, one line each.
void introduce(const RunDescription& run, const Simulation& simulation, const Snapshot& state,
               Journal& journal);

/// Records date, command and threads in the log.
void record_start(const std::string& command, Journal& journal);

/// Installs a report of the solver's choices for its AccuracyGoal, if it has one. Keeps a reference
/// to the journal.
void report_choices(SolverOptions& solver, Journal& journal);

} // namespace chamomile
