/// \file  The text of an Error.
#pragma once

#include <optional>
#include <string>

#include <doctest/doctest.h>

#include "chamomile/core/error.hpp"

namespace chamomile {

/// Returns the line of the Error thrown by the action, or "" if none is thrown. Checks the fault if
/// given.
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
