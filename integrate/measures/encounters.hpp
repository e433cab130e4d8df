/// \file  The closest pair that a simulation has met.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "chamomile/pairs/jerk_solver.hpp"

namespace chamomile {

class Archive;

/// A ClosePair is two particles, by index, at a time when they were near.
struct ClosePair {
    Index i = 0, j = 0;
    double distance = std::numeric_limits<double>::infinity();
    double time = 0;
};

/// Returns the nearest pair of all, by a sweep along x; its distance is infinite if there is none.
ClosePair closest_pair(std::span<const MovingSource> sources);

/// Returns the pair of source i with the source nearest to it.
ClosePair nearest_to(std::span<const MovingSource> sources, Index i);

/// An Encounters watches the particles whose own step says that another is near: in an encounter at
/// distance r it is about sqrt(eta s^3 / (G m)), s^2 = r^2 + eps^2, so that particles with steps
/// beyond four times that of the closest pair so far cannot be in a closer one. (A pair whose own
/// attraction is small against that of the rest may pass unseen.)
class Encounters {
public:
    Encounters() = default;
    /// Begins with the closest pair of all. eps^2 is the largest of any pair, eta that of the
    /// steps.
    Encounters(std::span<const MovingSource> sources, double eps2, double eta_over_G, double time);

    /// Looks at source i, whose step is to be `time_step`.
    void note(std::span<const MovingSource> sources, Index i, double time_step, double time);

    void exchange(Archive& archive);

    const ClosePair& closest() const { return closest_; }

private:
    ClosePair closest_;
    double softening_squared_ = 0, eta_over_G_ = 0, mean_mass_ = 0;
};

} // namespace chamomile
