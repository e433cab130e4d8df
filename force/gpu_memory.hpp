/// \file  GPU memory visible to callers: their arrays, and results kept on a GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace chamomile {

/// Returns the number of the GPU whose memory holds `data`; -1: host memory.
int gpu_of(const void* data);

/// Waits for the work enqueued so far in a stream on that GPU: a cudaStream_t, or 1 for the default
/// stream and 2 for the per-thread stream, as in Python array protocols. Throws Error(device).
void wait_for_stream(int number, std::uintptr_t stream);

/// Allocates memory on that GPU, freed with its last owner. Throws Error(device).
std::shared_ptr<std::byte> gpu_memory(int number, std::size_t bytes);

/// Copies to host memory synchronously. Throws Error(device).
void copy_from_gpu(int number, void* to, const void* from, std::size_t bytes);

} // namespace chamomile
