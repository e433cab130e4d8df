/// \file  The gradient of a loss of accelerations and potentials, by the lists of these sums.
#pragma once

#include <memory>

#include "chamomile/force/evaluator.hpp"

namespace chamomile {

/// Evaluates lists on the host for the adjoint (Evaluator::begin_adjoint()) by any law. The dual
/// moments of cells are one degree above the lists' order. Losses are on the host and must outlive
/// the evaluation.
std::unique_ptr<Evaluator> make_adjoint_evaluator(Precision precision,
                                                  const std::string& instruction_set);

} // namespace chamomile
