/// \file  The particle order in GADGET-family files: stable sort by type.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "chamomile/core/counting_sort.hpp"
#include "chamomile/core/particles.hpp"

namespace chamomile {

/// A TypeOrder sorts the particles by type. Particles of equal type keep their order.
struct TypeOrder {
    UnsetArray<Index> order;            ///< particle indices, type 0 first
    std::array<std::size_t, 7> begin{}; ///< type t is order[begin[t]] to order[begin[t + 1]]

    explicit TypeOrder(const Particles& particles)
    {
        SortedIndices sorted =
            sorted_by(particles.type.size(), 6, [&](std::size_t i) { return particles.type[i]; });
        order = std::move(sorted.order);
        std::ranges::copy(sorted.begin, begin.begin());
    }

    std::size_t count(int type) const { return begin[type + 1] - begin[type]; }
};

} // namespace chamomile
