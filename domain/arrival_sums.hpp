/// \file  Where the sums of a rank's arrivals go (domain/domain_part.hpp).
#pragma once

#include "chamomile/core/array_view.hpp"

namespace chamomile {

/// SumArrays are arrays of a sum for each particle; the potential may be empty.
struct SumArrays {
    ArrayView acceleration = {}, potential = {};
};

/// ArrivalSums are where sums of arrivals go: those of numbers below `own` to `rows`, others, up to
/// `count`, to `guests`, which begin there.
struct ArrivalSums {
    SumArrays rows;
    std::size_t own = 0, count = 0;
    SumArrays guests = {};
};

} // namespace chamomile
