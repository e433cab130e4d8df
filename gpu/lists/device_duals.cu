// Moments of charges -mu with dipoles lambda on the device, as force/adjoint/dual_moments.cpp sums
// them on the host, about the cells' centers of mass.
//
// Each thread sums its leaf, then climbs while it is the last to arrive at a cell, in double; then
// each cell's row of coefficients is written. A particle takes about 150 operations in double and
// 64 bytes, a cell 1000 and 600 bytes: 0.1 ms for 1e6 particles. Sums do not depend on the order of
// arrival. Contraction: fused.
#include <algorithm>
#include <cmath>

#include "chamomile/force/adjoint/dual_moments.hpp"
#include "chamomile/force/lists/strided_io.hpp"
#include "chamomile/gpu/device/device_arrays.cuh"
#include "chamomile/gpu/lists/adjoint_law.cuh"
#include "chamomile/gpu/lists/device_duals.cuh"
#include "chamomile/gpu/tree/mothers.cuh"

namespace chamomile {
namespace {

constexpr unsigned threads = 256, reducing_blocks = 512;
constexpr int order = device_dual_order, masses = term_count(order - 1), size = term_count(order);

unsigned blocks_for(std::size_t n)
{
    return unsigned((n + threads - 1) / threads);
}

/// Returns a block's join of values, in one order; valid in thread 0.
template <class Join>
__device__ double over_block(double own, const Join& join)
{
    __shared__ double of_warp[threads / warp_size];
    for (int lane = warp_size / 2; lane > 0; lane /= 2)
        own = join(own, __shfl_xor_sync(all_lanes, own, lane));
    __syncthreads();
    if (threadIdx.x % warp_size == 0)
        of_warp[threadIdx.x / warp_size] = own;
    __syncthreads();
    for (unsigned w = 1; w < threads / warp_size; ++w)
        own = join(own, of_warp[w]);
    return own;
}

struct Add {
    __device__ double operator()(double a, double b) const { return a + b; }
};
struct Max {
    __device__ double operator()(double a, double b) const { return fmax(a, b); }
};

/// Finds the max over each block of |lambda|, by component, and |mu| times `length`; infinite if
/// any is not finite.
__global__ void __launch_bounds__(threads)
    find_max(ArrayView lambda, ArrayView mu, std::size_t n, double length, double* of_block)
{
    double own = 0;
    const auto look = [&](double x) { own = isfinite(x) ? fmax(own, fabs(x)) : HUGE_VAL; };
    for (std::size_t i = std::size_t(blockIdx.x) * threads + threadIdx.x; i < n;
         i += std::size_t(gridDim.x) * threads) {
        for (int c = 0; c < 3 && lambda.component[0]; ++c)
            look(lambda.load(i, c));
        if (mu.component[0])
            look(length * mu.load(i));
    }
    own = over_block(own, Max{});
    if (threadIdx.x == 0)
        of_block[blockIdx.x] = own;
}

/// Writes each sorted particle's lambda and mu, and sums of |lambda| and |mu| over blocks.
template <class T>
__global__ void __launch_bounds__(threads)
    gather_duals(ArrayView lambda, ArrayView mu, const Index* order, std::size_t n,
                 double inverse_unit, double unit_of_mu, DualParticle<T>* duals, double* of_block)
{
    double lengths = 0, charges = 0;
    for (std::size_t k = std::size_t(blockIdx.x) * threads + threadIdx.x; k < n;
         k += std::size_t(gridDim.x) * threads) {
        const Index i = order[k];
        Vec3<double> l;
        if (lambda.component[0])
            l = inverse_unit * lambda.load_vector(i);
        const double m = mu.component[0] ? unit_of_mu * mu.load(i) : 0;
        duals[k] = {rounded<T>(l), T(m)};
        lengths += norm(l);
        charges += fabs(m);
    }
    lengths = over_block(lengths, Add{});
    charges = over_block(charges, Add{});
    if (threadIdx.x == 0) {
        of_block[blockIdx.x] = lengths;
        of_block[gridDim.x + blockIdx.x] = charges;
    }
}

/// Writes the weights of |lambda| and |mu| behind the sums of blocks: the inverse of all sums, half
/// of it if both occur.
__global__ void __launch_bounds__(threads) find_weights(double* of_block, unsigned blocks)
{
    double lambda = 0, mu = 0;
    for (unsigned b = threadIdx.x; b < blocks; b += threads) {
        lambda += of_block[b];
        mu += of_block[blocks + b];
    }
    lambda = over_block(lambda, Add{});
    mu = over_block(mu, Add{});
    if (threadIdx.x > 0)
        return;
    const double half = lambda > 0 && mu > 0 ? 0.5 : 1;
    of_block[2 * blocks] = lambda > 0 ? half / lambda : 0;
    of_block[2 * blocks + 1] = mu > 0 ? half / mu : 0;
}

/// The dual moments of a cell in internal units, and fractions of all |lambda| and |mu| with powers
/// of the place.
struct DualSums {
    double moment[size];
    double weight, second; ///< second: trace
    Vec3<double> first;

