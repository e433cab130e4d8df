// Device memory of callers. Contraction: fused.
#include "chamomile/force/gpu_memory.hpp"
#include "chamomile/gpu/device/device.cuh"

namespace chamomile {

int gpu_of(const void* data)
{
    cudaPointerAttributes attributes;
    if (cudaPointerGetAttributes(&attributes, data) != cudaSuccess) {
        cudaGetLastError(); // a machine without a driver has no device memory
        return -1;
    }
    const bool on_device =
        attributes.type == cudaMemoryTypeDevice || attributes.type == cudaMemoryTypeManaged;
    return on_device ? attributes.device : -1;
}

void wait_for_stream(int number, std::uintptr_t stream)
{
    check(cudaSetDevice(number), "choose the device");
    const cudaStream_t waited = stream == 1   ? cudaStreamLegacy
                                : stream == 2 ? cudaStreamPerThread
                                              : reinterpret_cast<cudaStream_t>(stream);
    check(cudaStreamSynchronize(waited), "wait for the caller's stream");
}

std::shared_ptr<std::byte> gpu_memory(int number, std::size_t bytes)
{
    check(cudaSetDevice(number), "choose the device");
    void* memory = nullptr;
    check(cudaMalloc(&memory, bytes > 0 ? bytes : 1), "allocate device memory");
    return {static_cast<std::byte*>(memory), [number](std::byte* data) {
                if (!device_hangs() && cudaSetDevice(number) == cudaSuccess)
                    cudaFree(data);
            }};
}

void copy_from_gpu(int number, void* to, const void* from, std::size_t bytes)
{
    check(cudaSetDevice(number), "choose the device");
    if (bytes > 0)
        check(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost), "copy from the device");
}

} // namespace chamomile
