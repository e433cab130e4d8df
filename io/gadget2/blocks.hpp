/// \file  The records of a GADGET-2 binary file: where each block lies, before anything is read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chamomile/io/gadget2/header.hpp"
#include "chamomile/io/input_file.hpp"
#include "chamomile/io/pieces.hpp"
#include "chamomile/io/unchanged_file.hpp"

namespace chamomile {

/// One block of data, without the byte counts around it.
struct Gadget2Block {
    std::string label; ///< four characters, such as "POS " or "ID  "
    std::int64_t offset = 0, bytes = 0;
};

/// One file, its blocks found and their byte counts checked against each other, the header and
/// the size of the file.
struct Gadget2Piece {
    UnchangedFile as_opened;
    InputFile file;
    ByteOrder order = ByteOrder::host;
    int format = 1;
    Gadget2Header header;
    std::vector<Gadget2Block> blocks;
    std::string label_note; ///< of a label that states another size than its block has

    /// Throws Error with Fault::input for whatever is not as it must be.
    explicit Gadget2Piece(const std::filesystem::path& path);

    TypeCounts counts() const;
    TypeCounts totals() const; ///< over all files; zeros where not stated
    std::int64_t count() const { return sum(counts()); }
    std::int64_t masses() const; ///< particles with a mass of their own

    const Gadget2Block* find(const std::string& label) const; ///< nullptr: not there

    /// Bytes per number of a block of that many numbers: 4 or 8, anything else is an error.
    int width(const Gadget2Block& block, std::int64_t numbers) const;

    /// The block, which must be there.
    const Gadget2Block& block(const std::string& label) const;

private:
    void find_blocks();
    void check_rest(std::int64_t offset) const;
    void check_label(const Gadget2Block& name, const Gadget2Block& block);
    void check_header() const;
    void check_sizes() const;
};

} // namespace chamomile
