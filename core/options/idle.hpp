/// \file  Options without effect.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace chamomile {

/// An Idle is a row in a table of options: whether they lack effect now.
struct Idle {
    bool idle;           ///< true: no effect now
    const char* options; ///< long names, separated by spaces
    std::string because; ///< the words after the option's name
};

/// An option that was given without effect.
struct IdleOption {
    std::string name, because;
};

/// Returns the first option in an idle row that `is_given`; none if all given options are used.
std::optional<IdleOption> first_idle(const std::vector<Idle>& table,
                                     const std::function<bool(const std::string& name)>& is_given);

} // namespace chamomile
