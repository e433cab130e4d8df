/// \file  The sums over pairs of a field: its tidal tensors and jerks.
#pragma once

#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

#include "chamomile/pairs/pair_solver.hpp"

namespace chamomile {

/// FieldLaws sums tidal tensors and jerks by the laws for one softening at a time. Where sources
/// have lengths of their own, eps^2 is the last value of each row.
class FieldLaws {
public:
    explicit FieldLaws(const SolverOptions& resolved);

    /// Takes the softening of the sources, and whether they have lengths of their own.
    void take(const Softening& softening, bool varied);

    PairSolver& tidal() { return *tidal_; }
    PairSolver& jerk() { return *jerk_; }

private:
    PairOptions options_;
    Softening softening_;
    bool varied_ = false;
    std::unique_ptr<PairSolver> tidal_, jerk_;
};

/// Returns n rows, each of which joins those of several arrays; an array without rows is left out.
std::vector<double> joined(std::size_t n, std::initializer_list<std::span<const double>> parts);

} // namespace chamomile
