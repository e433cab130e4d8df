/// \file  Memory that a process may still allocate, and that it has freed.
#pragma once

#include <cstdint>

namespace chamomile {

/// Returns the bytes that can be allocated without swapping: the smaller of the system's available
/// memory and the rest within the process's control groups (memory limits of a batch system).
/// Returns 0 if the system does not report its available memory.
std::uint64_t free_memory();

/// Keeps freed memory in the process for later arrays, from now on: the system clears each page
/// that it gives. Does nothing without glibc.
void keep_freed_memory();

} // namespace chamomile
