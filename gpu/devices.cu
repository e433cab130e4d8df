// Which GPUs this process can use.
#include "force/gpu.hpp"
#include "gpu/device.cuh"

namespace chamomile {
namespace {

std::string in_words(int version)
{
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

} // namespace

std::vector<GpuDescription> list_gpus()
{
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess) {
        cudaGetLastError(); // forget it: a machine without a driver is no fault
        return {};
    }
    std::vector<GpuDescription> gpus;
    for (int number = 0; number < count; ++number) {
        cudaDeviceProp properties;
        check(cudaGetDeviceProperties(&properties, number), "read the device's properties");
        GpuDescription gpu;
        gpu.number = number;
        gpu.name = properties.name;
        gpu.compute_capability = 10 * properties.major + properties.minor;
        gpu.multiprocessors = properties.multiProcessorCount;
        gpu.memory_in_bytes = double(properties.totalGlobalMem);
        int kilohertz = 0;
        check(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, number),
              "read the device's clock");
        gpu.clock = 1e3 * kilohertz;
        gpus.push_back(gpu);
    }
    return gpus;
}

double free_gpu_memory(int number)
{
    check(cudaSetDevice(number), "choose the device");
    std::size_t free = 0, total = 0;
    check(cudaMemGetInfo(&free, &total), "read the free memory");
    return double(free);
}

std::string why_no_gpu()
{
    int count = 0;
    const cudaError_t status = cudaGetDeviceCount(&count);
    cudaGetLastError();
    if (status == cudaSuccess && count > 0)
        return "";
    int driver = 0, runtime = 0;
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    if (driver == 0)
        return "no NVIDIA driver on this machine";
    if (driver < runtime)
        return "the driver supports CUDA " + in_words(driver) + ", this build needs " +
               in_words(runtime);
    return status == cudaSuccess ? "no CUDA device" : cudaGetErrorString(status);
}

} // namespace chamomile
