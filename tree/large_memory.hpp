/// \file  Memory for arrays with an entry for each particle or cell.
#pragma once

#include <memory_resource>

namespace chamomile {

/// Gives arrays of some megabytes memory in huge pages where the system has them to give, because
/// the walk and the gathers jump about in it: each page of 4 KiB that they touch costs a miss of
/// the page tables. All threads touch the pages first, in equal parts. Smaller arrays come from the
/// default resource's upstream, new and delete. Throws std::bad_alloc.
std::pmr::memory_resource* large_memory();

} // namespace chamomile
