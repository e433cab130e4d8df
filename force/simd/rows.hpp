/// \file  J-PACKING: doubles, centered and scaled one row at a time, then rounded to T.
#pragma once

#include "chamomile/core/periodic.hpp"
#include "chamomile/core/simd.hpp"
#include "chamomile/force/expansions/local_expansion.hpp"
#include "chamomile/force/gravity.hpp"

namespace chamomile::CHAMOMILE_INSTRUCTION_SET {

// Hides a value from the optimizer.
#if defined(__AVX2__)
#define CHAMOMILE_KEEP(value) asm("" : "+x"(value))
#else
#define CHAMOMILE_KEEP(value) asm("" : "+m"(value))
#endif

typedef double Two __attribute__((vector_size(16)));
typedef double Four __attribute__((vector_size(32)));
typedef double Eight __attribute__((vector_size(64)));

template <class Row>
struct RoundedRow;
template <>
struct RoundedRow<Two> {
    typedef float type __attribute__((vector_size(8)));
};
template <>
struct RoundedRow<Four> {
    typedef float type __attribute__((vector_size(16)));
};
template <>
struct RoundedRow<Eight> {
    typedef float type __attribute__((vector_size(32)));
};

template <class Row>
CHAMOMILE_HD void load_row(Row& row, const void* from)
{
    __builtin_memcpy(&row, from, sizeof row);
}

template <class Row>
CHAMOMILE_HD void store_rounded(const Row& row, float* to)
{
    const auto rounded = __builtin_convertvector(row, typename RoundedRow<Row>::type);
    __builtin_memcpy(to, &rounded, sizeof rounded);
}

template <class Row>
CHAMOMILE_HD void store_rounded(const Row& row, double* to)
{
    __builtin_memcpy(to, &row, sizeof row);
}

/// Stores the rounded row and, in `residue`, the rounding residue.
template <class Row>
CHAMOMILE_HD void store_rounded(const Row& row, float* to, float* residue)
{
    auto rounded = __builtin_convertvector(row, typename RoundedRow<Row>::type);
    CHAMOMILE_KEEP(rounded); // g++ 12 takes double(float(x)) for x
    __builtin_memcpy(to, &rounded, sizeof rounded);
    store_rounded<Row>(row - __builtin_convertvector(rounded, Row), residue);
}

template <class Row>
CHAMOMILE_HD void store_rounded(const Row& row, double* to, double* residue)
{
    store_rounded(row, to);
    store_rounded<Row>(row - row, residue);
}

/// to[k] = factor * from[k], rounded.
template <class T>
CHAMOMILE_HD void scale_row(const double* from, int count, double factor, T* to)
{
    for (; count >= 8; count -= 8, from += 8, to += 8) {
        Eight eight;
        load_row(eight, from);
        store_rounded<Eight>(eight * factor, to);
    }
    if (count >= 4) {
        Four four;
        load_row(four, from);
        store_rounded<Four>(four * factor, to);
        count -= 4, from += 4, to += 4;
    }
    for (int k = 0; k < count; ++k)
        to[k] = T(from[k] * factor);
}

/// to[k] += factor * lane k, in double.
CHAMOMILE_HD void add_lanes(Pack<float> lanes, double factor, double* to)
{
    constexpr int half = Pack<double>::width;
    Pack<double> low, high;
    widen(lanes, low, high);
    (Pack<double>::load(to) + Pack<double>(factor) * low).store(to);
    (Pack<double>::load(to + half) + Pack<double>(factor) * high).store(to + half);
}

CHAMOMILE_HD void add_lanes(Pack<double> lanes, double factor, double* to)
{
    (Pack<double>::load(to) + Pack<double>(factor) * lanes).store(to);
}

/// Packs particles about a frame's center, as x, y, z, mass; with `wraps`, in the images nearest to
/// `middle`.
template <bool wraps = false>
class ParticleReader {
public:
    explicit ParticleReader(const Frame& frame, const Periodicity& periodicity = {},
                            const Vec3<double>& middle = {})
    {
        const double s = periodicity.side, i = periodicity.inverse_side();
        side_ = Eight{s, s, s, 0, s, s, s, 0};
        inverse_side_ = Eight{i, i, i, 0, i, i, i, 0};
        const Vec3<double>&c = frame.center, d = middle - c;
        const double l = frame.inverse_length, m = frame.inverse_mass;
        about_ = Eight{c.x, c.y, c.z, 0, c.x, c.y, c.z, 0};
        middle_ = Eight{d.x, d.y, d.z, 0, d.x, d.y, d.z, 0};
        scale_ = Eight{l, l, l, m, l, l, l, m};
        load_row(about_one_, &about_);
        load_row(scale_one_, &scale_);
    }

