/// \file  The check sum of HDF5's chunks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace chamomile {

/// Returns the Fletcher sum of the big-endian 16-bit words of a chunk, as defined by HDF5's filter
/// (J. G. Fletcher, IEEE Trans. Comm. 30, 247, 1982). HDF5 computes it in one thread, slower than
/// the disk. The chunk has an even number of bytes.
inline std::uint32_t fletcher_sum(std::span<const std::byte> chunk)
{
    std::uint64_t sum = 0, sum_of_sums = 0; // 64 bits suffice for chunks of several MB
    for (std::size_t i = 0; i + 1 < chunk.size(); i += 2) {
        sum += unsigned(chunk[i]) << 8 | unsigned(chunk[i + 1]);
        sum_of_sums += sum;
    }
    const auto ones_complement = [](std::uint64_t x) {
        while (x >> 16)
            x = (x & 0xffff) + (x >> 16);
        return std::uint32_t(x);
    };
    return ones_complement(sum_of_sums) << 16 | ones_complement(sum);
}

} // namespace chamomile
