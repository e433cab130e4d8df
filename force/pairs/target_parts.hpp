/// \file  Sums over pairs for part of the targets at a time, if a device lacks memory for all.
#pragma once

#include <functional>
#include <span>

#include "chamomile/force/pairs/pair_solver.hpp"

namespace chamomile {

/// Halves the targets when a sum throws OutOfDeviceMemory, down to 1024, and keeps the number that
/// fitted. Groups of targets then change, and so do the last bits of their sums.
class TargetParts {
public:
    using Sum = std::function<PairStatistics(const PairTask&, std::span<double>)>;

    /// Sums the task in parts by `at_once`, which gets the whole task while memory suffices.
    PairStatistics sum(const LawShape& shape, const PairTask& task, std::span<double> sums,
                       const Sum& at_once);

private:
    static constexpr std::size_t min = 1024;
    std::size_t max_ = 0; // number of targets that fitted; 0: all
};

} // namespace chamomile
