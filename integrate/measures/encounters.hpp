/// \file  Close pairs of a simulation: the closest one so far, and passages within a distance.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "chamomile/force/pairs/jerk_solver.hpp"
#include "chamomile/integrate/measures/kepler_orbit.hpp"

namespace chamomile {

class Archive;

/// Two particles, by index, at the time of their encounter.
struct ClosePair {
    Index i = 0, j = 0;
    double distance = std::numeric_limits<double>::infinity();
    double time = 0;
};

/// A passage of two unbound particles, by index, just after pericenter.
struct Passage {
    Index i = 0, j = 0;
    double time = 0;
    KeplerOrbit orbit;
};

/// Returns the closest pair of all, by a sweep along x. The distance is infinite without a pair.
ClosePair closest_pair(std::span<const MovingSource> sources);

/// Returns source i and its nearest neighbor.
ClosePair nearest_to(std::span<const MovingSource> sources, Index i);

/// Returns some sources with their nearest neighbors. A distance beyond `reach` may be infinite.
std::vector<ClosePair> nearest_within(double reach, std::span<const MovingSource> sources,
                                      std::span<const Index> some);

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

    /// Checks sources that have moved. `time_step`: the next of each source.
    void note(std::span<const MovingSource> sources, std::span<const Index> moved,
              std::span<const double> time_step, double time);

    /// Also records passages of unbound pairs within `distance` that have a pericenter; 0: none.
    void record_passages(double distance, double G);
    /// Returns the passages since begin_step().
    const std::vector<Passage>& passages() const { return passages_; }
    void begin_step() { passages_.clear(); }

    void exchange(Archive& archive);

    const ClosePair& closest() const { return closest_; }

private:
    bool may_be_within(double distance, double time_step, double mass) const;
    void note_passages(std::span<const MovingSource> sources, const ClosePair& nearest,
                       double time);

    ClosePair closest_;
    double softening_squared_ = 0, eta_over_G_ = 0, mean_mass_ = 0;
    double passage_distance_ = 0, G_ = 1;
    std::vector<std::pair<Index, Index>> approaching_; ///< pairs within the distance
    std::vector<Passage> passages_;
};

} // namespace chamomile
