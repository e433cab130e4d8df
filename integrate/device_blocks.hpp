/// \file  Particles with individual steps that a GPU holds and moves.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "chamomile/core/particles.hpp"
#include "chamomile/core/periodic.hpp"
#include "chamomile/force/solver.hpp"
#include "chamomile/integrate/block_levels.hpp"
#include "chamomile/integrate/block_rule.hpp"

namespace chamomile {

/// What BlockLeapfrog does to particles, with its bits. `first` is the level with the longest steps
/// that is due: particles of that level and above are. All members throw Error(device).
class DeviceBlocks {
public:
    using Counts = std::array<std::uint64_t, BlockLevels::deepest + 1>;
    using Factors = std::array<double, BlockLevels::deepest + 1>;
    struct State {
        std::vector<double>&wish, &time, &orbit; ///< orbit: may be empty
    };

    virtual ~DeviceBlocks() = default;

    virtual void load(const Particles& particles, const State& state) = 0;
    /// Positions, velocities, accelerations and, if `state` has orbits, potentials.
    virtual void store(Particles& particles) = 0;
    virtual void store_state(const State& state) = 0;

    virtual void keep() = 0; ///< the state before a whole step
    virtual void restore() = 0;

    /// How many wishes lie between 2^k and 2^(k+1), by BlockLeapfrog::Wishes::exponent(), and the
    /// least.
    virtual double count_wishes(std::vector<std::uint64_t>& count) = 0;
    /// Levels by wishes; how many have each.
    virtual Counts place(double whole, int lowest) = 0;
    virtual std::vector<std::uint8_t> levels() = 0;

    /// False if an acceleration is not finite.
    virtual bool kick(const Factors& factors, int first) = 0;
    /// False if a position is not finite.
    virtual bool drift(double factor, Periodicity box) = 0;
    /// Wishes of those that are due; how many are below the shortest step, whole / 2^lowest.
    virtual std::uint64_t wish_anew(const BlockRule& rule, double whole, int lowest, int first) = 0;
    /// Levels of those that are due by their wishes: any number down, or one up where `may_rise`
    /// has the bit of the level. How many have each.
    virtual Counts change(double whole, int lowest, int first, std::uint64_t may_rise) = 0;

    // The long range of a periodic box, where it kicks by itself:
    virtual void load_long_range(const std::vector<Vec3<double>>& accelerations) = 0;
    virtual void store_long_range(std::vector<Vec3<double>>& accelerations) = 0;
    /// Velocities += factor times the long range.
    virtual void kick_by_long_range(double factor) = 0;
    /// Whether accelerations are those of the short range alone, else both; adds or takes off.
    virtual void split(bool apart) = 0;
    /// Zeros, where the next evaluation puts it.
    virtual ArrayView clear_long_range() = 0;
    /// As ordered_sum() has it.
    virtual double sum_of_squared_velocities() = 0;

    /// With potentials if the state has orbits or `potentials`; of all, or of those that are due.
    virtual Request request(bool potentials, int first) = 0;
};

/// On that device. Throws Error(device) if it cannot.
std::unique_ptr<DeviceBlocks> make_device_blocks(int device);

} // namespace chamomile
