/// \file  A batch of lists on the device, as its kernels read it.
#pragma once

#include "chamomile/force/evaluator.hpp"
#include "chamomile/force/periodic/short_range.hpp"
#include "chamomile/gpu/device/time_line.cuh"

namespace chamomile {

/// The work of one warp: sums targets first .. first + count of a row's group over the row's list.
struct WarpWork {
    Index row, first, count;
};

/// lambda and mu of a particle for gradients by the adjoint (gpu/lists/adjoint_law.cuh), in
/// internal units.
template <class T>
struct alignas(4 * sizeof(T)) DualParticle {
    Vec3<T> lambda;
    T mu;
};

/// The first part of a target's sums, from its far cells, in internal units.
template <class T>
struct alignas(4 * sizeof(T)) FarSum {
    Vec3<T> acceleration;
    T potential;
};

/// A batch on the device. A kernel's argument: a member for each array.
struct DeviceBatch {
    const WarpWork* work;
    Index work_count;
    const ListRow* rows;
    const Index* cells;
    const ParticleRange* ranges;
    const Source* sources;
    const Source* own; ///< positions of targets: the sources, or separate targets
    bool separate;
    const Index* self; ///< sorted source of each separate target, or no_source_here; null: none
    const Multipole* multipoles;
    const HigherMoments* higher; ///< for orders 3 and 4
    const Index* targets;        ///< sorted particle of each target; null: same index
    const Index* places;         ///< index of each target in `sums`; null: same index
    TargetSum* sums;
    double inverse_length, inverse_mass;
    double softening_length;
    int order;
    const void* far_sums; ///< FarSum of each target of the batch; null: none
    Index first_target;   ///< of the batch
    Periodicity periodicity;
    ShortRangeForm form; ///< for periodic laws
    BatchNote* note;
    // With per-particle softening eps^2, in the caller's units; else null.
    const double* of_source; ///< sorted
    const double* of_own;    ///< of the particles in `own`
    const CellSoftening* of_cell;
    double rule_weight; ///< Softening::rule_weight(), for expansions
    // For gradients, else null.
    const void* duals;     ///< DualParticle of each sorted source
    const void* dual_rows; ///< DualCellRow of each cell
    const void* moving;    ///< DualParticle of each sorted target with velocities; null: a gradient

    __device__ double internal(double eps2) const { return eps2 * inverse_length * inverse_length; }
    __device__ Index sorted(Index target) const { return targets ? targets[target] : target; }
    __device__ const Vec3<double>& place(Index target) const
    {
        return own[sorted(target)].position;
    }
    /// Returns the sorted source identical with a target, or no_source_here.
    __device__ Index source_of(Index target) const
    {
        return !separate ? sorted(target) : self ? self[target] : no_source_here;
    }
    template <class T>
    __device__ DualParticle<T> dual_of(Index sorted) const
    {
        return static_cast<const DualParticle<T>*>(duals)[sorted];
    }
    /// Returns lambda and mu per mass, with the mass below.
    template <class T>
    __device__ DualParticle<T> dual_target(Index sorted) const
    {
        if (moving)
            return static_cast<const DualParticle<T>*>(moving)[sorted];
        const DualParticle<T> dual = dual_of<T>(sorted);
        const T inverse = T(1 / mass_of_dual(sorted));
        return {inverse * dual.lambda, inverse * dual.mu};
    }
    /// Returns the target's mass: 1 with velocities. Massless targets have one far below all
    /// others, which changes their gradient less than rounding.
    __device__ double mass_of_dual(Index sorted) const
    {
        return moving ? 1 : fmax(inverse_mass * own[sorted].mass, 0x1p-60);
    }
    __device__ TargetSum& sum_of(Index target) const
    {
        return sums[places ? places[target] : target];
    }
    template <class T>
    __device__ FarSum<T> far_sum_of(Index target) const
    {
        return far_sums ? static_cast<const FarSum<T>*>(far_sums)[target - first_target]
                        : FarSum<T>{};
    }
};

} // namespace chamomile
