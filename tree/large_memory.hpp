/// \file  Memory for arrays with an entry per particle or cell.
#pragma once

#include <memory_resource>

namespace chamomile {

/// Returns a resource that gives arrays of some megabytes memory in huge pages where the system has
/// them, because the walk and the gathers access it at random: each page of 4 KiB that they touch
/// costs a miss of the page tables. All threads touch the pages first, in equal parts. Smaller
/// arrays come from the default resource's upstream, new and delete. Throws std::bad_alloc.
std::pmr::memory_resource* large_memory();

} // namespace chamomile
