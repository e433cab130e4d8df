#include "chamomile/io/gadget2/blocks.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>

#include "chamomile/io/file_constants.hpp"
#include "chamomile/io/number_text.hpp"

namespace chamomile {
namespace {

/// Returns the record at `offset`, after a check of its two byte counts.
Gadget2Block record_at(const InputFile& file, std::int64_t offset, ByteOrder order)
{
    const std::int64_t bytes = file.value<std::uint32_t>(offset, order);
    const std::string field = "record at offset " + std::to_string(offset);
    if (bytes > file.size() - offset - 8)
        throw bad_input(file.path(), field, std::to_string(bytes) + " bytes",
                        "truncated, the file ends at " + std::to_string(file.size()));
    const std::int64_t tail = file.value<std::uint32_t>(offset + 4 + bytes, order);
    if (tail != bytes)
        throw bad_input(file.path(), field,
                        "byte counts " + std::to_string(bytes) + " and " + std::to_string(tail),
                        "must be equal before and after the data");
    return {"", offset + 4, bytes};
}

std::int64_t after(const Gadget2Block& block)
{
    return block.offset + block.bytes + 4;
}

} // namespace

Gadget2Piece::Gadget2Piece(const std::filesystem::path& path) : as_opened(path), file(path)
{
    const auto marker = file.value<std::uint32_t>(0, ByteOrder::host);
    const bool as_is = marker == 256 || marker == 8;
    order = as_is ? ByteOrder::host : ByteOrder::swapped;
    const std::uint32_t first = in_host_order(marker, order);
    if (first != 256 && first != 8)
        throw bad_input(path, "first word", std::to_string(marker),
                        "must be 256 (format 1) or 8 (format 2) in either byte order");
    format = first == 8 ? 2 : 1;

    find_blocks();
    check_header();
    check_sizes();
}

void Gadget2Piece::find_blocks()
{
    static constexpr const char* order_of_format_1[] = {"HEAD", "POS ", "VEL ", "ID  ", "MASS"};
    for (std::int64_t offset = 0; offset < file.size();) {
        Gadget2Block block;
        if (format == 2) {
            const Gadget2Block name = record_at(file, offset, order);
            if (name.bytes != 8)
                throw bad_input(file.path(), "record at offset " + std::to_string(offset),
                                std::to_string(name.bytes) + " bytes",
                                "must be the label of a block, 8 bytes");
            block = record_at(file, after(name), order);
            block.label.resize(4);
            file.read(name.offset, std::as_writable_bytes(std::span(block.label)));
            check_label(name, block);
        } else {
            // Without labels, further blocks (such as gas properties) cannot be identified.
            const std::size_t wanted = blocks.empty() || masses() > 0 ? 5 : 4;
            if (blocks.size() == wanted || (!blocks.empty() && count() == 0))
                return check_rest(offset);
            block = record_at(file, offset, order);
            block.label = order_of_format_1[blocks.size()];
        }
        if (blocks.empty()) {
            if (block.label != "HEAD" || block.bytes != 256)
                throw bad_input(file.path(), "first block",
                                "'" + block.label + "', " + std::to_string(block.bytes) + " bytes",
                                "must be HEAD of 256 bytes");
            header = file.value<Gadget2Header>(block.offset);
            if (order == ByteOrder::swapped)
                header.swap_bytes();
            check_counts(counts(), file.path(), max_in_files);
        }
        offset = after(block);
        blocks.push_back(std::move(block));
        if (blocks.size() > 1000)
            throw bad_input(file.path(), "number of blocks", "more than 1000", "not a snapshot");
    }
}

/// Checks that only whole records follow the blocks that format 1 always has.
void Gadget2Piece::check_rest(std::int64_t offset) const
{
    while (offset < file.size())
        try {
            offset = after(record_at(file, offset, order));
        } catch (const Error&) {
            throw bad_input(file.path(), "size", std::to_string(file.size()) + " bytes",
                            "the blocks end at " + std::to_string(offset) +
                                ", followed by data that is not a record");
        }
}

/// Refuses a second block with the same label, if this reader needs the block. The label's size
/// (block plus two byte counts) is not used; a wrong size gives a note.
void Gadget2Piece::check_label(const Gadget2Block& name, const Gadget2Block& block)
{
    static constexpr std::string_view read[] = {"HEAD", "POS ", "VEL ", "ID  ",
                                                "MASS", "POT ", "ACCE"};
    if (std::find(std::begin(read), std::end(read), block.label) == std::end(read))
        return;
    if (find(block.label))
        throw bad_input(file.path(), "block " + block.label,
                        "again at offset " + std::to_string(name.offset - 4), "must be unique");
    const std::int64_t stated = file.value<std::uint32_t>(name.offset + 4, order) - std::int64_t(8);
    if (stated != block.bytes && label_note.empty())
        label_note = "block " + block.label + ": label states " + std::to_string(stated) +
                     " bytes, but block has " + std::to_string(block.bytes) + ": label ignored";
}

void Gadget2Piece::check_header() const
{
    if (!std::isfinite(header.time) || !std::isfinite(header.redshift) || header.redshift <= -1)
        throw bad_input(file.path(), "time and redshift",
                        number_text(header.time) + ", " + number_text(header.redshift),
                        "must be finite, and the redshift above -1");
    checked(file.path(), "box size", header.box_size, ranges::side_or_none);
    for (int type = 0; type < 6; ++type)
        if (!std::isfinite(header.mass[type]) || header.mass[type] < 0)
            throw bad_input(file.path(), "mass of type " + std::to_string(type) + " in the header",
                            number_text(header.mass[type]), "must be finite and not negative");
}

void Gadget2Piece::check_sizes() const
{
    if (count() == 0)
        return;
    width(block("POS "), 3 * count());
    width(block("VEL "), 3 * count());
    if (const Gadget2Block* ids = find("ID  "))
        width(*ids, count());
    if (masses() > 0)
        width(block("MASS"), masses());
}

TypeCounts Gadget2Piece::counts() const
{
    TypeCounts result;
    std::copy(std::begin(header.count), std::end(header.count), result.begin());
    return result;
}

TypeTotals Gadget2Piece::totals() const
{
    TypeTotals result;
    std::copy(std::begin(header.total), std::end(header.total), result.low.begin());
    std::copy(std::begin(header.total_high), std::end(header.total_high), result.high.begin());
    return result;
}

std::int64_t Gadget2Piece::masses() const
{
    std::int64_t result = 0;
    for (std::size_t type = 0; type < 6; ++type)
        result += header.mass[type] == 0 ? header.count[type] : 0;
    return result;
}

const Gadget2Block* Gadget2Piece::find(const std::string& label) const
{
    const auto found = std::find_if(blocks.begin(), blocks.end(),
                                    [&](const Gadget2Block& b) { return b.label == label; });
    return found == blocks.end() ? nullptr : &*found;
}

int Gadget2Piece::width(const Gadget2Block& block, std::int64_t numbers) const
{
    for (int bytes : {4, 8})
        if (block.bytes == numbers * bytes)
            return bytes;
    throw bad_input(file.path(), "block " + block.label, std::to_string(block.bytes) + " bytes",
                    "must be " + std::to_string(4 * numbers) + " (single) or " +
                        std::to_string(8 * numbers) + " (double) for " + std::to_string(count()) +
                        " particles");
}

const Gadget2Block& Gadget2Piece::block(const std::string& label) const
{
    if (const Gadget2Block* found = find(label))
        return *found;
    throw bad_input(file.path(), "block " + label, "missing",
                    "needed for " + std::to_string(count()) + " particles");
}

} // namespace chamomile
