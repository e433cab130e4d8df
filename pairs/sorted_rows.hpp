/// \file  Rows of doubles in the order of a space-filling curve.
#pragma once

#include <span>
#include <vector>

#include "chamomile/core/box.hpp"
#include "chamomile/tree/radix_sort.hpp"

namespace chamomile {

/// SortedRows are rows that begin with a position, along a Hilbert curve, or rows in the caller's
/// order. (Tiles along a Morton curve have jumps: atoms of a liquid see twice as many sources
/// within a cut-off.)
class SortedRows {
public:
    /// Takes the rows in their order, without a copy: they must outlive this object.
    void take(std::span<const double> rows, int width);

    /// Copies rows in the order of their keys. Along an axis with a period > 0 positions are moved
    /// by whole periods into 0 .. period. Values must be finite.
    void sort(std::span<const double> rows, int width, const Vec3<double>& period);

    Index size() const { return size_; }
    const double* row(Index k) const { return rows_ + std::size_t(k) * width_; }
    Vec3<double> position(Index k) const
    {
        const double* r = row(k);
        return {r[0], r[1], r[2]};
    }
    /// Returns the caller's number of row k.
    Index number(Index k) const { return order_.empty() ? k : order_[k]; }
    /// Returns the places of the caller's rows; empty: they kept their order.
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

/// Returns the box of rows begin .. end - 1.
Box box_of(const SortedRows& rows, Index begin, Index end);

} // namespace chamomile
