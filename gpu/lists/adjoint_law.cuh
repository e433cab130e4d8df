/// \file  The adjoint of gravity in the Chamomile kernel: pairs, and cells as rows.
#pragma once

#include "chamomile/force/adjoint/short_range_cells.hpp"
#include "chamomile/force/gravity.hpp"
#include "chamomile/gpu/lists/chamomile.cuh"

namespace chamomile {

/// Degree of the dual moments: one above the cells' second moments.
inline constexpr int device_dual_order = 3;
inline constexpr int dual_values = DualRow{device_dual_order}.size();

/// A cell's row, and the unit of its lengths, a power of two.
template <class T>
struct alignas(16) DualCellRow {
    alignas(16) T value[dual_values];
    alignas(16) T size;
};

/// A cell as read by the force loop.
template <class T>
struct DualCellSource {
    Vec3<T> position;
    T size;
    T row[dual_values];
};

/// The adjoint of gravity (force/pairs/laws/gravity_adjoint.hpp) with cells. Targets have lambda
/// and mu per mass, so sums of dL/dx are per mass: with l = lambda_i / m_i,
///
///     dL/dx_i / m_i = sum_j [B (r.w) r - A (w + s r)]     w = m_j l - lambda_j
///     dL/dm_i       = -sum_j [A (lambda_j.r) + C mu_j]    s = mu_j + m_j mu_i / m_i
///
/// `with_mu`: some mu differs from 0. `in_cube`: A, B and C are those of gravity's short range in a
/// periodic cube, 0 beyond r_cut. A warp skips pairs and cells that none of its lanes reaches.
template <class Kernel_, bool with_mu, bool in_cube>
struct ListAdjoint {
    using Kernel = Kernel_;
    template <class T>
    struct Target {
        Vec3<T> position, lambda;
        T mu;
    };
    template <class T>
    struct Source {
        Vec3<T> position;
        T mass;
        Vec3<T> lambda;
        T mu;
    };
    template <class T>
    struct Sum {
        Vec3<T> position;
        T mass;
    };
    template <class T>
    using CellSource = DualCellSource<T>;
    static constexpr bool per_particle = false, is_periodic = in_cube, is_adjoint = true;

    OneLength rule;
    const ShortRangeForm* form = nullptr; ///< in a periodic cube

    static __device__ ListAdjoint of(const LawNumbers& n)
    {
        return {OneLength::of<Kernel>(n), n.form};
    }

    template <class T>
    static __device__ void pack_cell(const Vec3<double>& center, const void* rows, Index cell,
                                     const Frame& frame, DualCellSource<T>& packed)
    {
        const DualCellRow<T>& row = static_cast<const DualCellRow<T>*>(rows)[cell];
        packed.position = rounded<T>(frame.of(center));
        packed.size = row.size;
#pragma unroll
        for (int k = 0; k < dual_values; ++k)
            packed.row[k] = row.value[k];
    }

    template <class T>
    __device__ void operator()(const Target<T>& i, const Source<T>& j, Sum<T>& sum) const
    {
        const Vec3<T> r = j.position - i.position, w = j.mass * i.lambda - j.lambda;
        T a, b, c;
        if constexpr (is_periodic) {
            const T x = form->place(norm_squared(r, T(0)));
            if (!(x < T(1)))
                return;
            T smooth_a, smooth_b, smooth_c;
            find_smooth_tide(*form, x, smooth_a, smooth_b, smooth_c);
            Kernel::find_tide(r, T(1), rule.template length_of<T>(i, j), a, b, c);
            a -= smooth_a;
            b -= smooth_b;
            c -= smooth_c;
        } else {
            Kernel::find_tide(r, T(1), rule.template length_of<T>(i, j), a, b, c);
        }
        T along = b * dot(r, w);
        if constexpr (with_mu)
            along -= a * (j.mu + j.mass * i.mu);
        sum.position += along * r;
        sum.position -= a * w;
        sum.mass -= a * dot(j.lambda, r);
        if constexpr (with_mu)
            sum.mass -= c * j.mu;
    }

    template <class T>
    __device__ void operator()(const Target<T>& target, const DualCellSource<T>& cell,
                               Sum<T>& sum) const
    {
        struct {
            const Vec3<T>&position, &lambda;
            T mass, mu;
            Vec3<T>& sum;
            T &dual, along;
        } i{target.position, target.lambda, T(1), with_mu ? target.mu : T(0),
            sum.position,    sum.mass,      T(0)};
        const T eps2 = Kernel::softens_cells ? T(rule.number) : T(0);
        if constexpr (is_periodic) {
            const T r2 = norm_squared(cell.position - target.position, T(0));
            if (!(form->place(r2) < T(1)))
                return;
            add_dual_cell<device_dual_order>(cell, eps2, i, short_range_of(*form, r2, eps2));
        } else {
            add_dual_cell<device_dual_order>(cell, eps2, i);
        }
        sum.position -= i.along * target.lambda;
    }
};

} // namespace chamomile
