#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include <zlib.h>

#include "chamomile/io/checkpoint/checkpoint_file.hpp"

namespace chamomile {

using namespace checkpoint_layout;

namespace {

Error bad(const InputFile& file, const std::string& field, const std::string& value,
          const std::string& allowed)
{
    return Error(Fault::restart,
                 file.path().string() + ": " + field + ": " + value + ": " + allowed);
}

void read_header(const InputFile& file)
{
    if (file.size() < std::int64_t(sizeof(Header)))
        throw bad(file, "size", std::to_string(file.size()) + " bytes", "truncated in the header");
    const auto header = file.value<Header>(0);
    if (std::memcmp(header.magic, magic, sizeof magic) != 0)
        throw bad(file, "header", "not of a checkpoint", "must be a checkpoint of 'chamomile run'");
    if (header.sum != record_sum(header) && header.byte_order == byte_order)
        throw bad(file, "header", "check sum", "damaged");
    if (header.byte_order != byte_order)
        throw bad(file, "byte order", "reversed", "must be that of this machine");
    if (header.major_version != major_version && header.major_version != major_version_with_parts)
        throw bad(file, "format version",
                  std::to_string(header.major_version) + "." + std::to_string(header.minor_version),
                  "must be version " + std::to_string(major_version) + " or " +
                      std::to_string(major_version_with_parts));
}

} // namespace

CheckpointReader::CheckpointReader(const std::filesystem::path& path, CheckSums compared)
{
    sum_ = read_file(files_.emplace_back(path), compared != CheckSums::heads, blocks_);
    if (has(part_names))
        read_parts(compared);
}

std::uint32_t CheckpointReader::read_file(const InputFile& file, bool compares, Blocks& blocks)
{
    read_header(file);
    std::int64_t offset = sizeof(Header);
    std::uint32_t sum = 0;
    while (!blocks.contains(end_name))
        offset = read_block(file, offset, compares, blocks, sum);
    if (offset != file.size())
        throw bad(file, "size", std::to_string(file.size()) + " bytes",
                  "must be " + std::to_string(offset) + ", the end of the last block");
    const Extent end = blocks.at(end_name).extents.front();
    std::array<std::uint64_t, 2> totals;
    if (end.bytes != sizeof totals ||
        (totals = file.value<decltype(totals)>(end.offset),
         totals[0] != blocks.size() - 1 ||
             totals[1] != std::uint64_t(end.offset) - sizeof(BlockHead)))
        throw bad(file, end_name, std::to_string(blocks.size() - 1) + " blocks",
                  "must be the end of the file");
    blocks.erase(end_name);
    return sum;
}

/// Joins the rows of all parts, in order.
void CheckpointReader::read_parts(CheckSums compared)
{
    std::vector<std::string> names;
    std::vector<std::uint32_t> sums;
    (*this)(part_names, names);
    (*this)(part_sums, sums);
    if (names.size() != sums.size())
        throw bad(files_.front(), part_names, std::to_string(names.size()),
                  "must be as many as their check sums");
    for (std::size_t k = 0; k < names.size(); ++k) {
        if (std::filesystem::path(names[k]).filename() != names[k])
            throw bad(files_.front(), part_names, names[k], "must be in the folder of the file");
        const InputFile& part = files_.emplace_back(path().parent_path() / names[k]);
        Blocks blocks;
        if (read_file(part, compared == CheckSums::all, blocks) != sums[k])
            throw bad(part, "part", "of another checkpoint",
                      "must be the part written with " + path().filename().string());
        for (const auto& [name, block] : blocks) {
            const auto [place, is_new] = blocks_.emplace(name, block);
            if (is_new)
                continue;
            Block& whole = place->second;
            if (!(whole.format == block.format))
                throw bad(part, name, "wrong type", "must be that of the first part");
            whole.sum = std::uint32_t(crc32_combine(whole.sum, block.sum, z_off_t(block.bytes)));
            whole.bytes += block.bytes;
            whole.extents.push_back(block.extents.front());
        }
    }
}

bool CheckpointReader::agrees(const CheckpointReader& other, const std::string& name) const
{
    const auto ours = blocks_.find(name), theirs = other.blocks_.find(name);
    if (ours == blocks_.end() || theirs == other.blocks_.end())
        return ours == blocks_.end() && theirs == other.blocks_.end();
    return ours->second.bytes == theirs->second.bytes && ours->second.sum == theirs->second.sum;
}

std::int64_t CheckpointReader::read_block(const InputFile& file, std::int64_t offset, bool compares,
                                          Blocks& blocks, std::uint32_t& sum_of_heads)
{
    const std::string place = "block at byte " + std::to_string(offset);
    const auto truncated = [&](std::uint64_t needed) {
        return bad(file, "size", std::to_string(file.size()) + " bytes",
                   "truncated: " + place + " needs " + std::to_string(needed));
    };
    constexpr auto head_bytes = std::int64_t(sizeof(BlockHead));
    if (file.size() - offset < head_bytes)
        throw truncated(sizeof(BlockHead));
    const auto head = file.value<BlockHead>(offset);
    if (head.sum != record_sum(head) || head.name[sizeof head.name - 1] != 0)
        throw bad(file, place, "check sum of its head", "damaged");
    sum_of_heads = record_sum(head, sum_of_heads);
    const std::string name = head.name;
    offset += head_bytes;
    if (head.bytes > std::uint64_t(file.size() - offset))
        throw truncated(head.bytes);
    if (head.width == 0 || head.bytes % head.width != 0)
        throw bad(file, name, std::to_string(head.bytes) + " bytes",
                  "must be a whole number of items");
    std::uint32_t sum = 0;
    std::vector<std::byte> piece;
    for (std::uint64_t done = 0; compares && done < head.bytes; done += piece.size()) {
        piece.resize(std::size_t(std::min<std::uint64_t>(head.bytes - done, 1 << 24)));
        file.read(offset + std::int64_t(done), piece);
        sum = check_sum(piece, sum);
    }
    if (compares && sum != head.content_sum)
        throw bad(file, name, "check sum", "damaged");
    const Extent extent{&file, offset, head.bytes, head.content_sum};
    const Format format{head.kind, head.width};
    if (!blocks.emplace(name, Block{format, head.bytes, head.content_sum, {extent}}).second)
        throw bad(file, name, "second block", "must be unique");
    return offset + std::int64_t(head.bytes);
}

CheckpointReader::Block& CheckpointReader::find(const std::string& name, Format format)
{
    const auto block = blocks_.find(name);
    if (block == blocks_.end())
        throw bad(files_.front(), name, "missing", "needed to continue");
    if (!(block->second.format == format))
        throw bad(files_.front(), name, "wrong type", "must be the type of this version");
    return block->second;
}

std::uint64_t CheckpointReader::size(const std::string& name, Format format)
{
    return find(name, format).bytes / format.width;
}

void CheckpointReader::exchange(const std::string& name, Format format, std::span<std::byte> bytes)
{
    if (const Block& block = find(name, format); bytes.size() != block.bytes)
        throw bad(files_.front(), name, std::to_string(block.bytes) + " bytes",
                  "must be " + std::to_string(bytes.size()));
    give_part(name, format, 0, bytes);
}

void CheckpointReader::give_part(const std::string& name, Format format, std::uint64_t begin,
                                 std::span<std::byte> bytes)
{
    Block& block = find(name, format);
    if (begin > block.bytes || bytes.size() > block.bytes - begin)
        throw bad(files_.front(), name, std::to_string(block.bytes) + " bytes",
                  "must be at least " + std::to_string(begin + bytes.size()));
    for (Extent& extent : block.extents) {
        const std::uint64_t here =
            begin < extent.bytes ? std::min<std::uint64_t>(bytes.size(), extent.bytes - begin) : 0;
        if (here > 0)
            read_extent(name, extent, begin, bytes.first(here));
        bytes = bytes.subspan(here);
        begin -= std::min(begin, extent.bytes); // 0 after the first rows
    }
}

/// The last part verifies the check sum, but only if all parts are read in order from the first.
void CheckpointReader::read_extent(const std::string& name, Extent& extent, std::uint64_t begin,
                                   std::span<std::byte> bytes)
{
    extent.file->read(extent.offset + std::int64_t(begin), bytes);
    if (begin == 0)
        extent.given = extent.given_sum = 0;
    else if (begin != extent.given)
        return;
    extent.given += bytes.size();
    extent.given_sum = check_sum(bytes, extent.given_sum);
    if (extent.given == extent.bytes && extent.given_sum != extent.sum)
        throw bad(*extent.file, name, "check sum", "changed while being read");
}

} // namespace chamomile
