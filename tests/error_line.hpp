/// \file  The one line of an Error.
#pragma once

#include <optional>
#include <string>

#include <doctest/doctest.h>

#include "chamomile/core/error.hpp"

namespace chamomile {

/// Returns the line of the Error that the action throws, of that fault if one is named; it is empty
/// where it throws none.
template <class Action>
std::string error_line(const Action& action, std::optional<Fault> fault = {})
{
    try {
        action();
    } catch (const Error& error) {
        if (fault)
            CHECK(error.fault() == *fault);
        return error.what();
    }
    return "";
}

} // namespace chamomile
