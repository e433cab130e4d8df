/// \file  What a checkpoint holds beside the state of the simulation: the options of the run and
/// what its files say about their particles.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "chamomile/core/archive.hpp"
#include "chamomile/force/solver.hpp"
#include "chamomile/io/snapshot.hpp"

namespace chamomile {

/// What a run was told and what it chose.
struct RunOrigin {
    /// Those given, without those that each start gives anew.
    std::map<std::string, std::string> options;
    std::string input;            ///< the file of initial conditions, or empty
    std::string version, command; ///< of the program that wrote the checkpoint
    double start_time = 0;
    SolverOptions forces; ///< device, instruction set and sizes in force

    void exchange(Archive& archive);
};

/// Units, constants, provenance and notes, the background of what is comoving already; not time and
/// particles.
void exchange_properties(Archive& archive, Snapshot& snapshot);

/// Takes over what the run had chosen of itself, so that the bits are the same: its instruction set
/// only if any will do. Returns notes for what is not to be had here.
std::vector<std::string> take_choices(const RunOrigin& origin, SolverOptions& solver,
                                      bool any_instruction_set);

} // namespace chamomile
