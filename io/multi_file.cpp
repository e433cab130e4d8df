#include "chamomile/io/multi_file.hpp"

#include <algorithm>
#include <cctype>
#include <string>

#include "chamomile/core/text/table.hpp"
#include "chamomile/io/input_file.hpp"

namespace chamomile {
namespace {

bool is_number(const std::string& text)
{
    return !text.empty() && std::all_of(text.begin(), text.end(),
                                        [](unsigned char c) { return std::isdigit(c) != 0; });
}

} // namespace

std::vector<std::filesystem::path> piece_paths(const std::filesystem::path& piece,
                                               std::int64_t number)
{
    if (number < 0 || number > 100000)
        throw bad_input(piece, "number of files", std::to_string(number), "must be 1 to 100000");
    if (number <= 1)
        return {piece};

    // The piece number ends the name, or stands before the extension.
    std::string stem = piece.filename().string(), ending;
    if (!is_number(piece.extension().string().substr(piece.has_extension() ? 1 : 0))) {
        ending = piece.extension().string();
        stem = piece.stem().string();
    }
    const std::size_t dot = stem.rfind('.');
    if (dot == std::string::npos || !is_number(stem.substr(dot + 1)))
        throw bad_input(piece, "number of files", std::to_string(number),
                        "file name must contain the number of the piece, as in name.0.hdf5");
    std::vector<std::filesystem::path> paths;
    for (std::int64_t i = 0; i < number; ++i) {
        paths.push_back(piece.parent_path() /
                        (stem.substr(0, dot + 1) + std::to_string(i) + ending));
        if (!std::filesystem::exists(paths.back()))
            throw bad_input(paths.back(), "file", "missing",
                            "must exist, because the snapshot has " + std::to_string(number) +
                                " pieces");
    }
    return paths;
}

std::filesystem::path piece_path(const std::filesystem::path& whole, std::size_t number)
{
    std::filesystem::path name = whole.stem();
    name += "." + std::to_string(number);
    name += whole.extension();
    return whole.parent_path() / name;
}

void check_counts(const TypeCounts& counts, const std::filesystem::path& file, std::int64_t max)
{
    std::int64_t left = max; // the sum could overflow
    for (std::size_t type = 0; type < counts.size(); ++type) {
        if (counts[type] < 0 || counts[type] > left)
            throw bad_input(file, "number of particles of type " + std::to_string(type),
                            std::to_string(counts[type]),
                            "must be 0 or more, in all types at most " + std::to_string(max));
        left -= counts[type];
    }
}

std::string check_totals(const TypeCounts& found, const TypeTotals& stated,
                         const std::filesystem::path& file)
{
    std::string note;
    for (std::size_t type = 0; type < found.size(); ++type) {
        const std::uint64_t low = std::uint64_t(stated.low[type]),
                            high = std::uint64_t(stated.high[type]), total = low + (high << 32),
                            here = std::uint64_t(found[type]);
        if (total != here && low != here)
            throw bad_input(file, "total number of particles of type " + std::to_string(type),
                            std::to_string(total),
                            "must be " + std::to_string(here) +
                                ", the number in the file or all pieces");
        if (total != here)
            note += (note.empty() ? "" : "; ") +
                    formatted("total number of particles of type %zu: ignores the high word %llu: "
                              "%llu are in the file or all pieces",
                              type, (unsigned long long)high, (unsigned long long)here);
    }
    return note;
}

} // namespace chamomile
