// Far cells on the device: expanded a lane to a cell, evaluated a lane to a target.
//
// A warp takes the far cells of one cluster or group (M2L). Each lane sums its share of the cells
// in T; lanes are added in pairs, so that the order depends on the list only. Then a warp adds to
// each group its cluster's expansion (L2L), and writes the field at the group's targets (L2P) as
// the first part of their sums.
//
// Cost of order 5 in single precision: 343 operations and 80 bytes per cell (466 and 546 operations
// and 288 bytes for cells of orders 3 and 4), 228 per group for the shift, 250 to add the lanes,
// 120 per target; 16 bytes per target written and read again. Per-particle softening adds 32 bytes
// and about 40 operations a cell. A cell with different pair softenings is read again for the
// expansions of changes, at about 150 operations; twice for targets of three lengths.
// Contraction: fused.
#include "chamomile/force/expansions/softening_change.hpp"
#include "chamomile/gpu/lists/expansion_warp.cuh"

namespace chamomile {
namespace {

/// The work of one warp on one center, with multipoles of order 2 (or 0), 3 or 4.
template <bool per_particle, class T, int local_order, int order>
class FarFieldWarp {
public:
    using Local = LocalExpansion<T, local_order>;
    using Change = ChangeExpansion<T>;

    __device__ FarFieldWarp(const DeviceBatch& batch, const DeviceFarField& far,
                            const Vec3<double>& center, double radius)
        : batch_(batch), far_(far), center_(center),
          unit_(InternalScale::unit_of_radius(radius * batch.inverse_length)),
          inverse_(batch.inverse_length / unit_), lane_(int(threadIdx.x) % warp_size)
    {}

    /// Sets the softenings of targets with per-particle softening.
    __device__ void soften(const SofteningSpan& targets)
    {
        span_ = targets;
        const double unit = inverse_ * inverse_;
        targets_[0] = T(unit * targets.min);
        targets_[1] = T(unit * targets.inner);
        targets_[2] = T(unit * targets.largest);
    }

