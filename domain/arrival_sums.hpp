/// \file  Arrays for the sums of a rank's arrivals (domain/domain_part.hpp).
#pragma once

#include "chamomile/core/array_view.hpp"

namespace chamomile {

/// Output arrays, one entry per particle; the potential may be empty.
struct SumArrays {
    ArrayView acceleration = {}, potential = {};
};

/// Output for the sums of arrivals. Arrival numbers below `own` go to `rows`, numbers `own` ..
/// `count` to `received`, whose entry 0 belongs to number `own`.
struct ArrivalSums {
    SumArrays rows;
    std::size_t own = 0, count = 0;
    SumArrays received = {};
};

} // namespace chamomile
