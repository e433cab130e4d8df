/// \file  The particle order in GADGET-family files: stable sort by type.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "chamomile/core/particles.hpp"

namespace chamomile {

/// A TypeOrder sorts the particles by type. Particles of equal type keep their order.
struct TypeOrder {
    std::vector<Index> order;           ///< particle indices, type 0 first
    std::array<std::size_t, 7> begin{}; ///< type t is order[begin[t]] to order[begin[t + 1]]

    explicit TypeOrder(const Particles& particles)
    {
        for (std::uint8_t type : particles.type)
            ++begin[type + 1u];
        for (int type = 0; type < 6; ++type)
            begin[type + 1] += begin[type];
        order.resize(particles.size());
        auto next = begin;
        for (std::size_t i = 0; i < particles.size(); ++i)
            order[next[particles.type[i]]++] = Index(i);
    }

    std::size_t count(int type) const { return begin[type + 1] - begin[type]; }
};

} // namespace chamomile
