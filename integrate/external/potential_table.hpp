/// \file  The table of external potentials with their parameters and dimensions, read by the
/// command line, Python and the documents.
///
/// A new formula is a PotentialShape with its pull in term.hpp, its jerk in external_jerk.hpp, and
/// a row here; strengths and lengths of its ExternalTerm are set in potential.cpp.
#pragma once

#include <string>
#include <vector>

#include "chamomile/core/options/dimension.hpp"
#include "chamomile/core/options/range.hpp"
#include "chamomile/integrate/external/term.hpp"

namespace chamomile {

/// When a parameter must be given.
enum class ParameterUse {
    needed,
    usual,  ///< optional, with a default
    chosen, ///< optional: follows from other parameters, or has no effect
    file    ///< a file name; required in a shape's row, optional for a motion
};

struct PotentialParameter {
    std::string name;
    Dimension dimension;
    Range range;
    ParameterUse use;
    std::string help;
    double usual = 0;
};

struct PotentialRow {
    PotentialShape shape;
    std::string name, help;
    std::vector<PotentialParameter> parameters;
};

/// Returns all named potentials.
const std::vector<PotentialRow>& potential_table();

/// Returns the parameters common to all potentials except a rotation: motion of the center, and
/// growth of the mass.
const std::vector<PotentialParameter>& motion_parameters();

const PotentialRow& row_of(PotentialShape shape);

/// Returns "point,M=X; plummer,M=X,a=X; ...", with optional parameters in brackets.
std::string potential_forms();

} // namespace chamomile
