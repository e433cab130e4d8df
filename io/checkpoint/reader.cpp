#include <algorithm>
#include <cstring>
#include <vector>

#include "chamomile/io/checkpoint/checkpoint_file.hpp"

namespace chamomile {

using namespace checkpoint_layout;

CheckpointReader::CheckpointReader(const std::filesystem::path& path, CheckSums compared)
    : file_(path)
{
    read_header();
    std::int64_t offset = sizeof(Header);
    while (!has(end_name))
        offset = read_block(offset, compared);
    if (offset != file_.size())
        throw bad("size", std::to_string(file_.size()) + " bytes",
                  "must be " + std::to_string(offset) + ", the end of the last block");
    std::vector<std::uint64_t> totals;
    (*this)(end_name, totals);
    const auto end = std::int64_t(sizeof(BlockHead) + 2 * sizeof(std::uint64_t));
    if (totals.size() != 2 || totals[0] != blocks_.size() - 1 ||
        totals[1] != std::uint64_t(offset - end))
        throw bad(end_name, std::to_string(blocks_.size() - 1) + " blocks",
                  "must be the end of the file");
}

Error CheckpointReader::bad(const std::string& field, const std::string& value,
                            const std::string& allowed) const
{
    return Error(Fault::restart,
                 file_.path().string() + ": " + field + ": " + value + ": " + allowed);
}

void CheckpointReader::read_header() const
{
    if (file_.size() < std::int64_t(sizeof(Header)))
        throw bad("size", std::to_string(file_.size()) + " bytes", "truncated in the header");
    const auto header = file_.value<Header>(0);
    if (std::memcmp(header.magic, magic, sizeof magic) != 0)
        throw bad("header", "not of a checkpoint", "must be a checkpoint of 'chamomile run'");
    if (header.sum != record_sum(header) && header.byte_order == byte_order)
        throw bad("header", "check sum", "damaged");
    if (header.byte_order != byte_order)
        throw bad("byte order", "reversed", "must be that of this machine");
    if (header.major_version != major_version)
        throw bad("format version",
                  std::to_string(header.major_version) + "." + std::to_string(header.minor_version),
                  "must be version " + std::to_string(major_version));
}

bool CheckpointReader::agrees(const CheckpointReader& other, const std::string& name) const
{
    const auto ours = blocks_.find(name), theirs = other.blocks_.find(name);
    if (ours == blocks_.end() || theirs == other.blocks_.end())
        return ours == blocks_.end() && theirs == other.blocks_.end();
    return ours->second.bytes == theirs->second.bytes && ours->second.sum == theirs->second.sum;
}

std::int64_t CheckpointReader::read_block(std::int64_t offset, CheckSums compared)
{
    const std::string place = "block at byte " + std::to_string(offset);
    const auto truncated = [&](std::uint64_t needed) {
        return bad("size", std::to_string(file_.size()) + " bytes",
                   "truncated: " + place + " needs " + std::to_string(needed));
    };
    constexpr auto head_bytes = std::int64_t(sizeof(BlockHead));
    if (file_.size() - offset < head_bytes)
        throw truncated(sizeof(BlockHead));
    const auto head = file_.value<BlockHead>(offset);
    if (head.sum != record_sum(head) || head.name[sizeof head.name - 1] != 0)
        throw bad(place, "check sum of its head", "damaged");
    const std::string name = head.name;
    offset += head_bytes;
    if (head.bytes > std::uint64_t(file_.size() - offset))
        throw truncated(head.bytes);
    if (head.width == 0 || head.bytes % head.width != 0)
        throw bad(name, std::to_string(head.bytes) + " bytes", "must be a whole number of items");
    std::uint32_t sum = 0;
    std::vector<std::byte> piece;
    for (std::uint64_t done = 0; compared == CheckSums::all && done < head.bytes;
         done += piece.size()) {
        piece.resize(std::size_t(std::min<std::uint64_t>(head.bytes - done, 1 << 24)));
        file_.read(offset + std::int64_t(done), piece);
        sum = check_sum(piece, sum);
    }
    if (compared == CheckSums::all && sum != head.content_sum)
        throw bad(name, "check sum", "damaged");
    if (!blocks_.emplace(name, Block{offset, head.bytes, {head.kind, head.width}, head.content_sum})
             .second)
        throw bad(name, "second block", "must be unique");
    return offset + std::int64_t(head.bytes);
}

CheckpointReader::Block& CheckpointReader::find(const std::string& name, Format format)
{
    const auto block = blocks_.find(name);
    if (block == blocks_.end())
        throw bad(name, "missing", "needed to continue");
    if (!(block->second.format == format))
        throw bad(name, "wrong type", "must be the type of this version");
    return block->second;
}

std::uint64_t CheckpointReader::size(const std::string& name, Format format)
{
    return find(name, format).bytes / format.width;
}

void CheckpointReader::exchange(const std::string& name, Format format, std::span<std::byte> bytes)
{
    const Block& block = find(name, format);
    if (bytes.size() != block.bytes)
        throw bad(name, std::to_string(block.bytes) + " bytes",
                  "must be " + std::to_string(bytes.size()));
    file_.read(block.offset, bytes);
    require_sum(name, block, check_sum(bytes));
}

/// The last part verifies the check sum, but only if all parts are read in order from the first.
void CheckpointReader::give_part(const std::string& name, Format format, std::uint64_t begin,
                                 std::span<std::byte> bytes)
{
    Block& block = find(name, format);
    if (begin > block.bytes || bytes.size() > block.bytes - begin)
        throw bad(name, std::to_string(block.bytes) + " bytes",
                  "must be at least " + std::to_string(begin + bytes.size()));
    file_.read(block.offset + std::int64_t(begin), bytes);
    if (begin == 0)
        block.given = block.given_sum = 0;
    else if (begin != block.given)
        return;
    block.given += bytes.size();
    block.given_sum = check_sum(bytes, block.given_sum);
    if (block.given == block.bytes)
        require_sum(name, block, block.given_sum);
}

void CheckpointReader::require_sum(const std::string& name, const Block& block,
                                   std::uint32_t sum) const
{
    if (sum != block.sum)
        throw bad(name, "check sum", "changed while being read");
}

} // namespace chamomile