    __device__ void clear()
    {
        for (int t = 0; t < size; ++t)
            moment[t] = 0;
        weight = second = 0;
        first = {};
    }
    __device__ void weigh(double by, const Vec3<double>& s)
    {
        weight += by;
        first += by * s;
        second += by * norm_squared(s);
    }
    /// Adds a particle; s points from it to the center.
    template <int... t>
    __device__ void add(const Vec3<double>& s, const Vec3<double>& lambda, double mu,
                        std::integer_sequence<int, t...> all)
    {
        double monomial[size];
        taylor::find_monomials(s, monomial, all);
        const auto add_term = [&]<int term>() {
            constexpr Exponents e = exponents_of(term);
            double sum = mu * monomial[term];
            if constexpr (e.x > 0)
                sum += lambda.x * monomial[term_of({e.x - 1, e.y, e.z})];
            if constexpr (e.y > 0)
                sum += lambda.y * monomial[term_of({e.x, e.y - 1, e.z})];
            if constexpr (e.z > 0)
                sum += lambda.z * monomial[term_of({e.x, e.y, e.z - 1})];
            moment[term] -= sum;
        };
        (add_term.template operator()<t>(), ...);
    }
    /// Adds a daughter; s points from its center to this one.
    template <int... t>
    __device__ void add(const Vec3<double>& s, const DualSums& daughter,
                        std::integer_sequence<int, t...> all)
    {
        double monomial[size];
        taylor::find_monomials(s, monomial, all);
        const auto add_from = [&]<int from>() {
            const double own = daughter.moment[from];
            const auto add_by = [&]<int by>() {
                if constexpr (exponents_of(from).degree() + exponents_of(by).degree() <= order)
                    moment[joint_term(from, by)] += own * monomial[by];
            };
            (add_by.template operator()<t>(), ...);
        };
        (add_from.template operator()<t>(), ...);
        const Vec3<double> back = -1.0 * s;
        weigh(daughter.weight, back);
        first += daughter.first;
        second += daughter.second + 2 * dot(back, daughter.first);
    }
};

template <class T>
struct DualTask {
    const Cell* cells;
    const Source* sources;
    const DualParticle<T>* duals;
    const Multipole* multipoles;
    const double* weights; ///< of |lambda| and |mu|
    double inverse_length;
    DualSums* sums;

    using all = std::make_integer_sequence<int, size>;

    __device__ Vec3<double> step(const Vec3<double>& from, const Vec3<double>& to) const
    {
        return inverse_length * (to - from);
    }
    __device__ void sum_leaf(Index c) const
    {
        const Cell cell = cells[c];
        const Vec3<double> center = multipoles[c].center;
        const double of_lambda = weights[0], of_mu = weights[1];
        DualSums sum;
        sum.clear();
        for (Index k = cell.begin; k < cell.begin + cell.count; ++k) {
            const DualParticle<T> own = duals[k];
            const Vec3<double> l{own.lambda.x, own.lambda.y, own.lambda.z},
                s = step(sources[k].position, center);
            sum.add(s, l, own.mu, all{});
            sum.weigh(of_lambda * norm(l) + of_mu * fabs(double(own.mu)), -1.0 * s);
        }
        sums[c] = sum;
    }
    __device__ void sum_daughters(Index c) const
    {
        const Vec3<double> center = multipoles[c].center;
        DualSums sum;
        sum.clear();
        for (Index d = c + 1; d < cells[c].next; d = cells[d].next)
            sum.add(step(multipoles[d].center, center), sums[d], all{});
        sums[c] = sum;
    }
};

/// Each thread sums its leaf, then climbs.
template <class T>
__global__ void __launch_bounds__(threads)
    sum_duals(DualTask<T> task, Index n, const Index* mother, Index* missing)
{
    const Index leaf = blockIdx.x * threads + threadIdx.x;
    if (leaf >= n || task.cells[leaf].next != leaf + 1)
        return;
    task.sum_leaf(leaf);
    climb(leaf, mother, missing, [&](Index c) { task.sum_daughters(c); });
}

/// How far cells are trusted, by AcceptanceCriterion.
struct TrustTask {
    bool uses_tolerance, is_relative;
    float* extents; ///< negative: the lists' criterion holds for the cell
    unsigned* untrusted;

