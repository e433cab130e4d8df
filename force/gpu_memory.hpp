/// \file  Memory of GPUs that callers see: their arrays, and results that stay there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace chamomile {

/// The number of the GPU in whose memory `data` lies; -1: none, as of all host memory.
int gpu_of(const void* data);

/// Waits for what has been put into a stream of that GPU: a cudaStream_t, 1 the default stream or 2
/// the thread's own, as the Python array protocols count. Throws Error(device).
void wait_for_stream(int number, std::uintptr_t stream);

/// Memory of that GPU, freed with its last owner. Throws Error(device).
std::shared_ptr<std::byte> gpu_memory(int number, std::size_t bytes);

/// Copies to host memory; returns when that is done. Throws Error(device).
void copy_from_gpu(int number, void* to, const void* from, std::size_t bytes);

} // namespace chamomile
