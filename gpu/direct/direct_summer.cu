// Contraction: fused.
#include <algorithm>

#include <thrust/execution_policy.h>
#include <thrust/sort.h>

#include "chamomile/force/gpu.hpp"
#include "chamomile/force/law_choice.hpp"
#include "chamomile/gpu/direct/direct_cancelling.cuh"
#include "chamomile/gpu/direct/direct_gather.cuh"
#include "chamomile/gpu/direct/direct_sum.cuh"
#include "chamomile/gpu/direct/direct_summer.cuh"

namespace chamomile {
namespace {

// The fastest shapes measured on an H200.
using Large = DirectShape<8, 4, 3, 4, true, true>;
using LargePlain = DirectShape<8, 4, 3, 4, true, false>;
using Medium = DirectShape<4, 4, 4, 8, true, true>;
using MediumPlain = DirectShape<4, 4, 4, 8, true, false>;
using Few = DirectShape<1, 8, 2, 8, false, false>;
using ManyDouble = DirectShape<2, 4, 4, 4, false, false>;

/// Block counts that fill an H200. A sum is cut into parts until it has about this many blocks.
constexpr Index few_blocks = 256, medium_blocks = 2048, large_blocks = 8192;
constexpr Index large_targets = 1 << 18;

/// Max error of sums in float where forces cancel, in units of S / sqrt(N).
constexpr double scatter = 8.5e-6;
constexpr Index precise_blocks = 256; ///< for sums in double of cancelling targets
static_assert(Large::targets == direct_block_of_gpu);

} // namespace

DirectTargets DirectSummer::sum(DirectSum job, const DirectSetup& setup, cudaStream_t stream)
{
    setup_ = setup;
    stream_ = stream;
    job.numbers =
        setup.order ? setup.order : sort_along_curve(job, nullptr, job.source_count, order_);
    job.cancelling.limit = float(largest_cancellation(setup.masses, scatter));
    if (!job.softening)
        return choose_law<OneLength>(job);
    return softening_.rule == SofteningRule::larger
               ? choose_law<FixedRule<SofteningRule::larger>>(job)
               : choose_law<FixedRule<SofteningRule::root_of_squares>>(job);
}

/// Returns the particles `numbers` (null: all) along the curve.
const Index* DirectSummer::sort_along_curve(const DirectSum& job, const Index* numbers, Index n,
                                            DeviceBuffer<Index>& order)
{
    curve_.sort({&job.particles->position.x, n, sizeof(Source) / sizeof(double), numbers},
                job.origin, 1, order, stream_);
    return order.data();
}

/// Returns the sources along the curve, each run of neighbors sorted by softening length. Shorter
/// runs give smaller tile boxes; longer runs give fewer tiles with several lengths.
const Index* DirectSummer::sort_by_length(const DirectSum& job)
{
    const Index n = job.source_count,
                run = std::clamp<Index>(n / 128, warp_size, 2048) / warp_size * warp_size;
    Index* const order = order_by_length_.reserve(n);
    std::uint64_t* const keys = length_keys_.reserve(n);
    check(cudaMemcpyAsync(order, job.numbers, n * sizeof(Index), cudaMemcpyDeviceToDevice, stream_),
          "copy an order");
    make_length_keys<<<(n + gathered_per_block - 1) / gathered_per_block, gathered_per_block, 0,
                       stream_>>>(job.softening, job.numbers, n, run, keys);
    check(cudaGetLastError(), "launch the keys by length");
    call_thrust("launch the sort by length", [&] {
        thrust::stable_sort_by_key(thrust::cuda::par_nosync(scratch_).on(stream_), keys, keys + n,
                                   order);
    });
    return order;
}

/// Makes the inputs of the force loop: sources and targets along the curve, and boxes.
void DirectSummer::gather(DirectSum& job)
{
    const Index n = job.source_count;
    if (setup_.active)
        job.targets = sort_along_curve(job, setup_.active, job.target_count, target_order_);
    if (job.softening)
        job.numbers = sort_by_length(job);
    SortedSource* sources = sources_.reserve(n);
    TileBox<float>* boxes = boxes_.reserve((n + 31) / 32);
    const Index blocks = (n + gathered_per_block - 1) / gathered_per_block;
    make_room_for_clumps(job, blocks);
    gather_sources<<<blocks, gathered_per_block, 0, stream_>>>(
        job.particles, job.origin, job.numbers, n, sources, boxes, job.cancelling.clumps);
    if (job.softening)
        put_softenings<<<blocks, gathered_per_block, 0, stream_>>>(job.softening, job.numbers, n,
                                                                   sources);
    check(cudaGetLastError(), "launch the gather of sources");
    job.sources = sources;
    job.boxes = boxes;
}

void DirectSummer::make_room_for_clumps(DirectSum& job, Index count)
{
    CancellingJob& cancelling = job.cancelling;
    cancelling.clumps = clumps_.reserve(count);
    cancelling.clump_count = count;
    cancelling.size = sizes_.reserve(job.target_count);
    cancelling.found = found_.reserve(job.target_count);
    if (!counters_are_clear_)
        check(cudaMemsetAsync(counters_.reserve(2), 0, 2 * sizeof(unsigned), stream_),
              "clear counters");
    counters_are_clear_ = true;
    cancelling.count = counters_.data();
    cancelling.ended = counters_.data() + 1;
}

template <class Rule>
DirectTargets DirectSummer::choose_law(const DirectSum& job)
{
    Softening softening = softening_;
    softening.length = job.softening_length;
    return visit_gravity<Rule>(LawChoice::of(softening, job.softening).kind, setup_.with_potential,
                               [&]<class Law>() { return choose<Law>(job); });
}

template <class Law>
DirectTargets DirectSummer::choose(DirectSum job)
{
    job.targets = setup_.active ? setup_.active : job.numbers;
    const bool few = job.target_count <= few_direct_targets;
    if (precision_ == Precision::double_precision)
        return few ? launch<Law, double, Few>(job, few_blocks)
                   : launch<Law, double, ManyDouble>(job, large_blocks);
    if (few) {
        make_room_for_clumps(job, (job.source_count + 31) / 32);
        return launch<Law, float, Few>(job, few_blocks);
    }
    gather(job);
    const bool large = job.target_count >= large_targets;
    const Index blocks =
        double(job.target_count) * job.source_count > 0x1p30 ? large_blocks : medium_blocks;
    if constexpr (Law::scales)
        if (setup_.scaled)
            return large ? launch<Law, float, Large>(job, blocks)
                         : launch<Law, float, Medium>(job, blocks);
    return large ? launch<Law, float, LargePlain>(job, blocks)
                 : launch<Law, float, MediumPlain>(job, blocks);
}

/// Cuts the sources into parts until the grid has about `wanted` blocks, and sums the blocks of the
/// caller's part of the targets.
template <class Law, class T, class Shape>
DirectTargets DirectSummer::launch(DirectSum job, Index wanted)
{
    using Block = DirectBlock<Law, T, Shape>;
    static_assert(Block::shared_bytes <= 48 << 10);
    const Index all_blocks = (job.target_count + Shape::targets - 1) / Shape::targets;
    const Index max = (job.source_count + 32 * Shape::warps - 1) / (32 * Shape::warps);
    const Index parts = std::clamp((wanted + all_blocks / 2) / all_blocks, Index(1), max);
    const Index blocks = keep_part(job, all_blocks, Shape::targets);
    if (blocks == 0)
        return {};
    job.parts = parts_.reserve(blocks, parts, Block::values, stream_);
    direct_sum<Law, T, Shape>
        <<<dim3(blocks, parts), 32 * Shape::warps, Block::shared_bytes, stream_>>>(job);
    check(cudaGetLastError(), "launch the direct sum");
    if constexpr (sizeof(T) == sizeof(float))
        sum_again<Law, Shape>(job);
    return {job.targets, job.target_count, blocks};
}

/// Keeps the target blocks of the caller's part. Returns their number.
Index DirectSummer::keep_part(DirectSum& job, Index blocks, Index targets_of_block) const
{
    const auto first_block = [&](int part) {
        return std::uint64_t(blocks) * std::uint64_t(part) / std::uint64_t(setup_.part.parts);
    };
    const std::uint64_t first = first_block(setup_.part.part),
                        last = first_block(setup_.part.part + 1);
    const Index all = job.target_count, begin = Index(first * targets_of_block),
                end = Index(std::min<std::uint64_t>(all, last * targets_of_block));
    job.targets += begin;
    job.target_count = end - begin;
    job.targets_before = begin;
    job.targets_after = all - end;
    return Index(last - first);
}

/// Queues the sums in double of cancelling targets. With few sources a block sums one target.
template <class Law, class Shape>
void DirectSummer::sum_again(const DirectSum& job)
{
    constexpr int per_lane = Shape::centered ? 4 : 1;
    const Index blocks = (job.target_count + 32 * per_lane - 1) / (32 * per_lane);
    find_cancelling<per_lane><<<blocks, 32 * finding_warps, 0, stream_>>>(job);
    check(cudaGetLastError(), "launch the search for cancelling targets");
    if (job.source_count > max_to_rank)
        sum_cancelling<Law, 4><<<precise_blocks, precise_threads, 0, stream_>>>(job);
    else
        sum_cancelling<Law, 1><<<precise_blocks, precise_threads, 0, stream_>>>(job);
    check(cudaGetLastError(), "launch the sums of cancelling targets");
}

} // namespace chamomile
