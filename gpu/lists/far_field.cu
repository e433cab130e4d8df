// Far cells on the device: expanded a lane to a cell, evaluated a lane to a target.
//
// A warp takes the far cells of one cluster (M2L), then a warp those of one group, adds its
// cluster's expansion (L2L) and writes the field at the group's targets (L2P) as the first part of
// their sums. Each lane sums its share of the cells in T; lanes are added by a butterfly, so that
// the order depends on the list alone.
//
// Cost of order 5 in single precision: 343 operations and 80 bytes per cell (466 and 546 operations
// and 288 bytes for cells of orders 3 and 4), 228 per group for the shift, 560 for the butterfly,
// 120 per target; 32 bytes per target written and read again. Cells whose particles have softening
// lengths of their own take 8 bytes and 5 operations in double more. Contraction: fused.
#include "chamomile/force/expansions/local_expansion.hpp"
#include "chamomile/gpu/lists/far_field.cuh"

namespace chamomile {
namespace {

/// FarFieldWarp is the work of one warp on one centre, with multipoles of order 2 (with 0), 3 or 4.
template <class Batch, class T, int local_order, int order>
class FarFieldWarp {
public:
    using Local = LocalExpansion<T, local_order>;

    __device__ FarFieldWarp(const Batch& batch, const DeviceFarField& far,
                            const Vec3<double>& center, double radius)
        : batch_(batch), far_(far), center_(center),
          unit_(InternalScale::unit_of_radius(radius * batch.inverse_length)),
          inverse_(batch.inverse_length / unit_), lane_(int(threadIdx.x) % warp_size)
    {}

    /// `targets` is eps^2 about which those are that have lengths of their own.
    __device__ void add_cells(Index begin, Index end, [[maybe_unused]] double targets)
    {
        const T eps = T(far_.softening_length / unit_);
        for (Index k = begin + Index(lane_); k < end; k += warp_size) {
            T eps2 = eps * eps;
            if constexpr (is_varied)
                eps2 = own_softening(far_.far_cells[k], targets);
            const Multipole m = batch_.multipoles[far_.far_cells[k]];
            const Vec3<T> r = rounded(inverse_ * (m.center - center_));
            const T mass = T(batch_.inverse_mass * m.mass);
            if (order == 2 && batch_.order == 0) {
                local_.add_mass(r, mass, eps2);
                continue;
            }
            const double w = batch_.inverse_mass * inverse_ * inverse_;
            const SymmetricTensor<T> second{T(w * m.second.xx), T(w * m.second.xy),
                                            T(w * m.second.xz), T(w * m.second.yy),
                                            T(w * m.second.yz), T(w * m.second.zz)};
            if constexpr (order == 2)
                local_.add_cell(r, mass, second, eps2);
            else
                add_higher(far_.far_cells[k], r, mass, second, eps2);
        }
    }

    /// Gives all lanes the sum over the lanes.
    __device__ void add_lanes()
    {
#pragma unroll
        for (int t = 0; t < Local::size; ++t)
#pragma unroll
            for (int step = 1; step < warp_size; step *= 2)
                local_.term[t] += __shfl_xor_sync(0xffffffffu, local_.term[t], step);
    }

    __device__ void store(Local& terms) const
    {
        if (lane_ == 0)
            terms = local_;
    }

    /// Adds the field that is expanded about another centre.
    __device__ void add(const Local& wider, const Vec3<double>& center, double radius)
    {
        const double unit = InternalScale::unit_of_radius(radius * batch_.inverse_length);
        Local shifted = wider;
        shifted.shift(rounded((batch_.inverse_length / unit) * (center_ - center)));
        shifted.change_unit(T(unit / unit_));
        local_ += shifted;
    }

    /// Writes the field at the targets.
    __device__ void evaluate(Index target_begin, Index target_end) const
    {
        const double potential_unit = 1 / unit_, acceleration_unit = potential_unit / unit_;
        for (Index t = target_begin + Index(lane_); t < target_end; t += warp_size) {
            const Vec3<T> x = rounded(inverse_ * (batch_.place(t) - center_));
            const FieldValue<T> value = local_.evaluate(x);
            TargetSum sum;
            sum.acceleration = {acceleration_unit * double(value.acceleration.x),
                                acceleration_unit * double(value.acceleration.y),
                                acceleration_unit * double(value.acceleration.z)};
            sum.potential = potential_unit * double(value.potential);
            batch_.sum_of(t) = sum;
        }
    }

private:
    static constexpr bool is_varied = std::is_same_v<Batch, SoftenedBatch>;

