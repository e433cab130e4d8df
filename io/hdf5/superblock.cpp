#include "chamomile/io/hdf5/superblock.hpp"

#include <algorithm>
#include <array>

namespace chamomile {
namespace {

/// Returns the little-endian number of `size` bytes.
std::uint64_t number_at(const unsigned char* bytes, std::size_t size)
{
    std::uint64_t value = 0;
    for (std::size_t k = size; k-- > 0;)
        value = value << 8 | bytes[k];
    return value;
}

} // namespace

std::int64_t find_superblock(const InputFile& file)
{
    constexpr std::uint64_t signature = 0x89'48'44'46'0d'0a'1a'0a;
    for (std::int64_t offset = 0; offset + 8 <= file.size(); offset = offset ? 2 * offset : 512) {
        const auto bytes = file.value<std::uint64_t>(offset);
        if (bytes == signature || bytes == byte_swapped(signature))
            return offset;
    }
    return -1;
}

void check_driver_block(const std::filesystem::path& path)
{
    constexpr std::size_t version_at = 8, address_size_at = 13, after_version_0 = 24,
                          after_version_1 = 28, longest_address = 8, addresses = 4;
    const InputFile file(path);
    const std::int64_t start = find_superblock(file);
    std::array<unsigned char, after_version_1 + addresses * longest_address> block{};
    if (start < 0)
        return;
    const std::uint64_t left = std::uint64_t(file.size() - start);
    const std::size_t there = std::size_t(std::min<std::uint64_t>(left, block.size()));
    file.read(start, std::as_writable_bytes(std::span(block).first(there)));
    const std::size_t size = block[address_size_at];
    if (block[version_at] > 1 || size == 0 || size > longest_address)
        return;
    const std::size_t first = block[version_at] == 0 ? after_version_0 : after_version_1;
    if (first + addresses * size > there)
        return;
    const std::uint64_t address = number_at(&block[first + (addresses - 1) * size], size);
    const std::uint64_t undefined = ~std::uint64_t(0) >> 8 * (longest_address - size);
    std::array<unsigned char, 8> head; // version, three reserved bytes, size
    if (address == undefined || left < head.size() || address > left - head.size())
        return;
    file.read(start + std::int64_t(address), std::as_writable_bytes(std::span(head)));
    if (const std::uint64_t bytes = number_at(&head[4], 4); bytes > left - address)
        throw bad_input(path, "driver information", std::to_string(bytes) + " bytes",
                        "truncated or damaged: the file has " + std::to_string(file.size()));
}

} // namespace chamomile
