/// \file  The files of a snapshot in pieces: name.0.hdf5, name.1.hdf5, ... or name.0, name.1, ...
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "chamomile/core/particles.hpp"

namespace chamomile {

/// TypeCounts holds the number of particles of each GADGET type, in one piece or in total.
using TypeCounts = std::array<std::int64_t, 6>;

constexpr std::int64_t sum(const TypeCounts& counts)
{
    std::int64_t total = 0;
    for (std::int64_t count : counts)
        total += count;
    return total;
}

/// Returns the paths of all pieces, given one piece and the number of pieces in its header. A
/// number of 0 means one file. Throws Error with Fault::input for a number above 100000, a name
/// without piece number, or a missing piece.
std::vector<std::filesystem::path> piece_paths(const std::filesystem::path& piece,
                                               std::int64_t number);

/// Returns the path of piece `number` of a snapshot: name.2.hdf5 for name.hdf5.
std::filesystem::path piece_path(const std::filesystem::path& whole, std::size_t number);

/// Returns all files that reading the snapshot would open, for any format. Throws Error with
/// Fault::input like the reader.
std::vector<std::filesystem::path> snapshot_pieces(const std::filesystem::path& path);

inline constexpr std::int64_t max_in_files = std::int64_t(1) << 48, ///< particles of a snapshot
    max_on_one_rank = std::numeric_limits<Index>::max();

/// Throws Error with Fault::input if a count is negative or the sum exceeds `max`.
void check_counts(const TypeCounts& counts, const std::filesystem::path& file, std::int64_t max);

/// TypeTotals holds a header's particle totals over all pieces, as low and high 32-bit words.
struct TypeTotals {
    TypeCounts low{}, high{};
};

/// Throws Error with Fault::input unless the number found equals the stated total for each type.
/// Some programs leave garbage in the high words: if the low word is right, a wrong high word is
/// ignored. Returns a note about it, or an empty text.
std::string check_totals(const TypeCounts& found, const TypeTotals& stated,
                         const std::filesystem::path& file);

} // namespace chamomile
