/// \file  The adjoint of gravity in the Chamomile kernel: pairs by the pair law, cells as rows.
#pragma once

#include "chamomile/force/adjoint/dual_row.hpp"
#include "chamomile/force/pairs/laws/gravity_adjoint.hpp"
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

/// GravityAdjoint with cells.
template <class Kernel_>
struct ListAdjoint : GravityAdjoint<Kernel_, OneLength> {
    using Kernel = Kernel_;
    using Pairs = GravityAdjoint<Kernel, OneLength>;
    using Pairs::operator();
    template <class T>
    using Target = typename Pairs::template Target<T>;
    template <class T>
    using Sum = typename Pairs::template Sum<T>;
    template <class T>
    using CellSource = DualCellSource<T>;
    static constexpr bool per_particle = false, is_periodic = false, is_adjoint = true;

    static __device__ ListAdjoint of(const LawNumbers& n) { return {{OneLength::of<Kernel>(n)}}; }

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
    __device__ void operator()(const Target<T>& target, const DualCellSource<T>& cell,
                               Sum<T>& sum) const
    {
        struct {
            const Vec3<T>&position, &lambda;
            T mass, mu;
            Vec3<T>& sum;
            T &dual, along;
        } i{target.position, target.lambda, target.mass, target.mu, sum.position, sum.mass, T(0)};
        add_dual_cell<device_dual_order>(cell, Kernel::softens_cells ? T(this->rule.number) : T(0),
                                         i);
        sum.position -= i.along * target.lambda;
    }
};

} // namespace chamomile
