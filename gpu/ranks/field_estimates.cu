// A warp walks the nodes for one cluster, four nodes of eight cells at a time: some 30 operations
// and 60 bytes a cell, of which a few hundred are looked at. Contraction: fused.
#include <cmath>

#include "chamomile/core/threads.hpp"
#include "chamomile/gpu/ranks/field_estimates.cuh"

namespace chamomile {
namespace {

constexpr unsigned warp_size = 32, warps = 4, stack_room = 1024, nodes_at_once = 4;

/// FieldTerms are those of all clusters.
struct FieldTerms {
    double inverse_length, clearance, opening;
};

/// Writes the square of the field of each place, or NaN where the stack has too little room.
__global__ void __launch_bounds__(warp_size* warps)
    sum_fields(const WalkNode* nodes, const ClusterField* fields, std::size_t n, FieldTerms terms,
               double* squared)
{
    __shared__ Index stacks[warps][stack_room];
    const std::size_t c = std::size_t(blockIdx.x) * warps + threadIdx.x / warp_size;
    const unsigned lane = threadIdx.x % warp_size;
    const int k = int(lane % WalkNode::width);
    Index* const stack = stacks[threadIdx.x / warp_size];
    if (c >= n)
        return;
    const ClusterField field = fields[c];
    Vec3<double> sum{};
    unsigned size = 1;
    if (lane == 0)
        stack[0] = 0;
    __syncwarp();
    while (size > 0) {
        const unsigned taken = min(size, nodes_at_once), mine = lane / WalkNode::width;
        const Index number = mine < taken ? stack[size - 1 - mine] : no_node;
        size -= taken;
        __syncwarp();
        Index daughters = no_node;
        if (number != no_node && nodes[number].lanes >> k & 1) {
            const WalkNode& node = nodes[number];
            const Vec3<double> d = terms.inverse_length *
                                   (Vec3<double>{node.x[k], node.y[k], node.z[k]} - field.place);
            const double u_squared = norm_squared(d) + field.softening_squared,
                         reach = terms.opening * terms.inverse_length *
                                 (node.least[k] - terms.clearance);
            if (node.inner >> k & 1 && u_squared < reach * reach) {
                daughters = node.node[k];
            } else if (u_squared > 1e-180) {
                const double inverse = rsqrt(u_squared);
                sum += double(node.mass[k]) * inverse * inverse * inverse * d;
            }
        }
        const unsigned opened = __ballot_sync(0xffffffffu, daughters != no_node),
                       count = unsigned(__popc(opened));
        if (size + count > stack_room) {
            if (lane == 0)
                squared[c] = nan("");
            return;
        }
        if (daughters != no_node)
            stack[size + unsigned(__popc(opened & ((1u << lane) - 1)))] = daughters;
        size += count;
        __syncwarp();
    }
    for (int step = warp_size / 2; step > 0; step /= 2) {
        sum.x += __shfl_xor_sync(0xffffffffu, sum.x, step);
        sum.y += __shfl_xor_sync(0xffffffffu, sum.y, step);
        sum.z += __shfl_xor_sync(0xffffffffu, sum.z, step);
    }
    if (lane == 0)
        squared[c] = norm_squared(sum);
}

} // namespace

void FieldEstimates::find_factors(DeviceTree& tree, const Walk& walk, const TargetGroups& groups,
                                  double part, std::span<double> factors)
{
    const std::size_t n = factors.size();
    if (n == 0)
        return;
    ClusterField* const fields = host_fields_.reserve(n);
#pragma omp parallel for if (n > worth_threads) schedule(static)
    for (std::size_t c = 0; c < n; ++c)
        fields[c] = walk.field_of(groups.clusters[c]);
    upload(fields_, fields, n, tree.stream);
    const FieldTerms terms{1 / walk.units().length, walk.clearance(),
                           AcceptanceCriterion::estimate_opening};
    sum_fields<<<unsigned((n + warps - 1) / warps), warp_size * warps, 0, tree.stream>>>(
        tree.nodes.data(), fields_.data(), n, terms, squared_.reserve(n));
    check(cudaGetLastError(), "launch the estimates of fields");
    double* const squared = host_squared_.reserve(n);
    download(squared, squared_.data(), n, tree.stream);
    tree.stream.wait();
#pragma omp parallel for if (n > worth_threads) schedule(dynamic, 64)
    for (std::size_t c = 0; c < n; ++c) {
        const Cluster& cluster = groups.clusters[c];
        const bool is_massless = cluster.mass == 0 && cluster.extent > 0;
        factors[c] = is_massless || std::isnan(squared[c])
                         ? walk.relative_factor(cluster, part)
                         : walk.relative_factor(fields[c], squared[c], part);
    }
}

} // namespace chamomile
