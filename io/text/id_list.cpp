#include "chamomile/io/text/id_list.hpp"

#include <algorithm>
#include <charconv>

#include "chamomile/core/error.hpp"
#include "chamomile/io/input_file.hpp"
#include "chamomile/io/text/lines.hpp"

namespace chamomile {

std::vector<std::uint64_t> read_ids(const std::filesystem::path& file)
{
    const InputFile input(file);
    TextLines lines(input);
    std::vector<std::uint64_t> ids;
    while (lines.next())
        for (const std::string_view word : lines.words()) {
            std::uint64_t id = 0;
            const auto [end, fault] = std::from_chars(word.begin(), word.end(), id);
            if (fault != std::errc() || end != word.end())
                throw Error(Fault::input,
                            file.string() + ": line " + std::to_string(lines.number()) + ": '" +
                                std::string(word) + "': must be an id, a whole number");
            ids.push_back(id);
        }
    if (ids.empty())
        throw Error(Fault::input, file.string() + ": ids: none: must be one or more");
    std::ranges::sort(ids);
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    return ids;
}

std::vector<Index> places_of_ids(const Particles& particles, const std::filesystem::path& file)
{
    const std::vector<std::uint64_t> ids = read_ids(file);
    std::vector<bool> is_found(ids.size());
    std::vector<Index> places;
    for (std::size_t i = 0; i < particles.size(); ++i) {
        const auto id = std::ranges::lower_bound(ids, particles.id[i]);
        if (id == ids.end() || *id != particles.id[i])
            continue;
        is_found[std::size_t(id - ids.begin())] = true;
        places.push_back(Index(i));
    }
    if (const auto missing = std::ranges::find(is_found, false); missing != is_found.end())
        throw Error(Fault::input, file.string() + ": id " +
                                      std::to_string(ids[std::size_t(missing - is_found.begin())]) +
                                      ": must be the id of a particle");
    return places;
}

std::string ids_text(std::span<const std::uint64_t> ids)
{
    std::string text;
    for (const std::uint64_t id : ids)
        text += std::to_string(id) + "\n";
    return text;
}

} // namespace chamomile
