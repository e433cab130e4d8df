/// \file  Comparisons to a relative error.
#pragma once

#include <doctest/doctest.h>

namespace chamomile {

/// Compares to a relative error. By default doctest's epsilon is relative to 1 + |value|.
inline doctest::Approx within(double relative, double value)
{
    return doctest::Approx(value).epsilon(relative).scale(0);
}

} // namespace chamomile
