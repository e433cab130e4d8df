/// \file  The one line of an Error.
#pragma once

#include <optional>
#include <string>

#include <doctest/doctest.h>

#include "chamomile/core/error.hpp"

namespace chamomile {

/// Returns the line of the Error that the action throws, or nothing if it throws none. Checks the
/// fault if one is given.
template <class Action>
std::string error_line(const Action& action, std::optional<Fault> fault = {},
                       const Spelling& spelling = {})
{
    try {
        action();
    } catch (const Error& error) {
        if (fault)
            CHECK(error.fault() == *fault);
        return spelled(error.line(), spelling);
    }
    return "";
}

} // namespace chamomile
