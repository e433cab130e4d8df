/// \file  The closest pair of a simulation so far.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "chamomile/force/pairs/jerk_solver.hpp"

namespace chamomile {

class Archive;

/// Two particles, by index, at the time of their encounter.
struct ClosePair {
    Index i = 0, j = 0;
    double distance = std::numeric_limits<double>::infinity();
    double time = 0;
};

/// Returns the closest pair of all, by a sweep along x. The distance is infinite without a pair.
ClosePair closest_pair(std::span<const MovingSource> sources);

/// Returns source i and its nearest neighbor.
ClosePair nearest_to(std::span<const MovingSource> sources, Index i);

/// An Encounters searches for close pairs only around particles with short steps. In an encounter
/// at distance r the step is about sqrt(eta s^3 / (G m)), s^2 = r^2 + eps^2. A particle with a step
/// beyond four times that of the closest pair so far cannot be in a closer pair. (A pair is missed
/// if its mutual attraction is small against that of the remaining particles.)
class Encounters {
public:
    Encounters() = default;
    /// Starts with the closest pair of all. `eps2`: the largest eps^2 of any pair; `eta_over_G`:
    /// the steps' eta / |G|.
    Encounters(std::span<const MovingSource> sources, double eps2, double eta_over_G, double time);

    /// Checks source i, with next step `time_step`.
    void note(std::span<const MovingSource> sources, Index i, double time_step, double time);

    void exchange(Archive& archive);

    const ClosePair& closest() const { return closest_; }

private:
    ClosePair closest_;
    double softening_squared_ = 0, eta_over_G_ = 0, mean_mass_ = 0;
};

} // namespace chamomile
