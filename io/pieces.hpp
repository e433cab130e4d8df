/// \file  The files of a snapshot in pieces: name.0.hdf5, name.1.hdf5, ... or name.0, name.1, ...
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace chamomile {

/// TypeCounts are the numbers of particles of each GADGET type, in one piece or in all.
using TypeCounts = std::array<std::int64_t, 6>;

constexpr std::int64_t sum(const TypeCounts& counts)
{
    std::int64_t total = 0;
    for (std::int64_t count : counts)
        total += count;
    return total;
}

/// Returns the paths of all pieces, given one of them and their number as its header states it.
/// A number of 0 is one file. Throws Error with Fault::input for a number above 100000, a name
/// without a piece number and a piece that is missing.
std::vector<std::filesystem::path> piece_paths(const std::filesystem::path& piece,
                                               std::int64_t number);

/// Returns all files that reading a snapshot of any format would open, according to the header of
/// the named one. Throws Error with Fault::input as reading it would.
std::vector<std::filesystem::path> snapshot_pieces(const std::filesystem::path& path);

/// Throws Error with Fault::input when a count is negative or their sum exceeds the range of an
/// Index.
void check_counts(const TypeCounts& counts, const std::filesystem::path& file);

/// TypeTotals are a header's numbers of particles in all pieces, as low and high words of 32 bits.
struct TypeTotals {
    TypeCounts low{}, high{};
};

/// Throws Error with Fault::input unless the number of particles found equals the stated total for
/// each type. Some programs leave garbage in the high words: if the low word alone is right, the
/// high word is ignored. Returns a note about it, or an empty text.
std::string check_totals(const TypeCounts& found, const TypeTotals& stated,
                         const std::filesystem::path& file);

} // namespace chamomile
