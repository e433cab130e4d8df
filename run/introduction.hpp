/// \file  How a run introduces itself: in its log, on the screen and in the snapshots that it
/// writes.
#pragma once

#include <string>

#include "chamomile/integrate/simulation.hpp"
#include "chamomile/io/snapshot.hpp"
#include "chamomile/run/journal.hpp"

namespace chamomile {

/// What only those know who began the run.
struct RunDescription {
    std::string source = {};  ///< of the particles, such as "model plummer" or a file
    std::string box = {};     ///< where the periodic box comes from; empty of isolated particles
    std::string scheme = {};  ///< of Hermite's scheme, such as "PEC, eta = 0.01"; else empty
    std::string steps = {};   ///< such as "in steps of 0.01"
    std::string options = {}; ///< every option with its value
    std::string command = {}; ///< as it was typed
};

/// Replaces the snapshot's provenance by that of the run; of the earlier one stays what linear
/// theory needs, and by which command and version the initial conditions were made.
void record_provenance(const RunDescription& run, const Integrator& integrator, Snapshot& state);

/// Tells particles, units, forces, device, time and notes, a line each.
void introduce(const RunDescription& run, const Simulation& simulation, const Snapshot& state,
               Journal& journal);

/// Records date, command and threads in the log.
void record_start(const RunDescription& run, Journal& journal);

/// Tells what the solver chooses to keep its AccuracyGoal, if it has one. Keeps a reference to the
/// journal.
void report_choices(SolverOptions& solver, Journal& journal);

} // namespace chamomile
