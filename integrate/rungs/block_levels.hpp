/// \file  Individual block time steps: the whole step divided by powers of two.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "chamomile/core/particles.hpp"

namespace chamomile {

/// A BlockLevels holds the particles' steps within one whole step. At its ends all particles are at
/// one time (McMillan 1986, Makino 1991). Times are exact, in ticks of 2^deepest to the whole. A
/// particle of level k steps by the whole / 2^k and is due at each multiple of its step.
class BlockLevels {
public:
    static constexpr int deepest = 52;

    /// Begins a whole step of length `whole`. The shortest step allowed is at least `floor`, but at
    /// most the whole.
    void begin(std::size_t particles, double whole, double floor);

    /// Returns the level of the longest step not longer than `time_step`, or of the shortest step.
    int level_for(double time_step) const;

    /// Sets a particle's first level.
    void place(Index i, int level);

    /// Sets the particle counts of all levels, if the levels are stored elsewhere.
    void set_counts(std::span<const std::uint64_t> counts);

    /// Advances to the next time at which particles are due.
    void advance();
    /// Advances and lists the due particles, ascending.
    void advance(std::vector<Index>& due);
    /// Returns the due level with the longest steps.
    int longest_due() const;
    /// Changes the level of a due particle to match `time_step`: any number of levels down, or one
    /// up if the present time is a multiple of the longer step.
    void change(Index i, double time_step);

    /// Returns the number of due particles.
    std::uint64_t due_count() const;
    /// Returns a mask: bit k is set if a due particle of level k may rise by one.
    std::uint64_t may_rise() const;

    bool at_end() const { return now_ == std::uint64_t(1) << deepest; }
    double whole() const { return whole_; }
    double length(int level) const;                     ///< of a step
    double elapsed() const;                             ///< since the begin
    double stride() const { return length(smallest_); } ///< of the last advance()
    /// Returns the time since the particle's last step, for a due particle its full step.
    double since(Index i) const { return since_[level_[i]]; }
    int level(Index i) const { return level_[i]; }
    /// Returns the number of particles on this level.
    std::uint64_t count(int level) const { return count_[level]; }
    int lowest() const { return lowest_; } ///< the level with the shortest steps allowed

private:
    int level_after(Index i, double time_step) const;
    static std::uint64_t ticks(int level) { return std::uint64_t(1) << (deepest - level); }

    double whole_ = 0;
    int lowest_ = deepest; ///< the level with the shortest steps allowed
    int smallest_ = 0;     ///< deepest level in use at the last advance()
    std::uint64_t now_ = 0;
    std::vector<std::uint8_t> level_;
    double since_[deepest + 1] = {};        ///< by level
    std::uint64_t count_[deepest + 1] = {}; ///< particles of each level
};

/// Kick or drift factors of each level.
using LevelFactors = std::array<double, BlockLevels::deepest + 1>;

} // namespace chamomile
