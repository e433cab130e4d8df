// Makes injected faults (gpu/device/fault_plan.hpp). Contraction: fused.
#include "chamomile/gpu/device/device.cuh"

namespace chamomile {
namespace {

/// One thread runs for `nanoseconds`.
__global__ void run_on(unsigned long long nanoseconds)
{
    const auto now = [] {
        unsigned long long time;
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
        return time;
    };
    const unsigned long long start = now();
    while (now() - start < nanoseconds)
        __nanosleep(1000);
}

__global__ void end_here()
{
    __trap();
}

/// Makes a separate stream. Returns false if CUDA refuses.
bool make_stream(cudaStream_t& stream)
{
    return cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess;
}

} // namespace

void occupy(double seconds)
{
    cudaStream_t stream = nullptr;
    if (make_stream(stream))
        run_on<<<1, 1, 0, stream>>>((unsigned long long)(1e9 * seconds));
}

void trap()
{
    cudaStream_t stream = nullptr;
    if (make_stream(stream))
        end_here<<<1, 1, 0, stream>>>();
}

} // namespace chamomile
