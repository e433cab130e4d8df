/// \file  Memory of GPUs that callers see: their arrays, and results that stay there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace chamomile {

/// Returns the number of the GPU in whose memory `data` lies; -1 if none, as for all host memory.
int gpu_of(const void* data);

/// Waits for the work put so far into a stream of that GPU: a cudaStream_t, where 1 is the default
/// stream and 2 the thread's own, as the Python array protocols count. Throws Error(device).
void wait_for_stream(int number, std::uintptr_t stream);

/// Allocates memory of that GPU, which is freed with its last owner. Throws Error(device).
std::shared_ptr<std::byte> gpu_memory(int number, std::size_t bytes);

/// Copies to host memory and returns when that is done. Throws Error(device).
void copy_from_gpu(int number, void* to, const void* from, std::size_t bytes);

} // namespace chamomile
