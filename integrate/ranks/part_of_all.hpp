/// \file  Which of all particles a rank has. One rank alone has all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "chamomile/core/particles.hpp"
#include "chamomile/parallel/communicator.hpp"

namespace chamomile {

/// A PartOfAll numbers the particles of a rank among those of all ranks.
struct PartOfAll {
    Communicator& ranks;
    std::uint64_t count;                ///< of all ranks
    std::uint64_t first = 0;            ///< number of this rank's first particle; unless it has
    std::span<const Index> number = {}; ///< the numbers of each

    std::uint64_t number_of(std::size_t i) const { return number.empty() ? first + i : number[i]; }
};

} // namespace chamomile
