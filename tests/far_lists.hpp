/// \file  Checks of every evaluator by lists with far cells that are made by hand.
#pragma once

#include <functional>
#include <memory>

#include "chamomile/force/evaluator.hpp"

namespace chamomile::tests {

using EvaluatorMaker = std::function<std::unique_ptr<Evaluator>(Precision)>;

/// Checks that errors against the direct sum and against the same cells felt one by one fall with
/// the order, that single precision stays by double, and that potentials change no acceleration.
void check_far_cells(const EvaluatorMaker& make);

/// Checks that no bit changes in units scaled by 2^k.
void check_scaled_far_cells(const EvaluatorMaker& make);

} // namespace chamomile::tests
