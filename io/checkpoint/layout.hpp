/// \file  The bytes of a checkpoint: a header, named blocks, an end.
///
///     header   64 bytes  magic, version, byte order, check sum of the header
///     block    64 bytes  name, format of its items, length and check sum of the items;
///                        check sum of these 64 bytes
///              length    the items
///     ...
///     end      a block named "end" with two 64-bit numbers: the number of blocks before it,
///              and their bytes including the header; nothing follows
///
/// Integers and reals are in the machine's byte order, which the header states. Check sums are
/// CRC-32 (zlib's).
///
/// On several ranks each rank writes the rows of its particles into a part, a file of this form.
/// The checkpoint itself has version 2, no such rows, and two blocks that name the parts and their
/// check sums, which are those of all block heads of a part.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

namespace chamomile::checkpoint_layout {

inline constexpr char magic[16] = {'c', 'h', 'a', 'm', 'o', 'm', 'i', 'l',
                                   'e', ' ', 'c', 'h', 'k', 'p', 't', '\n'};
/// Readers refuse a different major version. A greater minor version adds blocks that older readers
/// may ignore.
inline constexpr std::uint32_t major_version = 1, major_version_with_parts = 2, minor_version = 0;
inline constexpr std::uint64_t byte_order = 0x0102030405060708;
inline constexpr const char *end_name = "end", *part_names = "parts/names",
                            *part_sums = "parts/sums";

/// A Header is the first 64 bytes of the file.
struct Header {
    char magic[16];
    std::uint32_t major_version, minor_version;
    std::uint64_t byte_order;
    std::uint8_t reserved[28]; ///< 0
    std::uint32_t sum;         ///< of all bytes before
};

/// A BlockHead is the 64 bytes before the items of a block.
struct BlockHead {
    char name[40]; ///< zero-padded, the last byte is 0
    char kind;     ///< s, u, i or f
    std::uint8_t width;
    std::uint8_t reserved[6]; ///< 0
    std::uint64_t bytes;
    std::uint32_t content_sum;
    std::uint32_t sum; ///< of all bytes before
};

static_assert(sizeof(Header) == 64 && sizeof(BlockHead) == 64);
static_assert(std::has_unique_object_representations_v<Header> &&
              std::has_unique_object_representations_v<BlockHead>);

/// Returns the CRC-32 of the bytes; `before`: CRC-32 of the preceding bytes.
std::uint32_t check_sum(std::span<const std::byte> bytes, std::uint32_t before = 0);

/// Returns the check sum of a header or block head, excluding its last member `sum`: a CRC of bytes
/// and their CRC does not depend on the bytes.
template <class Record>
std::uint32_t record_sum(const Record& record, std::uint32_t before = 0)
{
    return check_sum(std::as_bytes(std::span(&record, 1)).first(offsetof(Record, sum)), before);
}

} // namespace chamomile::checkpoint_layout
