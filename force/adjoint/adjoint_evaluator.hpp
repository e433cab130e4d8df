/// \file  The gradient of a loss of accelerations and potentials, by the lists of these sums.
#pragma once

#include <memory>
#include <span>

#include "chamomile/force/evaluator.hpp"

namespace chamomile {

/// Evaluates lists on the host for the adjoint: to the output's acceleration goes dL/dx of each
/// target, to its potential dL/dm, in units of the output. The dual moments of cells are one
/// degree above the lists' order. All sources are targets.
class AdjointEvaluator : public Evaluator {
public:
    /// Sets lambda = dL/da and mu = dL/dphi of all sources, in the caller's order; empty: 0. They
    /// must outlive the next evaluation. `unit`: of lambda, see unit_of_lambda(). `criterion`: of
    /// the lists.
    virtual void take(std::span<const Vec3<double>> lambda, std::span<const double> mu, double unit,
                      const AcceptanceCriterion& criterion) = 0;
};

std::unique_ptr<AdjointEvaluator> make_adjoint_evaluator(Precision precision,
                                                         const std::string& instruction_set);

} // namespace chamomile
