// Far cells on the device: expanded a lane to a cell, evaluated a lane to a target.
//
// A warp takes the far cells of one cluster or group (M2L). Each lane sums its share of the cells
// in T; lanes are added by a butterfly, so that the order depends on the list alone. Then a thread
// adds to each group its cluster's expansion (L2L), and a warp writes the field at the group's
// targets (L2P) as the first part of their sums. As one kernel the last two steps needed 254
// registers, and the first waited for memory with 7 warps on a multiprocessor.
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
    __device__ void add_cells(const Index* far_cells, Index begin, Index end,
                              [[maybe_unused]] double targets)
    {
        const T eps = T(far_.softening_length / unit_);
        for (Index k = begin + Index(lane_); k < end; k += warp_size) {
            T eps2 = eps * eps;
            if constexpr (is_varied)
                eps2 = own_softening(far_cells[k], targets);
            const Multipole m = batch_.multipoles[far_cells[k]];
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
                add_higher(far_cells[k], r, mass, second, eps2);
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

/// So many blocks at least run on a multiprocessor: in float the expansions of 12 warps fit its
/// registers, where the compiler would take what only 8 leave.
template <class T>
constexpr int far_field_blocks = sizeof(T) == 4 ? 6 : 1;

__device__ Index number_of_warp()
{
    return (blockIdx.x * blockDim.x + threadIdx.x) / warp_size;
}

/// Expands the far cells of each cluster, then those of each group.
template <class Batch, class T, int local_order, int order>
__global__ void __launch_bounds__(far_field_block, far_field_blocks<T>)
    expand(Batch batch, DeviceFarField far)
{
    using Warp = FarFieldWarp<Batch, T, local_order, order>;
    if (threadIdx.x == 0)
        batch.note->begin();
    const Index number = number_of_warp();
    if (number >= far.cluster_count + far.row_count)
        return;
    const bool is_cluster = number < far.cluster_count;
    Index begin, end;
    Vec3<double> center;
    double radius, softening;
    const auto read = [&](const auto& row) {
        begin = row.far_begin, end = row.far_end, center = row.center, radius = row.radius;
        softening = row.softening;
    };
    if (is_cluster)
        read(far.clusters[number]);
    else
        read(batch.rows[number - far.cluster_count]);
    Warp warp(batch, far, center, radius);
    warp.add_cells(is_cluster ? far.far_cells : far.group_far_cells, begin, end, softening);
    warp.add_lanes();
    warp.store(static_cast<typename Warp::Local*>(far.terms)[number]);
}

/// Adds the field of each group's cluster to that of the group, a thread to a group.
template <class T, int local_order>
__global__ void __launch_bounds__(far_field_block) shift(DeviceBatch batch, DeviceFarField far)
{
    using Local = LocalExpansion<T, local_order>;
    const Index number = blockIdx.x * blockDim.x + threadIdx.x;
    if (number >= far.row_count || batch.rows[number].cluster == no_cluster)
        return;
    const ListRow& row = batch.rows[number];
    const ClusterRow& cluster = far.clusters[row.cluster];
    Local* const terms = static_cast<Local*>(far.terms);
    const double wide = InternalScale::unit_of_radius(cluster.radius * batch.inverse_length),
                 unit = InternalScale::unit_of_radius(row.radius * batch.inverse_length);
    const Vec3<double> d = (batch.inverse_length / wide) * (row.center - cluster.center);
    Local shifted = terms[row.cluster];
    shifted.shift({T(d.x), T(d.y), T(d.z)});
    shifted.change_unit(T(wide / unit));
    terms[far.cluster_count + number] += shifted;
}

/// Writes the sums of all targets of the batch, which the Chamomile kernel goes on with.
template <class T, int local_order>
__global__ void __launch_bounds__(far_field_block) evaluate(DeviceBatch batch, DeviceFarField far)
{
    using Local = LocalExpansion<T, local_order>;
    const Index number = number_of_warp();
    if (number >= far.row_count)
        return;
    const ListRow& row = batch.rows[number];
    const Local local = static_cast<const Local*>(far.terms)[far.cluster_count + number];
    const double unit = InternalScale::unit_of_radius(row.radius * batch.inverse_length),
                 potential_unit = 1 / unit, acceleration_unit = potential_unit / unit;
    const Vec3<double> center = row.center;
    const Index end = row.target_end;
    for (Index t = row.target_begin + threadIdx.x % warp_size; t < end; t += warp_size) {
        const Vec3<double> x = (batch.inverse_length / unit) * (batch.place(t) - center);
        const FieldValue<T> value = local.evaluate(Vec3<T>{T(x.x), T(x.y), T(x.z)});
        TargetSum sum;
        sum.acceleration = {acceleration_unit * double(value.acceleration.x),
                            acceleration_unit * double(value.acceleration.y),
                            acceleration_unit * double(value.acceleration.z)};
        sum.potential = potential_unit * double(value.potential);
        batch.sum_of(t) = sum;
    }
}

template <class Batch, class T, int local_order, int order>
constexpr FarFieldKernels<Batch> far_field_kernels_of{
    expand<Batch, T, local_order, order>, shift<T, local_order>, evaluate<T, local_order>,
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
