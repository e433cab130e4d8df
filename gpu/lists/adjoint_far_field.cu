// Far cells of gradients on the device: the masses' expansion is the force's (far_field.cu), and
// this file adds that of charges with dipoles, to the same order, and evaluates both.
//
// A target with mass m, lambda and mu gets dL/dx = m grad Psi + (grad grad F) lambda - mu grad F
// and dL/dm = Psi, F of the masses and Psi of the dual field. Here dL/dx is per mass.
//
// Cost of order 6 in single precision: about 950 operations and 170 bytes per cell, 800 per group
// for two shifts, 700 per target; 32 bytes per target written and read again. Contraction: fused.
#include "chamomile/gpu/lists/adjoint_law.cuh"
#include "chamomile/gpu/lists/expansion_warp.cuh"

namespace chamomile {
namespace {

constexpr int order = 6;

template <class T>
using Local = LocalExpansion<T, order>;

/// Returns the expansions of dual fields, stored behind the expansions of masses.
template <class T>
__device__ Local<T>* dual_terms(const DeviceFarField& far)
{
    return static_cast<Local<T>*>(far.terms) + (far.cluster_count + far.row_count);
}

/// Adds the cell's dual moments to an expansion.
template <class T, int... t>
__device__ void add_cell(const DualCellRow<T>& cell, const Vec3<T>& r, const T& size, const T& eps2,
                         Local<T>& local, std::integer_sequence<int, t...>)
{
    const T inv_u = inverse_sqrt(norm_squared(r, eps2)), s = size * inv_u;
    T power[device_dual_order + 1]{T(1)}, moments[sizeof...(t)];
    for (int k = 1; k <= device_dual_order; ++k)
        power[k] = power[k - 1] * s;
    const auto weigh = [&]<int term>() {
        constexpr Exponents e = exponents_of(term);
        constexpr double weight = 1 / (odd_factorial(2 * e.degree() - 1) * factorial(e));
        moments[term] = T(weight) * power[e.degree()] * cell.value[term];
    };
    (weigh.template operator()<t>(), ...);
    local.template add_dipoles<device_dual_order>(inv_u * r, inv_u, moments);
}

/// Expands the dual fields of the far cells of each cluster, then of each group.
template <class T>
__global__ void __launch_bounds__(far_field_block, sizeof(T) == 4 ? 4 : 1)
    expand_duals(DeviceBatch batch, DeviceFarField far)
{
    const Index number = number_of_warp();
    if (number >= far.cluster_count + far.row_count)
        return;
    Index begin, end;
    Vec3<double> center;
    double radius;
    const auto read = [&](const auto& row) {
        begin = row.far_begin, end = row.far_end, center = row.center, radius = row.radius;
    };
    const bool is_cluster = number < far.cluster_count;
    if (is_cluster)
        read(far.clusters[number]);
    else
        read(batch.rows[number - far.cluster_count]);
    const Index* const cells = is_cluster ? far.far_cells : far.group_far_cells;
    const double unit = InternalScale::unit_of_radius(radius * batch.inverse_length),
                 inverse = batch.inverse_length / unit;
    const T eps = T(far.softening_length / unit), inverse_unit = T(1 / unit);
    Local<T> local;
    for (Index k = begin + threadIdx.x % warp_size; k < end; k += warp_size) {
        const DualCellRow<T>& cell = static_cast<const DualCellRow<T>*>(batch.dual_rows)[cells[k]];
        add_cell(cell, rounded<T>(inverse * (batch.multipoles[cells[k]].center - center)),
                 inverse_unit * cell.size, eps * eps, local,
                 std::make_integer_sequence<int, term_count(device_dual_order)>{});
    }
    add_lanes(local, [&](int t, const T& sum) { dual_terms<T>(far)[number].term[t] = sum; });
}

/// The terms of an expansion's derivative along term `low`.
template <class T, int low>
struct Along {
    const T* terms;

    template <int t>
    __device__ T at() const
    {
        return terms[joint_term(low, t)];
    }
};

/// Writes the far sums of the batch's targets, a warp to a group: of one field after the other, for
/// the registers.
template <class T>
__global__ void __launch_bounds__(far_field_block, sizeof(T) == 4 ? 4 : 1)
    evaluate_adjoint(DeviceBatch batch, DeviceFarField far)
{
    const Index number = number_of_warp();
    if (number >= far.row_count)
        return;
    const ListRow& row = batch.rows[number];
    const double unit = InternalScale::unit_of_radius(row.radius * batch.inverse_length);
    const T inverse = T(1 / unit), second = inverse * inverse, third = second * inverse;
    FarSum<T>* const sums = static_cast<FarSum<T>*>(far.sums) - batch.first_target;
    const auto field = [&](const Local<T>* terms) {
        Local<T> local = terms[far.cluster_count + number];
        if (row.cluster == no_cluster)
            return local;
        Local<T> whole = terms[row.cluster];
        ShiftToGroup<T>(far.clusters[row.cluster], row.center, unit, batch.inverse_length)
            .move(whole);
        whole += local;
        return whole;
    };
    const auto for_each_target = [&](const auto& use) {
        for (Index t = row.target_begin + threadIdx.x % warp_size; t < row.target_end;
             t += warp_size) {
            const Index own = batch.sorted(t);
            const double to_unit = batch.inverse_length / unit;
            use(sums[t], rounded<T>(to_unit * (batch.own[own].position - row.center)),
                batch.template dual_target<T>(own));
        }
    };
    {
        const Local<T> dual = field(dual_terms<T>(far));
        for_each_target([&](FarSum<T>& sum, const Vec3<T>& x, const auto&) {
            const auto psi = TaylorPolynomial<order, T, Along<T, 0>>::evaluate({dual.term}, x);
            sum = {second * psi.gradient, inverse * psi.value};
        });
    }
    const Local<T> masses = field(static_cast<const Local<T>*>(far.terms));
    for_each_target([&](FarSum<T>& sum, const Vec3<T>& x, const DualParticle<T>& own) {
        const auto along = [&]<int axis>(T& value) {
            const auto force =
                TaylorPolynomial<order - 1, T, Along<T, axis>>::evaluate({masses.term}, x);
            value += third * dot(own.lambda, force.gradient) - second * own.mu * force.value;
        };
        Vec3<T> a = sum.acceleration;
        along.template operator()<1>(a.x);
        along.template operator()<2>(a.y);
        along.template operator()<3>(a.z);
        sum.acceleration = a;
    });
}

template <class T>
FarFieldKernels adjoint_kernels_for(const LawChoice& law)
{
    FarFieldKernels kernels = find_far_field_kernels(order, law);
    kernels.expand_duals = expand_duals<T>;
    kernels.evaluate = evaluate_adjoint<T>;
    kernels.bytes_of_terms += sizeof(Local<T>);
    return kernels;
}

} // namespace

FarFieldKernels find_adjoint_far_field_kernels(const LawChoice& law)
{
    return law.in_double ? adjoint_kernels_for<double>(law) : adjoint_kernels_for<float>(law);
}

} // namespace chamomile
