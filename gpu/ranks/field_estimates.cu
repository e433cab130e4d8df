// A warp walks the nodes for one cluster: some 30 operations and 60 bytes a cell, a few hundred
// cells a cluster. Contraction: fused.
#include <cmath>

#include "chamomile/core/threads.hpp"
#include "chamomile/gpu/ranks/field_estimates.cuh"
#include "chamomile/gpu/ranks/warp_walk.cuh"

namespace chamomile {
namespace {

constexpr unsigned warp_size = 32, warps = 4;

/// Constants of all clusters' sums.
struct FieldTerms {
    double inverse_length, clearance, opening;
    Periodicity box;
    double cut_squared; ///< in a box: sources beyond do not act
};

/// Writes the squared field at each cluster, or NaN if the stack overflows.
__global__ void __launch_bounds__(warp_size* warps)
    sum_fields(const WalkNode* nodes, const ClusterField* fields, std::size_t n, FieldTerms terms,
               double* squared)
{
    __shared__ Index stacks[warps][WarpWalk::room];
    const std::size_t c = std::size_t(blockIdx.x) * warps + threadIdx.x / warp_size;
    if (c >= n)
        return;
    const ClusterField field = fields[c];
    Vec3<double> sum{};
    WarpWalk walk{stacks[threadIdx.x / warp_size], threadIdx.x % warp_size};
    walk.push(walk.lane == 0 ? 0 : no_node);
    walk.finish(
        nodes,
        [&](const WalkNode& node, int k) -> Index {
            Vec3<double> d = Vec3<double>{node.x[k], node.y[k], node.z[k]} - field.place;
            if (terms.box)
                d = terms.box.nearest(d);
            d = terms.inverse_length * d;
            const double u_squared = norm_squared(d) + field.softening_squared,
                         reach =
                             terms.opening * terms.inverse_length * (node.min[k] - terms.clearance);
            if (node.inner >> k & 1 && u_squared < reach * reach)
                return node.node[k];
            if (u_squared > 1e-180 && u_squared <= terms.cut_squared) {
                const double inverse = rsqrt(u_squared);
                sum += double(node.mass[k]) * inverse * inverse * inverse * d;
            }
            return no_node;
        },
        [&](const WalkNode&, int) { sum.x = nan(""); });
    for (int step = warp_size / 2; step > 0; step /= 2) {
        sum.x += __shfl_xor_sync(0xffffffffu, sum.x, step);
        sum.y += __shfl_xor_sync(0xffffffffu, sum.y, step);
        sum.z += __shfl_xor_sync(0xffffffffu, sum.z, step);
    }
    if (walk.lane == 0)
        squared[c] = norm_squared(sum);
}

} // namespace

void FieldEstimates::find(DeviceTree& tree, const Stream& down, const Walk& walk,
                          const TargetGroups& groups, std::span<double> accelerations)
{
    const std::size_t n = accelerations.size();
    if (n == 0)
        return;
    ClusterField* const fields = host_fields_.reserve(n);
#pragma omp parallel for if (n > worth_threads) schedule(static)
    for (std::size_t c = 0; c < n; ++c)
        fields[c] = walk.field_of(groups.clusters[c]);
    upload(fields_, fields, n, tree.stream);
    const WalkPeriod period = walk.period();
    const double cut = period.cut / walk.units().length;
    const FieldTerms terms{1 / walk.units().length, walk.clearance(),
                           AcceptanceCriterion::estimate_opening, period.periodicity,
                           cut > 0 ? cut * cut : HUGE_VAL};
    sum_fields<<<unsigned((n + warps - 1) / warps), warp_size * warps, 0, tree.stream>>>(
        tree.nodes.data(), fields_.data(), n, terms, squared_.reserve(n));
    check(cudaGetLastError(), "launch the estimates of fields");
    double* const squared = host_squared_.reserve(n);
    download(squared, squared_.data(), n, tree.stream);
    tree.stream.wait();
    const auto is_for_host = [&](std::size_t c) {
        const Cluster& cluster = groups.clusters[c];
        return (cluster.mass == 0 && cluster.extent > 0) || std::isnan(squared[c]);
    };
    bool are_some_for_host = false;
#pragma omp parallel for if (n > worth_threads) reduction(|| : are_some_for_host)
    for (std::size_t c = 0; c < n; ++c)
        if (is_for_host(c))
            are_some_for_host = true;
        else
            accelerations[c] = walk.scaled_acceleration(fields[c], squared[c]);
    if (!are_some_for_host)
        return;
    down.wait();
#pragma omp parallel for schedule(dynamic, 16)
    for (std::size_t c = 0; c < n; ++c)
        if (is_for_host(c))
            accelerations[c] = walk.scaled_acceleration(groups.clusters[c]);
}

} // namespace chamomile
