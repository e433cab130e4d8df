/// \file  A field on n^3 points in a periodic cube, or its spectrum in the same memory.
#pragma once

#include <algorithm>
#include <complex>
#include <cstddef>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "chamomile/core/error.hpp"
#include "chamomile/core/large_memory.hpp"

namespace chamomile {

/// Returns the wave number, in units of 2 pi / side, for entry i: 0, 1, ..., n/2, then negative
/// ones.
inline int wave_number(int i, int n)
{
    return i <= n / 2 ? i : i - n;
}

/// Indices begin ... end - 1 of planes or rows.
struct MeshRange {
    int begin, end;

    int count() const { return end - begin; }
    bool operator==(const MeshRange&) const = default;
};

/// A real field at the points (i, j, k) * side / n, with k running fastest. After
/// Fourier::forward() the same memory holds its spectrum for kz = 0 ... n/2 (other modes are
/// conjugates). Rows are padded to begin at multiples of 128 bytes. A grid may hold a part: some
/// planes (first index) and rows (second index), and after them any rows. Indices are those of the
/// whole grid.
template <class T>
class Grid {
public:
    /// Makes a grid filled with 0. Throws Error(input) if memory is insufficient.
    explicit Grid(int n) : Grid(n, {0, n}, {0, n}) {}
    /// Makes a part of a grid. Planes may end beyond n: plane n + i is plane i.
    Grid(int n, MeshRange planes, MeshRange rows)
        : n_(n), row_(row(n)), planes_(planes), rows_(rows), data_(allocated(values()))
    {
        reshape(planes, rows);
        fill(0);
    }
    /// Makes room for `more` rows after the part. The contents are lost.
    void reserve_rows(std::size_t more)
    {
        more_ = more;
        if (values() <= capacity_)
            return;
        capacity_ = 0;
        data_.reset(); // before the new memory
        data_ = allocated(with_room());
    }
    /// Like reserve_rows(), but keeps the part.
    void extend_rows(std::size_t more)
    {
        const std::size_t part = std::size_t(planes_.count()) * plane();
        more_ = more;
        if (values() <= capacity_)
            return;
        Memory larger = allocated(with_room());
        std::copy_n(data_.get(), part, larger.get());
        data_ = std::move(larger);
    }

    int side() const { return n_; } ///< points per side
    MeshRange planes() const { return planes_; }
    MeshRange rows() const { return rows_; }
    /// Uses the memory for another part with as many values.
    void reshape(MeshRange planes, MeshRange rows)
    {
        planes_ = planes;
        rows_ = rows;
        first_ = (std::size_t(planes.begin) * std::size_t(rows.count()) + std::size_t(rows.begin)) *
                 row_;
    }
    std::size_t row() const { return row_; } ///< row stride in values of T
    static std::size_t row(int n) { return (std::size_t(n / 2) + pad) / pad * pad * 2; }
    /// Returns the stride of planes in values of T.
    std::size_t plane() const { return row_ * std::size_t(rows_.count()); }
    /// Returns the bytes of memory per point.
    double bytes_per_point() const { return double(sizeof(T)) * double(row_) / n_; }

    T* data() { return data_.get(); }
    const T* data() const { return data_.get(); }
    T& operator()(int i, int j, int k) { return data_[index(i, j) + std::size_t(k)]; }
    const T& operator()(int i, int j, int k) const { return data_[index(i, j) + std::size_t(k)]; }

    /// Returns the mode at entries i, j of the spectrum (wave_number() gives the wave numbers) and
    /// kz = k <= n/2.
    std::complex<T>& mode(int i, int j, int k) { return spectrum_row(i, j)[k]; }
    const std::complex<T>& mode(int i, int j, int k) const
    {
        return const_cast<Grid*>(this)->spectrum_row(i, j)[k];
    }
    std::complex<T>* spectrum_row(int i, int j)
    {
        return reinterpret_cast<std::complex<T>*>(data() + index(i, j));
    }

    void fill(T value)
    {
        const std::size_t count = values();
#ifdef _OPENMP
#pragma omp parallel for schedule(static)
#endif
        for (std::size_t k = 0; k < count; ++k)
            data_[k] = value;
    }

    /// Calls change(kx, ky, kz, mode) for every stored mode, with wave numbers in units of 2 pi /
    /// side, on all threads. A mode with 0 < kz < n / 2 stands for two.
    template <class Change>
    void for_each_mode(const Change& change)
    {
#ifdef _OPENMP
#pragma omp parallel for collapse(2) schedule(static)
#endif
        for (int i = planes_.begin; i < planes_.end; ++i)
            for (int j = rows_.begin; j < rows_.end; ++j) {
                std::complex<T>* row = spectrum_row(i, j);
                for (int k = 0; k <= n_ / 2; ++k)
                    change(wave_number(i, n_), wave_number(j, n_), k, row[k]);
            }
    }

private:
    static constexpr std::size_t alignment = 128, pad = alignment / sizeof(std::complex<T>);
    struct Free {
        std::size_t bytes = 0;
        void operator()(T* p) const { large_memory()->deallocate(p, bytes, alignment); }
    };
    using Memory = std::unique_ptr<T[], Free>;
    std::size_t values() const
    {
        return std::size_t(planes_.count()) * plane() + more_ * row_;
    }
    /// Returns values(), and a fourth of the added rows: their number changes little between steps.
    std::size_t with_room() const
    {
        return values() + more_ / 4 * row_;
    }
    Memory allocated(std::size_t values)
    {
        const std::size_t bytes = sizeof(T) * values;
        try {
            Memory memory(static_cast<T*>(large_memory()->allocate(bytes, alignment)), {bytes});
            capacity_ = values;
            return memory;
        } catch (const std::bad_alloc&) {
            throw Error(Fault::input, "mesh: " + std::to_string(n_) +
                                          "^3 points: not enough memory for " +
                                          std::to_string(bytes >> 20) + " MiB");
        }
    }
    std::size_t index(int i, int j) const
    {
        return (std::size_t(i) * std::size_t(rows_.count()) + std::size_t(j)) * row_ - first_;
    }

    int n_;
    std::size_t row_;
    MeshRange planes_, rows_;
    std::size_t more_ = 0, capacity_ = 0; ///< rows after the part; values in memory
    std::size_t first_ = 0;               ///< index() of the first value in the whole grid's count
    Memory data_;
};

} // namespace chamomile
