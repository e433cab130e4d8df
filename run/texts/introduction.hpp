/// \file  The introduction of a run in its log, on the screen and in the snapshots that it writes.
#pragma once

#include <string>

#include "chamomile/integrate/simulation.hpp"
#include "chamomile/io/snapshot.hpp"
#include "chamomile/run/journal.hpp"

namespace chamomile {

/// A RunDescription holds what only the caller of a run knows.
struct RunDescription {
    std::string source = {};  ///< of the particles, such as "model plummer" or a file
    std::string box = {};     ///< where the periodic box comes from; empty of isolated particles
    std::string scheme = {};  ///< of Hermite, such as "PEC, eta = 0.01"; else empty
    std::string steps = {};   ///< such as "in steps of 0.01"
    std::string options = {}; ///< every option with its value
    std::string command = {}; ///< as it was typed
};

/// Replaces the snapshot's provenance by that of the run. Of the earlier provenance, the entries
/// that linear theory needs are kept, and the command and version that made the initial conditions.
void record_provenance(const RunDescription& run, const Integrator& integrator, Snapshot& state);

/// Prints particles, units, forces, device, time and notes, one line each.
void introduce(const RunDescription& run, const Simulation& simulation, const Snapshot& state,
               Journal& journal);

/// Records date, command and threads in the log.
void record_start(const RunDescription& run, Journal& journal);

/// Reports the solver's choices for its AccuracyGoal, if it has one. Keeps a reference to the
/// journal.
void report_choices(SolverOptions& solver, Journal& journal);

} // namespace chamomile
