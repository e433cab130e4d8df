/// \file  KeptTrees say how long individual steps go on with the cells of one tree.
#pragma once

#include <cstdint>
#include <map>

#include "chamomile/force/solver.hpp"

namespace chamomile {

class Archive;

/// Cells that are kept (Request::keeps_tree) spread as their particles part, and lists grow. They
/// are kept as long as the pairs that this adds cost less than building the tree would: by counts,
/// so that the choice is the same in every run and after a restart. What is learned is learned for
/// each rung, the longest step of those that are due: 2^rung.
class KeptTrees {
public:
    /// `build_cost` is what keeping a tree saves, in pairs for each of its particles.
    explicit KeptTrees(double build_cost) : build_cost_(build_cost) {}

    void begin() { has_tree_ = false; } ///< of a whole step; its first evaluation builds
    /// Tells whether the evaluation at that time since the whole step began keeps the tree.
    bool keeps(int rung, double now) const;
    /// Takes note, after an evaluation, of its statistics and of the number of the tree's
    /// particles.
    void note(int rung, double now, const ForceStatistics& statistics, std::uint64_t particles);

    void exchange(Archive& archive);

private:
    // These numbers count evaluations of a rung.
    static constexpr std::uint64_t renewal = 64; ///< at most, until one builds to know its lists
    static constexpr std::uint64_t least_patience = 2, most_patience = 1024;

    struct Rung {
        double pairs = 0;   ///< of a target, with a new tree; 0: not known
        double longest = 0; ///< age to which trees are kept
        std::uint64_t kept_in_row = 0, built_in_row = 0; ///< evaluations one after the other
        std::uint64_t patience = least_patience; ///< so many build before an older tree is tried
    };

    double build_cost_;
    std::map<int, Rung> rungs_;
    double built_at_ = 0; ///< when, since the whole step began
    bool has_tree_ = false;
};

} // namespace chamomile
