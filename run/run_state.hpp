/// \file  The content of a checkpoint in addition to the simulation state: options of the run and
/// properties of its particles.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "chamomile/core/files/archive.hpp"
#include "chamomile/core/options/quantity.hpp"
#include "chamomile/force/solver.hpp"
#include "chamomile/io/checkpoint/checkpoint_file.hpp"
#include "chamomile/io/facts_archive.hpp"

namespace chamomile {

/// A RunOrigin holds the options and choices of a run.
struct RunOrigin {
    /// The given options, except those that each start must repeat.
    std::map<std::string, std::string> options = {};
    std::string input = {};   ///< file of initial conditions, or empty
    std::string version = {}; ///< version and command that wrote the checkpoint
    std::string command = {};
    double start_time = 0;
    SolverOptions forces = {};                     ///< with device and instruction set
    std::map<std::string, std::string> files = {}; ///< external potentials: file names and contents

    void exchange(Archive& archive);
};

/// Returns the units of the particles in a checkpoint, with h if comoving.
UnitFrame unit_frame_of(CheckpointReader& archive);

/// Restores the choices of the earlier run, for bitwise equal results. The instruction set is
/// restored only if any is allowed. Returns notes on choices that this machine does not support.
std::vector<std::string> restore_choices(const RunOrigin& origin, SolverOptions& solver,
                                         bool any_instruction_set);

} // namespace chamomile
