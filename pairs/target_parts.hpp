/// \file  Sums over pairs for part of the targets at a time, where a device has no room for all.
#pragma once

#include <functional>
#include <span>

#include "chamomile/pairs/pair_solver.hpp"

namespace chamomile {

/// TargetParts halves the targets when a sum throws OutOfDeviceMemory, down to 1024, and keeps to
/// the number for which there was room. The groups of targets then change, and with them the last
/// bits of their sums.
class TargetParts {
public:
    using Sum = std::function<PairStatistics(const PairTask&, std::span<double>)>;

    /// Sums the task in parts by `at_once`, which gets the task itself as long as there is room.
    PairStatistics sum(const LawShape& shape, const PairTask& task, std::span<double> sums,
                       const Sum& at_once);

private:
    static constexpr std::size_t least = 1024;
    std::size_t most_ = 0; // targets for which there was room; 0: all
};

} // namespace chamomile
