/// \file  The table of external potentials: names, and parameters with what they measure. The
/// command line, Python and the documents read it.
///
/// A new formula is a PotentialShape with its pull in term.hpp, its jerk in external_jerk.cpp, and
/// a row here; strengths and lengths of its ExternalTerm are set in potential.cpp.
#pragma once

#include <string>
#include <vector>

#include "chamomile/core/options/dimension.hpp"
#include "chamomile/core/options/range.hpp"
#include "chamomile/integrate/external/term.hpp"

namespace chamomile {

/// A ParameterUse says whether a parameter must be given.
enum class ParameterUse {
    needed,
    usual,  ///< it has a value unless given
    chosen, ///< it follows from the others, or does nothing, unless given
    file    ///< the name of a text file, which must be given where it is of a shape
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

/// Returns all potentials that have a name.
const std::vector<PotentialRow>& potential_table();

/// Returns the parameters that every potential but a rotation may have: of its centre's motion and
/// of the growth of its mass.
const std::vector<PotentialParameter>& motion_parameters();

const PotentialRow& row_of(PotentialShape shape);

/// Returns "point,M=X; plummer,M=X,a=X; ...", with parameters that need not be given in brackets.
std::string potential_forms();

} // namespace chamomile
