/// \file  Transforms along columns of a grid, for all transform libraries.
#pragma once

#include <algorithm>
#include <complex>
#include <cstddef>
#include <memory>
#include <new>
#include <string>

#include "chamomile/core/error.hpp"
#include "chamomile/force/mesh/fourier.hpp"

namespace chamomile {

inline int checked_side(int n)
{
    if (n < 2 || n > 32768)
        throw Error(Fault::usage, "mesh: " + std::to_string(n) + ": must be 2 to 32768");
    return n;
}

/// A thread's buffer for a few columns of n points: two cache lines from each row. Row lengths are
/// multiples of two cache lines. Columns are copied because they lie about a power of two apart in
/// a grid, and would evict each other from the cache.
template <class T>
class ColumnBlock {
public:
    static constexpr int width = 128 / sizeof(std::complex<T>);

    explicit ColumnBlock(int n)
        : n_(n), points_(static_cast<std::complex<T>*>(
                     ::operator new(std::size_t(n) * width * sizeof(std::complex<T>), two_lines)))
    {}

    /// Calls transform(columns) with point l of column c in columns[l * width + c]. row_of(l)
    /// points to the first column's point l.
    template <class RowOf, class Transform>
    void transform(const RowOf& row_of, Transform& transform)
    {
        for (int l = 0; l < n_; ++l)
            std::copy_n(row_of(l), width, points_.get() + l * width);
        transform(points_.get());
        for (int l = 0; l < n_; ++l)
            std::copy_n(points_.get() + l * width, width, row_of(l));
    }

private:
    static constexpr std::align_val_t two_lines{128};
    struct Free {
        void operator()(std::complex<T>* memory) const { ::operator delete(memory, two_lines); }
    };
    int n_;
    std::unique_ptr<std::complex<T>, Free> points_;
};

/// Transforms along the slowest index, in these rows, including row padding. Each thread makes its
/// `transform` (ColumnBlock::transform) by make().
template <class T, class Make>
void transform_across(Grid<T>& grid, MeshRange rows, const Make& make)
{
    const int n = grid.side(), width = ColumnBlock<T>::width, blocks = (n / 2 + width) / width;
#pragma omp parallel
    {
        ColumnBlock<T> columns(n);
        auto transform = make();
#pragma omp for collapse(2) schedule(static)
        for (int j = rows.begin; j < rows.end; ++j)
            for (int block = 0; block < blocks; ++block)
                columns.transform([&](int i) { return grid.spectrum_row(i, j) + block * width; },
                                  transform);
    }
}

} // namespace chamomile
