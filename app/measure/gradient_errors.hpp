/// \file  Errors of the gradient of the sum of a^2, for `chamomile accuracy --gradient`.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "app/measure/reference.hpp"
#include "chamomile/force/accuracy/force_errors.hpp"
#include "chamomile/force/field.hpp"

namespace chamomile::app {

/// Has the accelerations of all particles by `setting`, and the derivatives 2 a of their squares.
class GradientOfForces {
public:
    GradientOfForces(const Particles& particles, const SolverOptions& setting,
                     ReferenceDevice reference);

    /// Computes the gradient of all particles.
    ForceStatistics evaluate() const;

    /// Compares the gradient with direct sums in double, for the same derivatives: `acceleration`
    /// has the errors |d g| / |g| of positions, `potential` of masses.
    TargetErrors errors(std::span<const Index> targets) const;

    const SolverOptions& options() const { return field_->options(); }
    std::string device() const { return field_->device(); }

private:
    FieldSources sources() const;

    const Particles& particles_;
    ReferenceDevice reference_;
    std::unique_ptr<FieldSolver> field_;
    std::vector<Vec3<double>> derivatives_;
    mutable std::vector<Vec3<double>> position_;
    mutable std::vector<double> mass_;
};

} // namespace chamomile::app