    __device__ void decide(Index c, const DualSums& sum, const Multipole& own,
                           const Multipole& whole, double inverse_length, double extent) const
    {
        const double share = whole.mass > 0 ? own.mass / whole.mass : 0,
                     second = inverse_length * inverse_length * own.second.trace() / whole.mass;
        const bool is_trusted = !uses_tolerance || (sum.weight <= 4 * share &&
                                                    (is_relative || sum.second <= 4 * second));
        extents[c] = is_trusted ? -1 : float(extent);
        if (!is_trusted)
            atomicAdd(untrusted, 1u);
    }
};

/// Writes the rows of n cells.
template <class T>
__global__ void __launch_bounds__(threads)
    write_rows(const DualSums* sums, const Multipole* multipoles, const Box* bounds, Index n,
               double inverse_length, double inverse_mass, TrustTask trust, DualCellRow<T>* rows)
{
    const Index c = blockIdx.x * threads + threadIdx.x;
    if (c >= n)
        return;
    const Multipole own = multipoles[c];
    const DualSums& sum = sums[c];
    const double extent = inverse_length * bounds[c].farthest_distance(own.center);
    trust.decide(c, sum, own, multipoles[0], inverse_length, extent);
    int exponent = 0;
    frexp(fmax(extent, 0x1p-31), &exponent);
    const double unit = ldexp(1.0, -exponent), w = inverse_mass * inverse_length * inverse_length;
    double moment[masses + size] = {inverse_mass * own.mass,
                                    0,
                                    0,
                                    0,
                                    0.5 * w * own.second.xx,
                                    w * own.second.xy,
                                    w * own.second.xz,
                                    0.5 * w * own.second.yy,
                                    w * own.second.yz,
                                    0.5 * w * own.second.zz};
    static_assert(masses == 10);
    for (int t = 0; t < size; ++t)
        moment[masses + t] = sum.moment[t];
    double power[order + 1] = {1};
    for (int k = 1; k <= order; ++k)
        power[k] = power[k - 1] * unit;
    DualCellRow<T> row{};
    row.size = T(ldexp(1.0, exponent));
    constexpr DualSteps<order> steps;
#pragma unroll
    for (int k = 0; k < steps.count; ++k)
        row.value[steps.step[k].to] +=
            T(steps.step[k].weight * power[steps.step[k].degree] * moment[steps.step[k].from]);
    rows[c] = row;
}

/// Widens the opening radius of cells that are not trusted, which are not expanded either.
__global__ void widen(const WalkNode* nodes, std::size_t lanes, const float* extents, double length,
                      WalkNode* wider)
{
    const std::size_t k = std::size_t(blockIdx.x) * threads + threadIdx.x;
    if (k >= lanes)
        return;
    const WalkNode& node = nodes[k / WalkNode::width];
    const int lane = int(k % WalkNode::width);
    if (!(node.lanes >> lane & 1) || extents[node.cell[lane]] < 0)
        return;
    WalkNode& to = wider[k / WalkNode::width];
    to.min[lane] = fmax(node.min[lane], length * double(extents[node.cell[lane]]));
    to.expansion[lane] = 1e30;
}

} // namespace

AdjointStart DeviceDuals::begin(const AdjointInput& given, const Tree& tree,
                                const InternalScale& scale, bool in_double)
{
    loss_ = given;
    has_nodes_ = false;
    bool reads_in_place = false;
    const auto bring = [&](ArrayView& view, int components, DeviceBuffer<double>& to) {
        if (!view)
            return;
        if (view.on_device) {
            require_on_device(view, tree_.device);
            reads_in_place = true;
            return;
        }
        const std::vector<double> rows = read_rows(view, tree.octree.size, components, "cpu");
        tree_.staging.upload(to, rows.data(), rows.size(), tree_.stream);
        view = components == 3 ? vectors_at(to.data(), std::ptrdiff_t(3 * sizeof(double)))
                               : numbers_at(to.data(), std::ptrdiff_t(sizeof(double)));
    };
    bring(loss_.lambda, 3, lambda_);
    bring(loss_.mu, 1, mu_);
    bring(loss_.velocity, 3, velocity_);
    if (reads_in_place)
        wait_for_owner();
    double max = max_of(loss_.lambda, loss_.mu, scale.length);
    if (loss_.velocity)
        max = std::max(max, scale.mass * max_of(loss_.velocity, {}, 0));
    unit_ = std::isfinite(max) ? unit_of_lambda(max) : max;
    AdjointStart start{unit_};
    if (!std::isfinite(unit_))
        return start;
    if (in_double)
        sum<double>(tree, scale);
    else
        sum<float>(tree, scale);
    if (*host_untrusted_.data() > 0) {
        widen_nodes(tree, 1 / scale.length);
        start.nodes = &host_nodes_;
    }
    return start;
}

/// Returns the max of |lambda|, by component, and |mu| times `length`; infinite if one is not
/// finite.
double DeviceDuals::max_of(const ArrayView& lambda, const ArrayView& mu, double length)
{
    double* const of_block = blocks_.reserve(2 * reducing_blocks + 2);
    const unsigned blocks = std::min(reducing_blocks, blocks_for(tree_.particles));
    find_max<<<blocks, threads, 0, tree_.stream>>>(lambda, mu, tree_.particles, length, of_block);
    check(cudaGetLastError(), "launch the max of the cotangents");
    const double* const here = host_blocks_.reserve(reducing_blocks);
    download(host_blocks_.data(), of_block, blocks, tree_.stream);
    tree_.stream.wait();
    return *std::max_element(here, here + blocks);
}

template <class T>
void DeviceDuals::sum(const Tree& tree, const InternalScale& scale)
{
    DeviceTree& t = tree_;
    const Index n = Index(tree.octree.cells.size());
    const std::size_t particles = t.particles;
    auto* const duals =
        reinterpret_cast<DualParticle<T>*>(particles_.reserve(particles * sizeof(DualParticle<T>)));
    auto* const rows = reinterpret_cast<DualCellRow<T>*>(rows_.reserve(n * sizeof(DualCellRow<T>)));
    auto* const sums =
        reinterpret_cast<DualSums*>(sums_.reserve(n * (sizeof(DualSums) / sizeof(double))));
    const unsigned blocks = std::min(reducing_blocks, blocks_for(particles));
    double* const of_block = blocks_.data();
    if (loss_.velocity) // the sums over blocks are made again below
        gather_duals<<<blocks, threads, 0, t.stream>>>(
            loss_.velocity, {}, t.order.data(), particles, scale.mass / unit_, 0,
            reinterpret_cast<DualParticle<T>*>(
                moving_.reserve(particles * sizeof(DualParticle<T>))),
            of_block);
    gather_duals<<<blocks, threads, 0, t.stream>>>(loss_.lambda, loss_.mu, t.order.data(),
                                                   particles, 1 / unit_, scale.length / unit_,
                                                   duals, of_block);
    find_weights<<<1, threads, 0, t.stream>>>(of_block, blocks);
    Index *const mothers = mothers_.reserve(n), *const missing = missing_.reserve(n);
    find_mothers<<<blocks_for(n), threads, 0, t.stream>>>(t.cells.data(), n, mothers, missing);
    const DualTask<T> task{t.cells.data(),        t.sources.data(), duals, t.multipoles.data(),
                           of_block + 2 * blocks, 1 / scale.length, sums};
    sum_duals<<<blocks_for(n), threads, 0, t.stream>>>(task, n, mothers, missing);
    const AcceptanceCriterion& criterion = loss_.criterion;
    const TrustTask trust{criterion.takes_tolerance(), criterion.kind == Criterion::relative,
                          extents_.reserve(n), untrusted_.reserve(1)};
    check(cudaMemsetAsync(trust.untrusted, 0, sizeof(unsigned), t.stream), "clear a count");
    write_rows<<<blocks_for(n), threads, 0, t.stream>>>(sums, t.multipoles.data(), t.bounds.data(),
                                                        n, 1 / scale.length, 1 / scale.mass, trust,
                                                        rows);
    check(cudaGetLastError(), "launch the dual moments");
    download(host_untrusted_.reserve(1), untrusted_.data(), 1, t.stream);
    t.stream.wait();
}

void DeviceDuals::widen_nodes(const Tree& tree, double inverse_length)
{
    const std::size_t n = 1 + tree.octree.divided;
    WalkNode* const wider = nodes_.reserve(n);
    check(cudaMemcpyAsync(wider, tree_.nodes.data(), n * sizeof(WalkNode), cudaMemcpyDeviceToDevice,
                          tree_.stream),
          "copy nodes");
    const std::size_t lanes = n * WalkNode::width;
    widen<<<blocks_for(lanes), threads, 0, tree_.stream>>>(
        tree_.nodes.data(), lanes, extents_.data(),
        1 / (dual_opening(loss_.criterion) * inverse_length), wider);
    check(cudaGetLastError(), "launch the wider nodes");
    host_nodes_.nodes.resize(n);
    host_nodes_.units = tree.nodes.units;
    tree_.staging.download(host_nodes_.nodes.data(), wider, n, tree_.stream);
    has_nodes_ = true;
}

} // namespace chamomile
