/// \file  The gradient of a loss of the fields at a field's sources.
#pragma once

#include <memory>

#include "chamomile/force/lists/list_field.hpp"
#include "chamomile/force/pairs/coincident_sources.hpp"
#include "chamomile/force/pairs/field_laws.hpp"

namespace chamomile {

class FieldAdjoint {
public:
    explicit FieldAdjoint(const SolverOptions& resolved);

    /// See FieldSolver::evaluate_adjoint(). Trees that have gradients use the lists of `lists`.
    ForceStatistics evaluate(ListField& lists, const FieldCotangents& given,
                             const FieldGradients& gradients);
    /// Returns da/dt of all sources, by the tree, three values per source; NaN where pairs must be
    /// summed again in double. `velocity`: of the targets. `lambda`: of the sources, m v; empty:
    /// they are at rest, so that a unit vector as velocity yields a row of the tidal tensor.
    std::vector<double> derivatives(ListField& lists, const ArrayView& lambda,
                                    const ArrayView& velocity, ForceStatistics& statistics);
    /// Forgets the sources.
    void clear() { host_.reset(); }

private:
    struct Values;

    ListField& with_adjoint(ListField& lists);
    void sum_directly(ListField& lists, FieldLaws& laws, std::span<const Index> targets,
                      const Values& values, ForceStatistics& statistics);

    SolverOptions options_;
    FieldLaws laws_, exact_;
    std::unique_ptr<ListField> host_; ///< for a tree on a GPU that has no gradients
};

} // namespace chamomile
