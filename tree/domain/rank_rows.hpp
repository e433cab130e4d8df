/// \file  A rank's particles before ranks exchange them, in host memory.
#pragma once

#include <vector>

#include "chamomile/tree/domain/coarse_tree.hpp"
#include "chamomile/tree/tree_builder.hpp"

namespace chamomile {

/// RankRows keep values for the next evaluation: the work of each particle and, while cells are
/// kept, the positions from which they were made.
class RankRows {
public:
    /// Sets the rows. `keeps_cells`: they are the rows of the last call at new positions. Keeps
    /// references to arrays.
    void take(const TreeParticles& particles, bool keeps_cells);
    const Rows& now() const { return rows_; }

    /// Returns an array for the work of each row. `placed`: work of each arrival in tree order. It
    /// becomes the work of the rows if the caller then moves its particles to their domains
    /// (RowsOfRank::arrangement).
    std::span<float> make_room_for_work(std::vector<float> placed);

    std::size_t held_bytes() const;

private:
    DenseCopy dense_;
    Rows rows_;
    std::vector<Vec3<double>> built_;
    std::vector<Vec3<double>> images_; ///< of positions, in a periodic box with kept cells
    std::vector<char> is_target_;
    std::vector<float> work_, placed_work_;
    std::uint64_t arrangement_ = 0; ///< RowsOfRank::arrangement
};

} // namespace chamomile
