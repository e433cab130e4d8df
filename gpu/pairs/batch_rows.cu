// Rows of a batch on the device. Contraction: none, so that steps match the host's bitwise.
#include <array>
#include <initializer_list>

#include "chamomile/gpu/device/device.cuh"
#include "chamomile/gpu/device/device_arrays.cuh"
#include "chamomile/integrate/batch/batch_loops.hpp"

namespace chamomile {
namespace {

constexpr unsigned block_size = 256;

template <class Loop>
__global__ void __launch_bounds__(block_size)
    run_loop(const __grid_constant__ Loop loop, std::size_t n)
{
    const std::size_t i = std::size_t(blockIdx.x) * block_size + threadIdx.x;
    if (i < n)
        loop(i);
}

/// Values of at least 0 are ordered like their bits.
template <class Loop>
__global__ void __launch_bounds__(block_size)
    find_largest(const __grid_constant__ Loop loop, std::size_t n, unsigned long long* largest)
{
    const std::size_t i = std::size_t(blockIdx.x) * block_size + threadIdx.x;
    double own = i < n ? loop(i) : 0;
#pragma unroll
    for (int apart = 16; apart > 0; apart /= 2)
        own = fmax(own, __shfl_xor_sync(0xffffffffu, own, apart));
    const auto bits = static_cast<unsigned long long>(__double_as_longlong(own));
    if (threadIdx.x % 32 == 0 && bits > __ldcg(largest)) // few warps queue up
        atomicMax(largest, bits);
}

class CudaMemory {
public:
    static constexpr bool on_device = true;

    explicit CudaMemory(int device) : device_(device)
    {
        check(cudaSetDevice(device_), "choose the device");
        stream_ = std::make_unique<Stream>();
    }
    ~CudaMemory() { synchronize_device(device_); }

    /// Waits for the arrays' owner.
    void prepare(std::initializer_list<ArrayView> views)
    {
        check(cudaSetDevice(device_), "choose the device");
        for (const ArrayView& view : views)
            if (view)
                require_on_device(view, device_);
        wait_for_owner();
    }

    double* reserve(std::size_t slot, std::size_t n) { return slots_[slot].reserve(n); }
    const double* copy(std::size_t slot, const double* from, std::size_t n)
    {
        upload(slots_[slot], from, n, *stream_);
        stream_->wait();
        return slots_[slot].data();
    }
    std::vector<double> host(const double* from, std::size_t n)
    {
        std::vector<double> to(n);
        download(to.data(), from, n, *stream_);
        stream_->wait();
        return to;
    }

    template <class Loop>
    void each(std::size_t n, const Loop& loop)
    {
        run_loop<<<blocks_of(n), block_size, 0, *stream_>>>(loop, n);
        check(cudaGetLastError(), "launch a loop over bodies");
        stream_->wait();
    }
    template <class Loop>
    double largest(std::size_t n, const Loop& loop)
    {
        unsigned long long* const there = largest_.reserve(1);
        check(cudaMemsetAsync(there, 0, sizeof *there, *stream_), "clear a number");
        find_largest<<<blocks_of(n), block_size, 0, *stream_>>>(loop, n, there);
        check(cudaGetLastError(), "launch a loop over bodies");
        double* const here = host_largest_.reserve(1);
        download(reinterpret_cast<unsigned long long*>(here), there, 1, *stream_);
        stream_->wait();
        return *here;
    }

private:
    static unsigned blocks_of(std::size_t n) { return unsigned((n + block_size - 1) / block_size); }

    int device_;
    std::unique_ptr<Stream> stream_;
    std::array<DeviceBuffer<double>, 6> slots_;
    DeviceBuffer<unsigned long long> largest_;
    PinnedBuffer<double> host_largest_;
};

} // namespace

std::unique_ptr<BatchRows> make_cuda_batch_rows(int device)
{
    return std::make_unique<BatchRowsIn<CudaMemory>>(device);
}

} // namespace chamomile
