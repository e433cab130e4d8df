/// \file  The particles on one rank and their global numbers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "chamomile/core/filter_indices.hpp"
#include "chamomile/core/particles.hpp"
#include "chamomile/core/ranks/communicator.hpp"

namespace chamomile {

/// A RankSubset gives each particle of a rank its global number: 0 to count - 1 over all ranks.
struct RankSubset {
    Communicator& ranks;
    std::uint64_t count;                      ///< particles on all ranks
    std::uint64_t first = 0;                  ///< global number of local particle 0
    std::span<const GlobalIndex> number = {}; ///< one per particle; empty: consecutive from `first`

    GlobalIndex number_of(std::size_t i) const { return number.empty() ? first + i : number[i]; }

    /// Returns local indices of the particles in `numbers`, for `own` local particles. `numbers`
    /// ascend: one per stretch of equal length.
    std::vector<Index> places_of(std::span<const std::uint64_t> numbers, std::size_t own) const
    {
        std::vector<Index> places;
        if (number.empty()) {
            const auto begin = std::ranges::lower_bound(numbers, first);
            for (auto one = begin; one != numbers.end() && *one < first + own; ++one)
                places.push_back(Index(*one - first));
            return places;
        }
        const auto is_listed = [&](std::size_t i) {
            const std::size_t near = number[i] * numbers.size() / count;
            const auto some = numbers.subspan(std::max<std::size_t>(near, 1) - 1);
            const std::size_t max = std::min<std::size_t>(some.size(), 3);
            return std::ranges::find(some.first(max), number[i]) != some.begin() + max;
        };
        list_where(own, is_listed, places);
        return places;
    }
};

} // namespace chamomile
