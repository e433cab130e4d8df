/// \file  Lists with far cells made by hand, and what every evaluator must make of them.
#pragma once

#include <functional>
#include <memory>

#include "chamomile/force/evaluator.hpp"

namespace chamomile::tests {

using EvaluatorMaker = std::function<std::unique_ptr<Evaluator>(Precision)>;

/// Errors against the direct sum and against the same cells felt one by one fall with the order;
/// single precision stays by double; potentials change no acceleration.
void check_far_cells(const EvaluatorMaker& make);

/// The same in units scaled by 2^k: no bit changes.
void check_scaled_far_cells(const EvaluatorMaker& make);

} // namespace chamomile::tests
