/// \file  Pairwise laws as the command line names them: built-in ones and files of text.
#pragma once

#include <string>
#include <vector>

#include "chamomile/pairs/law_code.hpp"

namespace chamomile::app {

/// A law with the names of its values and what make_pair_solver() needs.
struct NamedLaw {
    std::vector<std::string> target, source, sum; ///< names of the columns
    std::string parameters;                       ///< in force, such as "eps2=0.01"
    LawCode code;
    std::vector<double> data; ///< the law's bytes
};

/// The built-in laws, for --help.
std::vector<std::string> built_in_laws();

/// `law`: the name of a built-in law or a file (docs/laws.md). `settings`: parameters such as
/// "eps2=0.01". Throws Error(usage) for a setting, Error(input) for a file.
NamedLaw find_law(const std::string& law, const std::vector<std::string>& settings);

} // namespace chamomile::app
