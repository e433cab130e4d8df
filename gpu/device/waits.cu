// Waits that detect a hang by polling up to a timeout. Contraction: fused.
//
// The driver's own waits never end if a GPU hangs. So every CUDA call goes through check() or one
// of these waits. After a hang nothing calls a function that may wait, and the program ends without
// the driver's shutdown. Thrust and cuFFT call CUDA themselves: planned faults include a kernel
// that traps (fault_kernels.cu).
//
// Work of a small step ends within 50 us and is polled without a pause. Later the pauses are a
// small fraction of the time waited, so that waiting threads do not delay threads that launch.
#include <atomic>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "chamomile/gpu/device/device.cuh"

namespace chamomile {
namespace {

/// Bit n is set after a timeout on device n modulo 64. A process may use several devices.
std::atomic<std::uint64_t> hanging{0};

std::uint64_t bit_of_device()
{
    int number = 0;
    cudaGetDevice(&number);
    return std::uint64_t(1) << (number % 64);
}

double limit_in_seconds()
{
    static const double limit = [] {
        const char* text = std::getenv("CHAMOMILE_GPU_TIMEOUT");
        if (!text)
            return 600.0;
        double seconds = 0;
        const char* end = text + std::strlen(text);
        const auto result = std::from_chars(text, end, seconds);
        if (result.ec != std::errc() || result.ptr != end || !(seconds > 0))
            throw Error(Fault::usage, std::string("CHAMOMILE_GPU_TIMEOUT: ") + text +
                                          ": must be a number of seconds above 0");
        return seconds;
    }();
    return limit;
}

template <class Query>
cudaError_t poll(const Query& query, double allowance)
{
    using Clock = std::chrono::steady_clock;
    const double limit = limit_in_seconds() + allowance;
    const std::uint64_t own = bit_of_device();
    if (hanging & own)
        return cudaErrorNotReady;
    const bool on_purpose = fault_plan().hangs();
    if (on_purpose)
        occupy(limit + 60); // a wait that ignores the timeout is then seen to take long
    const Clock::time_point start = Clock::now();
    for (;;) {
        const cudaError_t status = query();
        if (status != cudaErrorNotReady && !on_purpose)
            return status;
        if (cudaPeekAtLastError() == cudaErrorNotReady)
            cudaGetLastError(); // else a later launch would report it
        const double waited = std::chrono::duration<double>(Clock::now() - start).count();
        if (waited > limit) {
            hanging |= own;
            return cudaErrorNotReady;
        }
        if (waited < 50e-6)
            continue;
        const double pause = std::fmin(waited / 32, 20e-6);
        const auto until = Clock::now() + std::chrono::duration<double>(pause);
        do
            std::this_thread::yield();
        while (Clock::now() < until);
    }
}

} // namespace

cudaError_t status_when_done(cudaStream_t stream, double allowance)
{
    return poll([&] { return cudaStreamQuery(stream); }, allowance);
}

cudaError_t status_when_done(cudaEvent_t event, double allowance)
{
    return poll([&] { return cudaEventQuery(event); }, allowance);
}

bool device_hangs()
{
    return hanging != 0;
}

} // namespace chamomile
