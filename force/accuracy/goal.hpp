/// \file  Accuracy as something to ask for: what a solver that measures its own error keeps.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>

#include "chamomile/tree/acceptance.hpp"

namespace chamomile {

struct AccuracyReport; // force/solver.hpp

/// |da| / |a| against the direct sum is to be at most `error` for `percentile` % of the particles.
///
/// The solver measures itself on `sample` particles spread over all indices (more where the
/// percentile needs them), by direct sums on its own device: on a processor in float where their
/// error of up to 5e-7 is below a twentieth of the goal, else in double. The tolerance or opening
/// angle is where 0.76 to 0.88 of the goal is reached, so that a sample of other particles keeps
/// the goal; it depends on errors alone. Criterion, orders and sizes are the fastest of a few, by
/// the time that they take here and now; fixed by options they repeat the forces bit for bit. A
/// direct sum is taken where that is faster or nothing else is exact enough; goals below 2e-6 are
/// met in double precision.
///
/// Every `check_every` evaluations the error is measured anew, and the limit adjusted if it left
/// 0.5 to 1 of the goal.
struct AccuracyGoal {
    double error = 1e-3;    ///< 1e-12 to 0.5
    double percentile = 99; ///< up to 99.9
    std::size_t sample = 4000;
    int check_every = 100; ///< evaluations of all particles, by their number; 0: never
    /// What is not to be chosen. Sizes are fixed by SolverOptions that are not 0.
    std::optional<Criterion> criterion = {};
    std::optional<int> order = {}, local_order = {};
    /// The options are what a solver of this goal had in force: it goes on from there instead of
    /// choosing, as a restart does.
    bool chosen_already = false;
    std::function<void(const AccuracyReport&)> report = {}; ///< called within Solver::solve()
};

} // namespace chamomile
