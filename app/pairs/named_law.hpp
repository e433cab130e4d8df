/// \file  Pairwise laws by name on the command line: built-in laws and law files.
#pragma once

#include <string>
#include <vector>

#include "chamomile/force/pairs/law_code.hpp"

namespace chamomile::app {

/// A NamedLaw is a law with its column names and the arguments for make_pair_solver().
struct NamedLaw {
    std::vector<std::string> target, source, sum; ///< names of the columns
    std::string parameters;                       ///< values in use, such as "eps2=0.01"
    LawCode code;
    std::vector<double> data; ///< the law's bytes
};

/// Returns the built-in laws, for --help.
std::vector<std::string> built_in_laws();

/// Returns a law. `law` names a built-in law or a file (docs/howto/own_law.md); `settings` are
/// parameters such as "eps2=0.01". Throws Error(usage) for a setting, Error(input) for a file.
NamedLaw find_law(const std::string& law, const std::vector<std::string>& settings);

} // namespace chamomile::app
