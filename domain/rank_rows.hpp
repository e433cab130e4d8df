/// \file  The particles that a rank brings to the tree of all ranks.
#pragma once

#include <vector>

#include "chamomile/domain/coarse_tree.hpp"
#include "chamomile/tree/tree_builder.hpp"

namespace chamomile {

/// RankRows keep what one evaluation needs to know of the one before: the work of each particle
/// and, while cells stay, the positions that they were made of.
class RankRows {
public:
    /// Takes particles, new ones or those of before that have moved. Keeps references to arrays.
    void take(const TreeParticles& particles, bool keeps_cells);
    const Rows& now() const { return rows_; }

    /// Returns room for the work of each particle. `placed` is the work of each particle that this
    /// rank would have if all ranks kept what they have got.
    std::span<float> make_room_for_work(std::vector<float> placed);

    std::size_t held_bytes() const;

private:
    DenseCopy dense_;
    Rows rows_;
    std::vector<Vec3<double>> built_;
    std::vector<char> is_target_;
    std::vector<float> work_, placed_work_;
    std::uint64_t exchanges_ = 0; ///< RowsOfRank::exchanges
};

} // namespace chamomile
