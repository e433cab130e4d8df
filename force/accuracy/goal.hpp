/// \file  An accuracy goal: a solver measures its error and keeps it below the goal.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>

#include "chamomile/tree/acceptance.hpp"

namespace chamomile {

struct AccuracyReport; // force/solver.hpp

/// |da| / |a| against the direct sum must be at most `error` for `percentile` % of the particles.
///
/// The solver measures itself at `sample` particles spread over all indices (more if the percentile
/// needs them), by direct sums on its device: on a CPU in float if their error, up to 5e-7, is
/// below a twentieth of the goal, else in double. The tolerance or opening angle is set to reach
/// 0.76 to 0.88 of the goal, so that a sample with other particles keeps the goal; it depends on
/// errors only. Criterion, orders and sizes are the fastest among a few, by measured times. If
/// options fix them, forces repeat bit for bit. A direct sum is used if it is faster or nothing
/// else is exact enough. Goals below 2e-6, in a box below 1e-4, use double
/// precision.
///
/// In a periodic box the reference is Ewald's sum on the CPU, at fewer particles if there are above
/// 1e6. Split and cut follow from the limit; the mesh is the fastest among a few.
///
/// Every `check_every` evaluations the error is measured again. The limit is adjusted if the error
/// left 0.5 to 1 of the goal.
struct AccuracyGoal {
    double error = 1e-3;    ///< 1e-12 to 0.5
    double percentile = 99; ///< up to 99.9
    std::size_t sample = 4000;
    /// Interval between checks, in Request::number, at evaluations with every particle active; 0:
    /// never.
    int check_every = 100;
    /// Fixed choices. Sizes are fixed by nonzero SolverOptions.
    std::optional<Criterion> criterion = {};
    std::optional<int> order = {}, local_order = {};
    std::optional<double> split = {}, cut = {}; ///< in a periodic box; a mesh by PeriodicOptions
    /// If true, the options were in force in a solver with this goal. The new solver continues with
    /// them instead of choosing, as in a restart.
    bool chosen_already = false;
    std::function<void(const AccuracyReport&)> report = {}; ///< called within Solver::evaluate()
};

} // namespace chamomile