    /// Returns eps^2 between a cell and targets, 0 of a spline.
    __device__ T own_softening(Index cell, double targets) const
    {
        const double own = batch_.of_cell[cell].mean,
                     eps2 = fmax(own, targets) + batch_.smaller_part * fmin(own, targets);
        return far_.softening_length > 0 ? T(eps2 * inverse_ * inverse_) : T(0);
    }

    __device__ void add_higher(Index cell, const Vec3<T>& r, const T& mass,
                               const SymmetricTensor<T>& second, const T& eps2)
    {
        constexpr int first = HigherMoments::first, count = term_count(order) - first;
        constexpr HigherWeights weights;
        const HigherMoments& h = batch_.higher[cell];
        T higher[count];
#pragma unroll
        for (int k = 0; k < count; ++k)
            higher[k] = T(weights.of[k] * batch_.inverse_mass * h.moment[k]);
        local_.template add_cell<order>(r, mass, second, T(inverse_ * h.length), higher, eps2);
    }

    static __device__ Vec3<T> rounded(const Vec3<double>& x)
    {
        return {T(x.x), T(x.y), T(x.z)};
    }

    const Batch& batch_;
    const DeviceFarField& far_;
    const Vec3<double> center_;
    const double unit_, inverse_; // internal; from the particles' unit into this one
    const int lane_;
    Local local_;
};

__device__ Index number_of_warp()
{
    return (blockIdx.x * blockDim.x + threadIdx.x) / warp_size;
}

template <class Batch, class T, int local_order, int order>
__global__ void __launch_bounds__(far_field_block) expand_clusters(Batch batch, DeviceFarField far)
{
    if (threadIdx.x == 0)
        batch.times->begin();
    const Index number = number_of_warp();
    if (number >= far.cluster_count)
        return;
    const ClusterRow row = far.clusters[number];
    FarFieldWarp<Batch, T, local_order, order> warp(batch, far, row.center, row.radius);
    warp.add_cells(row.far_begin, row.far_end, row.softening);
    warp.add_lanes();
    warp.store(static_cast<LocalExpansion<T, local_order>*>(far.cluster_terms)[number]);
}

/// Writes the sums of all targets of the batch, which the Chamomile kernel goes on with.
template <class Batch, class T, int local_order, int order>
__global__ void __launch_bounds__(far_field_block) expand_groups(Batch batch, DeviceFarField far)
{
    if (threadIdx.x == 0)
        batch.times->begin();
    const Index number = number_of_warp();
    if (number >= far.row_count)
        return;
    const ListRow row = batch.rows[number];
    FarFieldWarp<Batch, T, local_order, order> warp(batch, far, row.center, row.radius);
    warp.add_cells(row.far_begin, row.far_end, row.softening);
    warp.add_lanes();
    if (row.cluster != no_cluster) {
        const ClusterRow cluster = far.clusters[row.cluster];
        warp.add(static_cast<const LocalExpansion<T, local_order>*>(far.cluster_terms)[row.cluster],
                 cluster.center, cluster.radius);
    }
    warp.evaluate(row.target_begin, row.target_end);
}

template <class Batch, class T, int local_order, int order>
constexpr FarFieldKernels<Batch> far_field_kernels_of{expand_clusters<Batch, T, local_order, order>,
                                                      expand_groups<Batch, T, local_order, order>,
                                                      sizeof(LocalExpansion<T, local_order>)};

template <class Batch, class T, int order>
FarFieldKernels<Batch> far_field_kernels(int local_order)
{
    static constexpr FarFieldKernels<Batch> kernels[] = {
        far_field_kernels_of<Batch, T, 3, order>, far_field_kernels_of<Batch, T, 4, order>,
        far_field_kernels_of<Batch, T, 5, order>, far_field_kernels_of<Batch, T, 6, order>};
    return kernels[local_order - 3];
}

template <class Batch, class T>
FarFieldKernels<Batch> far_field_kernels(int local_order, int order)
{
    return order <= 2   ? far_field_kernels<Batch, T, 2>(local_order)
           : order == 3 ? far_field_kernels<Batch, T, 3>(local_order)
                        : far_field_kernels<Batch, T, 4>(local_order);
}

} // namespace

template <class Batch>
FarFieldKernels<Batch> find_far_field_kernels(int local_order, int order, Precision precision)
{
    return precision == Precision::double_precision
               ? far_field_kernels<Batch, double>(local_order, order)
               : far_field_kernels<Batch, float>(local_order, order);
}

template FarFieldKernels<DeviceBatch> find_far_field_kernels(int, int, Precision);
template FarFieldKernels<SoftenedBatch> find_far_field_kernels(int, int, Precision);

} // namespace chamomile
