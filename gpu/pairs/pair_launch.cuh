/// \file  Cuts a sum over pairs into blocks and launches it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "chamomile/core/error.hpp"
#include "chamomile/force/pairs/law_units.hpp"
#include "chamomile/gpu/device/device.cuh"
#include "chamomile/gpu/pairs/device_law.hpp"
#include "chamomile/gpu/pairs/pair_sum.cuh"
#include "chamomile/gpu/tiles/part_memory.cuh"

namespace chamomile {

/// With fewer pairs, a sort along a curve takes longer than coordinates in two floats for all
/// pairs.
constexpr std::size_t worth_sorting = 1 << 25;

/// Chooses the tiling of a sum without lists of tiles.
inline PairCut pair_cut(std::size_t targets, std::size_t sources)
{
    constexpr std::size_t few = 256; // below, most lanes would have no second target
    return targets < few || targets * sources <= worth_sorting ? PairCut::few : PairCut::many;
}

/// Returns the kernel of a law. Throws Error(device) if the law's records do not fit a GPU.
inline DeviceLaw::Kernel pair_kernel(const LawCode& code, int device, PairCut cut, bool precise)
{
    if (!code.device)
        throw Error(Fault::device, code.name + ": the law was not compiled for GPUs");
    const DeviceLaw::Kernel kernel = code.device->kernel(device, cut, precise);
    if (!kernel.function)
        throw Error(Fault::device, code.name + ": records on a GPU: must have at most " +
                                       std::to_string(max_law_values) + " values");
    return kernel;
}

/// A PairLauncher keeps the memory for parts of the sources.
class PairLauncher {
public:
    /// Queues the sum of a job with rows, orders and lists set. Returns the number of blocks.
    unsigned launch(const DeviceLaw::Kernel& kernel, PairCut cut, const LawCode& code,
                    const LawUnits& units, PairJob& job, cudaStream_t stream)
    {
        std::copy_n(units.target_scale(), code.shape.target, job.target_scale);
        std::copy_n(units.source_scale(), code.shape.source, job.source_scale);
        std::copy_n(units.sum_scale(), code.shape.sum, job.sum_scale);
        const unsigned size = unsigned(32 * kernel.per_lane),
                       blocks = (job.target_count + size - 1) / size;
        const unsigned parts = parts_of(kernel, cut, blocks, job);
        job.parts = parts_.reserve(blocks, parts, unsigned(code.shape.sum) * size, stream);
        if (kernel.shared_bytes > 48 << 10)
            check(cudaFuncSetAttribute(kernel.function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                       int(kernel.shared_bytes)),
                  "reserve shared memory");
        // These are the law's bytes, at the alignment of any law.
        law_.assign(code.bytes / sizeof(double) + 1, 0);
        std::memcpy(law_.data(), units.law(), code.bytes);
        void* arguments[] = {&job, law_.data()};
        check(cudaLaunchKernel(kernel.function, dim3(blocks, parts),
                               dim3(unsigned(32 * kernel.warps)), arguments, kernel.shared_bytes,
                               stream),
              "launch the sum over pairs");
        return blocks;
    }

private:
    /// Returns the number of parts of the sources with which the blocks fill an H200.
    static unsigned parts_of(const DeviceLaw::Kernel& kernel, PairCut cut, unsigned blocks,
                             const PairJob& job)
    {
        if (cut == PairCut::cutoff)
            return 1;
        const unsigned wanted = cut == PairCut::many ? 8192 : 264;
        const double tiles = std::ceil(job.source_count / 32.0);
        return unsigned(std::clamp((double(wanted) + blocks - 1) / blocks, 1.0,
                                   std::max(1.0, tiles / (4.0 * kernel.warps))));
    }

    PartMemory parts_;
    std::vector<double> law_;
};

} // namespace chamomile
