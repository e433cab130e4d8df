/// \file  Memory that a process may still allocate.
#pragma once

#include <cstdint>

namespace chamomile {

/// Returns the bytes that can be allocated without swapping: the smaller of the system's available
/// memory and the rest within the process's control groups (memory limits of a batch system).
/// Returns 0 if the system does not report its available memory.
std::uint64_t free_memory();

} // namespace chamomile