    __device__ void add_cells(const Index* far_cells, Index begin, Index end)
    {
        const T eps = T(far_.softening_length / unit_);
        for (Index k = begin + Index(lane_); k < end; k += warp_size) {
            T eps2 = eps * eps;
            if constexpr (per_particle) {
                const CellPairs<T> pairs = pairs_of(far_cells[k]);
                eps2 = pairs.eps2;
                changes_ = changes_ || pairs.differ();
            }
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

    __device__ void store(Local& terms)
    {
        add_lanes(local_, [&](int t, const T& sum) { terms.term[t] = sum; });
    }

    /// Adds to the stored terms the change to the targets' min softening, and stores the change by
    /// each step of the targets' softening. Each step takes a separate pass, to fit the registers.
    /// If all pairs of each cell have one softening, all changes are 0.
    __device__ void store_changes(const Index* far_cells, Index begin, Index end, Local& terms,
                                  Change* changes)
    {
        __syncwarp(); // other lanes have stored terms
        const bool any = __any_sync(all_lanes, changes_);
        for (int k = 0; k < 2; ++k)
            if (!any || !span_.has_step(k))
                for (int t = lane_; t < Change::size; t += warp_size)
                    changes[k].term[t] = 0;
        if (!any)
            return;
        Change base;
        const int first = span_.has_step(0) ? 0 : 1;
        sum_changes(far_cells, begin, end, first, base, changes[first]);
        add_lanes(base, [&](int t, const T& sum) { terms.term[t] += sum; });
        if (first == 0 && span_.has_step(1))
            sum_changes(far_cells, begin, end, 1, base, changes[1]);
    }

private:
    /// Adds to `base`, on this lane, the changes from softening eps2 to the targets' min
    /// softening. Stores in `change` the changes by one step of the targets' softening.
    __device__ void sum_changes(const Index* far_cells, Index begin, Index end, int step,
                                Change& base, Change& change) const
    {
        Change sum;
        for (Index k = begin + Index(lane_); k < end; k += warp_size) {
            const CellPairs<T> pairs = pairs_of(far_cells[k]);
            if (!pairs.differ())
                continue;
            const Multipole& m = batch_.multipoles[far_cells[k]];
            const SofteningChange<T> of_cell(rounded(inverse_ * (m.center - center_)),
                                             T(batch_.inverse_mass * m.mass), pairs.eps2);
            of_cell.add(pairs.mean[0], pairs.square[0], base);
            of_cell.add(step == 0 ? pairs.mean[1] - pairs.mean[0] : pairs.mean[2] - pairs.mean[1],
                        step == 0 ? pairs.square[1] - pairs.square[0]
                                  : pairs.square[2] - pairs.square[1],
                        sum);
        }
        add_lanes(sum, [&](int t, const T& all) { change.term[t] = all; });
    }

    /// Returns the softenings of pairs with a cell; 0 if cells are not softened.
    __device__ CellPairs<T> pairs_of(Index cell) const
    {
        CellPairs<T> pairs{};
        if (far_.softens_cells) {
            const CellSoftening& own = batch_.of_cell[cell];
            const double unit = inverse_ * inverse_;
            pairs.find(RuntimeRule{batch_.rule_weight}, targets_, T(unit * own.low),
                       T(unit * own.high), T(own.high_part));
        }
        return pairs;
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

    const DeviceBatch& batch_;
    const DeviceFarField& far_;
    const Vec3<double> center_;
    const double unit_, inverse_; // internal unit; factor from the particles' unit to it
    const int lane_;
    SofteningSpan span_;
    T targets_[3]{};
    bool changes_ = false; ///< pair softenings with a cell of this lane differ
    Local local_;
};

/// Min blocks on a multiprocessor. In float its registers fit the expansions of 12 warps; without
/// this bound the compiler uses registers for only 8.
template <class T>
constexpr int far_field_blocks = sizeof(T) == 4 ? 6 : 1;

/// Returns the changes of all expansions with the targets' softening: two per expansion, after the
/// terms.
template <class T, int local_order>
__device__ ChangeExpansion<T>* changes_of(const DeviceFarField& far)
{
    return reinterpret_cast<ChangeExpansion<T>*>(
        static_cast<LocalExpansion<T, local_order>*>(far.terms) +
        (far.cluster_count + far.row_count));
}

/// Expands the far cells of each cluster, then of each group.
template <bool per_particle, class T, int local_order, int order>
__global__ void __launch_bounds__(far_field_block, far_field_blocks<T>)
    expand(DeviceBatch batch, DeviceFarField far)
{
    using Warp = FarFieldWarp<per_particle, T, local_order, order>;
    if (threadIdx.x == 0)
        batch.note->begin();
    const Index number = number_of_warp();
    if (number >= far.cluster_count + far.row_count)
        return;
    const bool is_cluster = number < far.cluster_count;
    Index begin, end;
    Vec3<double> center;
    double radius;
    SofteningSpan softening;
    const auto read = [&](const auto& row) {
        begin = row.far_begin, end = row.far_end, center = row.center, radius = row.radius;
        softening = row.softening;
    };
    if (is_cluster)
        read(far.clusters[number]);
    else
        read(batch.rows[number - far.cluster_count]);
    Warp warp(batch, far, center, radius);
    const Index* const cells = is_cluster ? far.far_cells : far.group_far_cells;
    auto& terms = static_cast<typename Warp::Local*>(far.terms)[number];
    if constexpr (per_particle)
        warp.soften(softening);
    warp.add_cells(cells, begin, end);
    warp.store(terms);
    if constexpr (per_particle)
        warp.store_changes(cells, begin, end, terms, changes_of<T, local_order>(far) + 2 * number);
}

/// The field of far cells about a group's center, with that of its cluster added (L2L). Each lane
/// of a warp makes the same: 600 operations in registers, in place of another kernel that waits for
/// memory.
template <bool per_particle, class T, int local_order>
class GroupField {
    using Local = LocalExpansion<T, local_order>;
    using Change = ChangeExpansion<T>;

public:
    __device__ GroupField(const DeviceBatch& batch, const DeviceFarField& far, Index number)
        : row_(batch.rows[number]), inverse_length_(batch.inverse_length),
          unit_(InternalScale::unit_of_radius(row_.radius * inverse_length_))
    {
        const Local* const terms = static_cast<const Local*>(far.terms);
        [[maybe_unused]] const Change* const changes = changes_of<T, local_order>(far);
        const Index own = far.cluster_count + number;
        if constexpr (per_particle)
            for (int k = 0; k < 2; ++k)
                change_[k] = changes[2 * own + k];
        if (row_.cluster == no_cluster) {
            local_ = terms[own];
            return;
        }
        const ClusterRow& cluster = far.clusters[row_.cluster];
        const ShiftToGroup<T> to_group(cluster, row_.center, unit_, inverse_length_);
        local_ = terms[row_.cluster];
        to_group.move(local_);
        local_ += terms[own];
        if constexpr (per_particle)
            add_changes(cluster.softening, changes + 2 * row_.cluster, to_group);
    }

    __device__ FarSum<T> at(const DeviceBatch& batch, Index target) const
    {
        const double to_unit = inverse_length_ / unit_;
        const Vec3<double> x = to_unit * (batch.place(target) - row_.center);
        const Vec3<T> place{T(x.x), T(x.y), T(x.z)};
        FieldValue<T> value = local_.evaluate(place);
        if constexpr (per_particle) {
            const double eps2 = batch.of_own[batch.sorted(target)];
            for (int k = 0; k < 2; ++k)
                if (row_.softening.has_step(k)) {
                    const FieldValue<T> more = change_[k].evaluate(place);
                    const T part = T(row_.softening.part(k, eps2));
                    value.acceleration += part * more.acceleration;
                    value.potential += part * more.potential;
                }
        }
        const T potential_unit = T(1 / unit_), acceleration_unit = potential_unit * potential_unit;
        return {acceleration_unit * value.acceleration, potential_unit * value.potential}; // exact
    }

private:
    /// Adds the changes with the targets' softening, which the cluster stores in two steps.
    __device__ void add_changes(const SofteningSpan& softening, const Change* of_cluster,
                                const ShiftToGroup<T>& to_group)
    {
        for (int k = 0; k < 2; ++k) {
            if (!softening.has_step(k))
                continue;
            Change all = of_cluster[k];
            to_group.move(all);
            const T min = T(softening.part(k, row_.softening.min)),
                    inner = T(softening.part(k, row_.softening.inner)),
                    largest = T(softening.part(k, row_.softening.largest));
            for (int t = 0; t < all.size; ++t) {
                local_.term[t] += min * all.term[t];
                change_[0].term[t] += (inner - min) * all.term[t];
                change_[1].term[t] += (largest - inner) * all.term[t];
            }
        }
    }

    const ListRow& row_;
    const double inverse_length_, unit_;
    Local local_;
    std::conditional_t<per_particle, Change, char> change_[2]{};
};

/// Writes the far sums of the batch's targets, a warp to a group.
template <bool per_particle, class T, int local_order>
__global__ void __launch_bounds__(far_field_block, far_field_blocks<T>)
    evaluate(DeviceBatch batch, DeviceFarField far)
{
    const Index number = number_of_warp();
    if (number >= far.row_count)
        return;
    const GroupField<per_particle, T, local_order> field(batch, far, number);
    const Index end = batch.rows[number].target_end;
    for (Index t = batch.rows[number].target_begin + threadIdx.x % warp_size; t < end;
         t += warp_size)
        static_cast<FarSum<T>*>(far.sums)[t - batch.first_target] = field.at(batch, t);
}

template <bool per_particle, class T, int local_order, int order>
constexpr FarFieldKernels far_field_kernels_of{
    expand<per_particle, T, local_order, order>, evaluate<per_particle, T, local_order>,
    sizeof(LocalExpansion<T, local_order>) + (per_particle ? 2 * sizeof(ChangeExpansion<T>) : 0),
    sizeof(FarSum<T>)};

template <bool per_particle, class T, int order>
FarFieldKernels far_field_kernels(int local_order)
{
    static constexpr FarFieldKernels kernels[] = {far_field_kernels_of<per_particle, T, 3, order>,
                                                  far_field_kernels_of<per_particle, T, 4, order>,
                                                  far_field_kernels_of<per_particle, T, 5, order>,
                                                  far_field_kernels_of<per_particle, T, 6, order>};
    return kernels[local_order - 3];
}

template <bool per_particle, class T>
FarFieldKernels far_field_kernels(int local_order, int order)
{
    return order <= 2   ? far_field_kernels<per_particle, T, 2>(local_order)
           : order == 3 ? far_field_kernels<per_particle, T, 3>(local_order)
                        : far_field_kernels<per_particle, T, 4>(local_order);
}

} // namespace

FarFieldKernels find_far_field_kernels(int local_order, const LawChoice& law)
{
    const auto kernels = law.per_particle ? law.in_double ? far_field_kernels<true, double>
                                                          : far_field_kernels<true, float>
                         : law.in_double ? far_field_kernels<false, double>
                                          : far_field_kernels<false, float>;
    return kernels(local_order, law.order);
}

} // namespace chamomile
