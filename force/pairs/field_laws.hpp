/// \file  Sums over pairs for a field: accelerations with potentials, tidal tensors, jerks and the
/// adjoint.
#pragma once

#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

#include "chamomile/force/pairs/pair_solver.hpp"

namespace chamomile {

/// Sums by the laws for one softening at a time. With per-particle
/// softening, eps^2 is the last value in each row.
class FieldLaws {
public:
    explicit FieldLaws(const SolverOptions& resolved);

    /// Sets the sources' softening, and whether it is per particle.
    void take(const Softening& softening, bool per_particle);

    PairSolver& field() { return *field_; }
    PairSolver& tidal() { return *tidal_; }
    /// Throws Error(usage) unless the softening is Plummer's.
    PairSolver& jerk();
    /// The adjoint (laws/gravity_adjoint.hpp); made when first needed.
    PairSolver& adjoint();

private:
    PairOptions options_;
    Softening softening_;
    SofteningKind kind_ = SofteningKind::plummer; ///< of pairs
    bool per_particle_ = false;
    std::unique_ptr<PairSolver> field_, tidal_, jerk_, adjoint_;
};

/// Returns n rows that join the rows of several arrays; skips arrays without rows.
std::vector<double> joined(std::size_t n, std::initializer_list<std::span<const double>> parts);

} // namespace chamomile
