/// \file  Forces of another code, read from a file and judged, for `accuracy --compare`.
#pragma once

#include <string>
#include <vector>

#include "app/measure/accuracy_table.hpp"
#include "app/measure/reference.hpp"
#include "chamomile/force/accuracy/judge.hpp"
#include "chamomile/io/snapshot.hpp"

namespace chamomile::app {

/// A Comparison holds a file of forces and the judgement on it.
struct Comparison {
    std::string file, format;
    std::string matched; ///< such as "10000 of 10000 particles by id"
    Judgement judgement;
    std::vector<std::string> lines; ///< judgement_texts()
    Table worst{{}};                ///< the particles with the largest errors
    std::string reference;          ///< how the exact forces were summed
    AccuracyRows rows;              ///< by stated G and softening; by those found, if they differ
};

/// Reads a file and judges its forces. `solver` states G, softening and box; `known` says which of
/// them options give. Throws Error(input) if no row belongs to a particle.
Comparison compare(const std::string& file, Snapshot& snapshot, const JudgeRequest& known,
                   ReferenceDevice device);

/// Prints lines, bins and the worst particles.
void print_comparison(const Comparison& comparison);

} // namespace chamomile::app
