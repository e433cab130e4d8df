/// \file  Packs values into bytes for another process of the same version.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

namespace chamomile {

/// Appends `count` trivially copyable values.
template <class T>
void put_bytes(std::vector<std::byte>& bytes, const T* values, std::size_t count = 1)
{
    static_assert(std::is_trivially_copyable_v<T>);
    const auto raw = std::as_bytes(std::span(values, count));
    bytes.insert(bytes.end(), raw.begin(), raw.end());
}

/// Reads `count` values from the front, and removes them.
template <class T>
void read_bytes(std::span<const std::byte>& bytes, T* values, std::size_t count = 1)
{
    static_assert(std::is_trivially_copyable_v<T>);
    if (count > 0)
        std::memcpy(static_cast<void*>(values), bytes.data(), count * sizeof(T));
    bytes = bytes.subspan(count * sizeof(T));
}

/// Append and read a text or vector, preceded by its size.
template <class Values>
void put_sized(std::vector<std::byte>& bytes, const Values& values)
{
    const std::uint64_t size = values.size();
    put_bytes(bytes, &size);
    put_bytes(bytes, values.data(), values.size());
}
template <class Values>
void read_sized(std::span<const std::byte>& bytes, Values& values)
{
    std::uint64_t size = 0;
    read_bytes(bytes, &size);
    values.resize(size);
    read_bytes(bytes, values.data(), values.size());
}

} // namespace chamomile
