/// \file  Checks of every evaluator with hand-made lists of far cells.
#pragma once

#include <functional>
#include <memory>

#include "chamomile/force/evaluator.hpp"

namespace chamomile::tests {

using EvaluatorMaker = std::function<std::unique_ptr<Evaluator>(Precision)>;

/// Checks that errors against the direct sum, and against multipoles of these cells, fall with
/// order, that single precision follows double, and that potentials do not change accelerations.
void check_far_cells(const EvaluatorMaker& make);

/// Checks bitwise equality in units scaled by 2^k.
void check_scaled_far_cells(const EvaluatorMaker& make);

} // namespace chamomile::tests
