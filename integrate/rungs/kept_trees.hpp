/// \file  Decides how long individual steps keep the cells of one tree.
#pragma once

#include <cstdint>
#include <map>

#include "chamomile/force/solver.hpp"

namespace chamomile {

class Archive;

/// Kept cells (Request::keeps_tree) expand as their particles spread, and lists grow. Cells are
/// kept while the added pairs cost less than a rebuild. Costs are counts of pairs, so that the
/// choice is reproducible in every run and after a restart. Each rung, the longest step 2^rung of
/// due particles, has separate estimates.
class KeptTrees {
public:
    /// `build_cost`: cost of a rebuild, in pairs for each particle.
    explicit KeptTrees(double build_cost) : build_cost_(build_cost) {}

    void clear() { *this = KeptTrees(build_cost_); }
    void begin() { has_tree_ = false; } ///< starts a whole step; its first evaluation builds
    /// True if the evaluation at time `now` since the begin of the whole step keeps the tree.
    bool keeps(int rung, double now) const;
    /// Records an evaluation's statistics, and the number of the tree's particles.
    void note(int rung, double now, const ForceStatistics& statistics, std::uint64_t particles);

    void exchange(Archive& archive);

private:
    // Counts of evaluations of a rung.
    static constexpr std::uint64_t renewal = 64; ///< max kept in a row, to measure new lists
    static constexpr std::uint64_t min_wait = 2, max_wait = 1024;

    struct Rung {
        double pairs = 0;   ///< per target, with a new tree; 0: unknown
        double longest = 0; ///< age to which trees are kept
        std::uint64_t kept_in_row = 0, built_in_row = 0; ///< consecutive evaluations
        std::uint64_t wait = min_wait;                   ///< rebuilds before an older tree is tried
    };

    double build_cost_;
    std::map<int, Rung> rungs_;
    double built_at_ = 0; ///< since the begin of the whole step
    bool has_tree_ = false;
};

} // namespace chamomile
