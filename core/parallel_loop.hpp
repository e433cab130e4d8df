/// \file  Parallel loops that end early.
#pragma once

#include <cstddef>
#include <functional>

namespace chamomile {

/// Calls work(k) for all k < n with all threads, in blocks of `block` numbers. Ends at the first
/// exception, from `work` or from look_for_interruption() before a block, and throws it.
void parallel_loop(std::size_t n, std::size_t block, const std::function<void(std::size_t)>& work);

} // namespace chamomile
