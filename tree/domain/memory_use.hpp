/// \file  Memory held by arrays.
#pragma once

#include <cstddef>

namespace chamomile {

/// Returns the bytes allocated by these arrays, used or not.
template <class... Arrays>
std::size_t held_bytes(const Arrays&... arrays)
{
    return (std::size_t(0) + ... + (arrays.capacity() * sizeof(typename Arrays::value_type)));
}

} // namespace chamomile
