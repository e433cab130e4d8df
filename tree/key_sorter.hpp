/// \file  Sorting of particles by their keys on all host threads.
#pragma once

#include <span>
#include <vector>

#include "chamomile/tree/boundaries.hpp"
#include "chamomile/tree/large_memory.hpp"
#include "chamomile/tree/radix_sort.hpp"

namespace chamomile {

/// A KeySorter keeps its memory between sorts.
class KeySorter {
public:
    /// Resizes and fills `order` (sorted particle k has position order[k]) and the boundaries
    /// between the sorted particles. Particles with equal keys keep the order of the positions, or
    /// that of their numbers, if they are given.
    void sort(std::span<const Vec3<double>> positions, const RootCube& cube, Boundaries& boundaries,
              std::pmr::vector<Index>& order, std::span<const Index> number = {});

private:
    std::pmr::vector<Key> keys_{large_memory()};
    RadixScratch scratch_{large_memory()};
};

} // namespace chamomile
