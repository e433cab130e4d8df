/// \file  The records of a GADGET-2 binary file, located before any data are read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chamomile/io/gadget2/header.hpp"
#include "chamomile/io/input_file.hpp"
#include "chamomile/io/multi_file.hpp"
#include "chamomile/io/unchanged_file.hpp"

namespace chamomile {

/// A Gadget2Block is a data block, without the surrounding byte counts.
struct Gadget2Block {
    std::string label; ///< four characters, such as "POS " or "ID  "
    std::int64_t offset = 0, bytes = 0;
};

/// A Gadget2Piece is one file with its blocks located. Byte counts are checked against each other,
/// the header and the file size.
struct Gadget2Piece {
    UnchangedFile as_opened;
    InputFile file;
    ByteOrder order = ByteOrder::host;
    int format = 1;
    Gadget2Header header;
    std::vector<Gadget2Block> blocks;
    std::string label_note; ///< note about a label with a wrong block size

    /// Throws Error with Fault::input if the file breaks the format.
    explicit Gadget2Piece(const std::filesystem::path& path);

    TypeCounts counts() const;
    TypeTotals totals() const; ///< over all files; zeros if not stated
    std::int64_t count() const { return sum(counts()); }
    std::int64_t masses() const; ///< number of particles with an entry in block MASS

    const Gadget2Block* find(const std::string& label) const; ///< nullptr: missing

    /// Returns the bytes per number (4 or 8) of a block with `numbers` numbers. Throws Error with
    /// Fault::input for other widths.
    int width(const Gadget2Block& block, std::int64_t numbers) const;

    /// Returns the block. Throws Error with Fault::input if it is missing.
    const Gadget2Block& block(const std::string& label) const;

private:
    void find_blocks();
    void check_rest(std::int64_t offset) const;
    void check_label(const Gadget2Block& name, const Gadget2Block& block);
    void check_header() const;
    void check_sizes() const;
};

} // namespace chamomile
