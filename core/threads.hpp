/// \file  The size of a loop from which threads pay.
#pragma once

#include <cstddef>

namespace chamomile {

/// Loops that touch each particle or cell once run in one thread below this many: waking the other
/// threads costs some ten microseconds, and far more where cores are shared with other programs.
inline constexpr std::size_t worth_threads = 8192;

} // namespace chamomile
