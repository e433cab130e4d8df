/// \file  The content of a checkpoint beside the state of the simulation: the options of the run
/// and the properties of its particles in files.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "chamomile/core/files/archive.hpp"
#include "chamomile/core/options/quantity.hpp"
#include "chamomile/force/solver.hpp"
#include "chamomile/io/checkpoint/checkpoint_file.hpp"
#include "chamomile/io/snapshot.hpp"

namespace chamomile {

/// A RunOrigin holds a run's options and choices.
struct RunOrigin {
    /// The options that were given, without those that each start gives anew.
    std::map<std::string, std::string> options;
    std::string input;            ///< the file of initial conditions, or empty
    std::string version, command; ///< of the program that wrote the checkpoint
    double start_time = 0;
    SolverOptions forces;                          ///< device, instruction set and sizes in force
    std::map<std::string, std::string> files = {}; ///< of external potentials: names and contents

    void exchange(Archive& archive);
};

/// Exchanges units, constants, provenance and notes, and the background of comoving coordinates,
/// but not time and particles.
void exchange_properties(Archive& archive, Snapshot& snapshot);

/// Returns the units of the particles of a checkpoint, and the h of comoving ones.
UnitFrame unit_frame_of(CheckpointReader& archive);

/// Restores the run's own choices, so that the bits are the same; its instruction set only if any
/// is allowed. Returns notes on what this machine lacks.
std::vector<std::string> take_choices(const RunOrigin& origin, SolverOptions& solver,
                                      bool any_instruction_set);

} // namespace chamomile