    /// With two arrays in `to`, the second receives rounding residues.
    template <class... T>
    CHAMOMILE_HD void pack(const chamomile::Source* from, int count, T*... to) const
    {
        static_assert(2 * sizeof(chamomile::Source) == sizeof(Eight));
        Eight two;
        for (; count >= 2; count -= 2, from += 2) {
            load_row(two, from);
            two -= about_;
            move_to_nearest(two);
            store_rounded<Eight>(two * scale_, to...);
            ((to += 8), ...);
        }
        if (count > 0) {
            Four one;
            load_row(one, from);
            one -= about_one_;
            if constexpr (wraps) {
                two = Eight{one[0], one[1], one[2], one[3], 0, 0, 0, 0};
                move_to_nearest(two);
                one = Four{two[0], two[1], two[2], two[3]};
            }
            store_rounded<Four>(one * scale_one_, to...);
        }
    }

private:
    /// Replaces differences from the center by nearest images.
    CHAMOMILE_HD void move_to_nearest(Eight& d) const
    {
        if constexpr (wraps) {
            constexpr double whole = 6755399441055744.0; // 1.5 2^52: a sum with it has no fraction
            const Eight turns = (d - middle_) * inverse_side_ + whole;
            d -= side_ * (turns - whole);
        }
    }

    Eight about_, middle_, scale_, side_, inverse_side_; // middle_ relative to about_
    Four about_one_, scale_one_;
};

/// Packs multipoles about a frame's center: x, y, z, mass and second moments xx, xy, xz, yy in one
/// row; yz and zz in a tail.
class MultipoleRows {
public:
    static constexpr int fields = 8, tail_fields = 2;

    explicit MultipoleRows(const Frame& frame)
    {
        const Vec3<double>& c = frame.center;
        const double l = frame.inverse_length, w = frame.inverse_moment();
        about_ = Eight{c.x, c.y, c.z, 0, 0, 0, 0, 0};
        scale_ = Eight{l, l, l, frame.inverse_mass, w, w, w, w};
        scale_tail_ = Two{w, w};
    }

    template <class T>
    CHAMOMILE_HD void pack(const Multipole& from, T* to, T* tail) const
    {
        static_assert(sizeof(Multipole) == sizeof(Eight) + sizeof(Two));
        Eight row;
        load_row(row, &from);
        store_rounded<Eight>((row - about_) * scale_, to);
        Two rest;
        load_row(rest, reinterpret_cast<const char*>(&from) + sizeof row);
        store_rounded<Two>(rest * scale_tail_, tail);
    }

private:
    Eight about_, scale_;
    Two scale_tail_;
};

/// Third and fourth moments, as read by add_cell in local_expansion.hpp: three rows, then a tail
/// with the last moment and the length.
class HigherRows {
public:
    static constexpr int rows = 3, tail_fields = 2;

    explicit HigherRows(const Frame& frame)
    {
        constexpr HigherWeights weights;
        for (int k = 0; k < 8 * rows; ++k)
            scale_[k / 8][k % 8] = weights.of[k] * frame.inverse_mass;
        scale_tail_[0] = weights.of[8 * rows] * frame.inverse_mass;
        scale_tail_[1] = frame.inverse_length;
    }

    /// Packs row `row`, with eight moments.
    template <class T>
    CHAMOMILE_HD void pack(const HigherMoments& from, int row, T* to) const
    {
        Eight values;
        load_row(values, from.moment + 8 * row);
        store_rounded<Eight>(values * scale_[row], to);
    }

    template <class T>
    CHAMOMILE_HD void pack_tail(const HigherMoments& from, T* to) const
    {
        static_assert(sizeof(HigherMoments) == rows * sizeof(Eight) + sizeof(Two));
        Two values;
        load_row(values, from.moment + 8 * rows);
        store_rounded<Two>(values * scale_tail_, to);
    }

private:
    Eight scale_[rows];
    Two scale_tail_;
};

} // namespace chamomile::CHAMOMILE_INSTRUCTION_SET
