/// \file  Rows of doubles along a space-filling curve.
#pragma once

#include <span>
#include <vector>

#include "chamomile/core/box.hpp"
#include "chamomile/tree/radix_sort.hpp"

namespace chamomile {

/// Rows that begin with a position, along a Hilbert curve, or rows in the caller's order. (Tiles
/// along a Morton curve have jumps: atoms in a liquid see twice as many sources within a cut-off.)
class SortedRows {
public:
    /// Uses the rows in their order, without a copy: they must outlive this object.
    void take(std::span<const double> rows, int width);

    /// Copies rows in key order. Along an axis with period > 0, positions are wrapped into 0 ..
    /// period. Values must be finite.
    void sort(std::span<const double> rows, int width, const Vec3<double>& period);

    Index size() const { return size_; }
    const double* row(Index k) const { return rows_ + std::size_t(k) * width_; }
    Vec3<double> position(Index k) const
    {
        const double* r = row(k);
        return {r[0], r[1], r[2]};
    }
    /// Returns the caller's index for row k.
    Index number(Index k) const { return order_.empty() ? k : order_[k]; }
    /// Returns the sorted place for each caller's row; empty: same order.
    std::vector<Index> ranks() const;

private:
    const double* rows_ = nullptr;
    std::size_t width_ = 0;
    Index size_ = 0;
    std::vector<double> copy_;
    std::vector<Vec3<double>> positions_;
    std::vector<Key> keys_;
    std::vector<Index> order_;
    RadixScratch scratch_;
};

/// Returns the bounding box of rows begin .. end - 1.
Box box_of(const SortedRows& rows, Index begin, Index end);

} // namespace chamomile
