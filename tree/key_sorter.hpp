/// \file  Sorts particles by their keys on all host threads.
#pragma once

#include <span>
#include <vector>

#include "chamomile/core/large_memory.hpp"
#include "chamomile/tree/boundaries.hpp"
#include "chamomile/tree/radix_sort.hpp"

namespace chamomile {

/// A KeySorter keeps its memory between sorts.
class KeySorter {
public:
    /// Resizes and fills `order` (sorted particle k has position order[k]) and the boundaries
    /// between sorted particles. Particles with equal keys keep their input order, or follow
    /// `number` if given.
    void sort(std::span<const Vec3<double>> positions, const RootCube& cube, Boundaries& boundaries,
              std::pmr::vector<Index>& order, std::span<const GlobalIndex> number = {});

    /// The keys of positions first .. first + keys.size() - 1, which rise.
    struct SortedRun {
        std::size_t first;
        std::span<const Key> keys;
    };
    /// Like sort(), if a range of positions is sorted already: sorts the others and merges both.
    void sort_merged(const SortedRun& sorted, std::span<const Vec3<double>> positions,
                     const RootCube& cube, Boundaries& boundaries, std::pmr::vector<Index>& order,
                     std::span<const GlobalIndex> number = {});

private:
    void find_boundaries(Boundaries& boundaries) const;

    std::pmr::vector<Key> keys_{large_memory()};
    RadixScratch scratch_{large_memory()};
};

} // namespace chamomile
