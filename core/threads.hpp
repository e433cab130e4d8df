/// \file  Loop size from which threads pay.
#pragma once

#include <cstddef>

namespace chamomile {

/// Loops that touch each particle or cell once use a single thread below this size. Waking the
/// other threads costs some ten microseconds, and far more if other programs share the cores.
inline constexpr std::size_t worth_threads = 8192;

} // namespace chamomile
