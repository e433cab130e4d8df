/// \file  Blocked individual steps: each is the whole divided by a power of two.
#pragma once

#include <cstdint>
#include <vector>

#include "core/particles.hpp"

namespace chamomile {

/// The steps of particles within one whole step, at whose ends all are at one time (McMillan 1986,
/// Makino 1991). Times are counted in ticks, 2^deepest to the whole, so that they are exact. A
/// particle of level k steps by the whole / 2^k and is due at each multiple of that.
class BlockLevels {
public:
    static constexpr int deepest = 52;

    /// Begins a whole step of that length. Shortest steps are `floor`, or the whole if shorter.
    void begin(std::size_t particles, double whole, double floor);

    /// The level of the longest step that is not longer than `wish`, or of the shortest.
    int level_for(double wish) const;

    /// Gives a particle its first level.
    void place(Index i, int level);

    /// Goes to the nearest time at which particles are due and lists them, ascending.
    void advance(std::vector<Index>& due);
    /// Sets the level of a particle that is due to that of `wish`: any number of levels down, or
    /// one up if the present time is a multiple of the longer step.
    void change(Index i, double wish);

    bool at_end() const { return now_ == std::uint64_t(1) << deepest; }
    double length(int level) const; ///< of a step
    double elapsed() const;         ///< since the begin
    /// Time from the particle's last step to now; of one that is due, its whole step.
    double since(Index i) const { return since_[level_[i]]; }
    int level(Index i) const { return level_[i]; }

private:
    static std::uint64_t ticks(int level) { return std::uint64_t(1) << (deepest - level); }

    double whole_ = 0;
    int lowest_ = deepest; ///< number of the level with the shortest steps allowed
    std::uint64_t now_ = 0;
    std::vector<std::uint8_t> level_;
    double since_[deepest + 1] = {};        ///< of particles by level
    std::uint64_t count_[deepest + 1] = {}; ///< particles of each level
};

} // namespace chamomile
