/// \file  Memory for arrays with an entry per particle or cell.
#pragma once

#include <memory_resource>

namespace chamomile {

/// Returns a resource that places arrays of 8 MiB and more in huge pages if the system has them.
/// The walk and the gathers access these arrays at random, where each 4 KiB page costs a miss in
/// the page tables. Each thread is the first to touch an equal range of pages. Smaller arrays come
/// from new and delete. Throws std::bad_alloc.
std::pmr::memory_resource* large_memory();

} // namespace chamomile
