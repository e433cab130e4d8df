// Finds the GPUs that this process can use. Contraction: fused.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>

#include <unistd.h>

#include "chamomile/force/gpu.hpp"
#include "chamomile/gpu/device/device.cuh"

namespace chamomile {
namespace {

std::string in_words(int version)
{
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

/// Host, number, name and UUID of the current device, read while the device still answers.
class DeviceNames {
public:
    void note(int number, const cudaDeviceProp& properties)
    {
        const std::lock_guard lock(mutex_);
        char uuid[40];
        const auto* b = reinterpret_cast<const unsigned char*>(properties.uuid.bytes);
        std::snprintf(uuid, sizeof uuid,
                      "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0],
                      b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12],
                      b[13], b[14], b[15]);
        names_[number] = std::string(properties.name) + ", UUID GPU-" + uuid;
    }

    std::string present()
    {
        int number = 0;
        cudaGetDevice(&number);
        return of(number);
    }

    std::string of(int number)
    {
        const std::lock_guard lock(mutex_);
        char host[256] = "";
        gethostname(host, sizeof host - 1);
        const auto found = names_.find(number);
        return std::string("host ") + host + ", device " + std::to_string(number) +
               (found == names_.end() ? "" : ", " + found->second);
    }

private:
    std::mutex mutex_;
    std::map<int, std::string> names_;
};

DeviceNames& device_names()
{
    static DeviceNames names;
    return names;
}

} // namespace

std::string gpu_identity(int number)
{
    return device_names().of(number);
}

bool gpu_hangs()
{
    return device_hangs();
}

bool gpu_sums_are_wrong()
{
    return fault_plan().is_wrong();
}

FaultPlan& fault_plan()
{
    static FaultPlan plan(std::getenv("CHAMOMILE_GPU_FAULT") ? std::getenv("CHAMOMILE_GPU_FAULT")
                                                             : "");
    return plan;
}

void fail_call(cudaError_t status, const char* tried)
{
    const bool hangs = status == cudaErrorNotReady;
    std::string line = std::string("GPU: ") + tried + ": ";
    line += hangs ? "not finished in time (CHAMOMILE_GPU_TIMEOUT): the GPU hangs"
                  : std::string(cudaGetErrorName(status)) + ": " + cudaGetErrorString(status);
    if (status == cudaErrorMemoryAllocation) {
        cudaGetLastError(); // the device remains usable
        std::size_t free = 0, total = 0;
        if (cudaMemGetInfo(&free, &total) == cudaSuccess)
            line += ", " + std::to_string(free >> 20) + " of " + std::to_string(total >> 20) +
                    " MiB free";
        throw OutOfDeviceMemory(line + "; " + device_names().present());
    }
    throw Error(Fault::device, line + "; " + device_names().present());
}

namespace {

std::vector<GpuDescription> found_gpus()
{
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess) {
        cudaGetLastError(); // ignored: a machine may lack a driver
        return {};
    }
    std::vector<GpuDescription> gpus;
    for (int number = 0; number < count; ++number) {
        cudaDeviceProp properties;
        check(cudaGetDeviceProperties(&properties, number), "read the device's properties");
        device_names().note(number, properties);
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

} // namespace

std::vector<GpuDescription> list_gpus()
{
    // Properties take longer than a small sum. A forked child has no GPU.
    static std::mutex mutex;
    static std::vector<GpuDescription> known;
    static pid_t process = 0;
    const std::lock_guard lock(mutex);
    if (known.empty() || process != getpid()) {
        known = found_gpus();
        process = getpid();
    }
    return known;
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
