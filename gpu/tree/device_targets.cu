// Contraction: fused.
#include <algorithm>

#include <cub/device/device_scan.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "chamomile/core/threads.hpp"
#include "chamomile/gpu/tree/box_of_targets.cuh"
#include "chamomile/gpu/tree/device_targets.cuh"

namespace chamomile {
namespace {

constexpr unsigned block_size = 256, warp_size = 32, groups_in_block = block_size / warp_size;

/// 1 if the level of a sorted particle is `first` or above, else 0.
struct IsDue {
    const std::uint8_t* level;
    const Index* order;
    int first;
    Index n;

    __device__ Index operator()(Index k) const { return k < n && level[order[k]] >= first; }
};

/// Lists the places where the number of targets grows.
__global__ void list_targets(const Index* before, Index n, Index* targets)
{
    const Index k = blockIdx.x * block_size + threadIdx.x;
    if (k < n && before[k + 1] > before[k])
        targets[before[k]] = k;
}

/// Each warp finds the bounding box of one group's targets.
__global__ void find_group_boxes(const Source* sources, const Index* targets, const uint2* ranges,
                                 std::size_t n, Box* boxes)
{
    const std::size_t g = std::size_t(blockIdx.x) * groups_in_block + threadIdx.x / warp_size;
    if (g >= n)
        return;
    const Box box = box_of_targets(sources, targets, ranges[g].x, ranges[g].y);
    if (threadIdx.x % warp_size == 0)
        boxes[g] = box;
}

/// Each warp finds the softening range for one group's targets.
__global__ void find_group_softenings(const double* softening, const Index* targets,
                                      const uint2* ranges, std::size_t n, SofteningSpan* spans)
{
    const std::size_t g = std::size_t(blockIdx.x) * groups_in_block + threadIdx.x / warp_size;
    if (g >= n)
        return;
    const unsigned lane = threadIdx.x % warp_size;
    // Lanes without a target repeat the last target.
    const unsigned first = ranges[g].x, last = ranges[g].y - 1;
    const auto of_target = [&](unsigned t) {
        return SofteningSpan::of_one(softening[targets ? targets[t] : t]);
    };
    SofteningSpan span = of_target(min(first + lane, last));
    for (unsigned t = first + lane + warp_size; t <= last; t += warp_size)
        span.join(of_target(t));
    for (int step = warp_size / 2; step > 0; step /= 2)
        span.join({__shfl_xor_sync(0xffffffffu, span.min, step),
                   __shfl_xor_sync(0xffffffffu, span.largest, step),
                   __shfl_xor_sync(0xffffffffu, span.inner, step)});
    if (lane == 0)
        spans[g] = span;
}

unsigned blocks_of_groups(std::size_t n)
{
    return unsigned((n + groups_in_block - 1) / groups_in_block);
}

} // namespace

void DeviceTargets::find(TargetGroups& groups, const std::uint8_t* level, int first)
{
    DeviceTree& t = tree_;
    check(cudaSetDevice(t.device), "choose the device");
    const Index n = Index(t.particles);
    Index *const there = t.targets.reserve(n), *const before = before_.reserve(n + 1);
    const auto is_due = thrust::make_transform_iterator(thrust::counting_iterator<Index>(0),
                                                        IsDue{level, t.order.data(), first, n});
    const auto run = [&](void* scratch, std::size_t& bytes) {
        check(cub::DeviceScan::ExclusiveSum(scratch, bytes, is_due, before, std::int64_t(n) + 1,
                                            t.stream),
              "launch the numbers of targets");
    };
    std::size_t bytes = 0;
    run(nullptr, bytes);
    run(scratch_.reserve(bytes), bytes);
    download(host_number_.reserve(1), before + n, 1, t.stream);
    if (n > 0)
        list_targets<<<(n - 1) / block_size + 1, block_size, 0, t.stream>>>(before, n, there);
    check(cudaGetLastError(), "launch the list of targets");
    t.stream.wait(); // this wait has a timeout, unlike Thrust's
    const std::size_t count = *host_number_.data();
    Index* here = found_.reserve(count);
    t.staging.download(here, there, count, t.stream);
    t.bytes_down += count * sizeof(Index);
    groups.take({here, count});
    t.has_targets = true;
}

const Index* DeviceTargets::send_groups(const TargetGroups& groups)
{
    DeviceTree& t = tree_;
    check(cudaSetDevice(t.device), "choose the device");
    const std::span<const Index> targets = groups.targets;
    if (!targets.empty() && !t.has_targets) {
        t.staging.upload(t.targets, targets.data(), targets.size(), t.stream);
        t.bytes_up += targets.size() * sizeof(Index);
        t.has_targets = true;
    }
    const std::size_t n = groups.groups.size();
    uint2* ranges = host_ranges_.reserve(n);
#pragma omp parallel for if (n > worth_threads)
    for (std::size_t g = 0; g < n; ++g)
        ranges[g] = {groups.groups[g].begin, groups.groups[g].end};
    upload(ranges_, ranges, n, t.stream);
    t.bytes_up += n * sizeof(uint2);
    return targets.empty() ? nullptr : t.targets.data();
}

void DeviceTargets::find_boxes(TargetGroups& groups)
{
    DeviceTree& t = tree_;
    const Index* const targets = send_groups(groups);
    const std::size_t n = groups.groups.size();
    find_group_boxes<<<blocks_of_groups(n), block_size, 0, t.stream>>>(
        t.sources.data(), targets, ranges_.data(), n, boxes_.reserve(n));
    check(cudaGetLastError(), "launch the groups' boxes");
    Box* boxes = host_boxes_.reserve(n);
    t.staging.download(boxes, boxes_.data(), n, t.stream);
#pragma omp parallel for if (n > worth_threads)
    for (std::size_t g = 0; g < n; ++g)
        groups.groups[g].box = boxes[g];
    t.bytes_down += n * sizeof(Box);
}

void DeviceTargets::find_softenings(TargetGroups& groups)
{
    DeviceTree& t = tree_;
    const std::size_t n = groups.groups.size();
    groups.group_softening.resize(n);
    if (n == 0)
        return;
    const Index* const targets = send_groups(groups);
    find_group_softenings<<<blocks_of_groups(n), block_size, 0, t.stream>>>(
        t.softening.data(), targets, ranges_.data(), n, softenings_.reserve(n));
    check(cudaGetLastError(), "launch the groups' softenings");
    SofteningSpan* spans = host_softenings_.reserve(n);
    t.staging.download(spans, softenings_.data(), n, t.stream);
    std::copy_n(spans, n, groups.group_softening.begin());
    t.bytes_down += n * sizeof(SofteningSpan);
}

} // namespace chamomile
