/// \file  Comparisons to a relative error.
#pragma once

#include <doctest/doctest.h>

namespace chamomile {

/// Compares with the value to a relative error; doctest alone takes its epsilon relative to 1 +
/// |value|.
inline doctest::Approx within(double relative, double value)
{
    return doctest::Approx(value).epsilon(relative).scale(0);
}

} // namespace chamomile
