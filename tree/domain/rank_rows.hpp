/// \file  The particles that a rank brings to the global tree.
#pragma once

#include <vector>

#include "chamomile/tree/domain/coarse_tree.hpp"
#include "chamomile/tree/tree_builder.hpp"

namespace chamomile {

/// RankRows keep values for the next evaluation: the work of each particle and, while cells are
/// kept, the positions from which they were made.
class RankRows {
public:
    /// Sets the rows, new or (`keeps_cells`) moved. Keeps references to arrays.
    void take(const TreeParticles& particles, bool keeps_cells);
    const Rows& now() const { return rows_; }

    /// Returns an array for the work of each row. `placed`: work of each arrival in tree order,
    /// used once ranks have exchanged particles by domain.
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
