/// \file  The memory that a process may still take.
#pragma once

#include <cstdint>

namespace chamomile {

/// Returns the bytes that can be taken without swapping: what the system has free, or what the
/// limit of the process's control group leaves (a batch system's limit of memory), whichever is
/// less. Where the system tells neither it returns 0.
std::uint64_t free_memory();

} // namespace chamomile
