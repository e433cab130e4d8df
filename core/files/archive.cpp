#include "chamomile/core/files/archive.hpp"

#include <algorithm>

namespace chamomile {

void Archive::operator()(const std::string& name, std::vector<std::string>& texts)
{
    std::string all;
    for (const std::string& text : texts) {
        all += text;
        all += '\0';
    }
    (*this)(name, all);
    if (!is_reading())
        return;
    texts.clear();
    for (std::size_t begin = 0, end; begin < all.size(); begin = end + 1) {
        end = all.find('\0', begin);
        if (end == all.npos)
            throw wrong_length(name);
        texts.push_back(all.substr(begin, end - begin));
    }
}

void Archive::operator()(const std::string& name, std::map<std::string, std::string>& map)
{
    std::vector<std::string> texts;
    for (const auto& [key, value] : map)
        texts.insert(texts.end(), {key, value});
    (*this)(name, texts);
    if (texts.size() % 2 != 0)
        throw wrong_length(name);
    map.clear();
    for (std::size_t k = 0; k < texts.size(); k += 2)
        map[texts[k]] = texts[k + 1];
}

void Archive::keep_parts(const std::string& name, Format format, std::uint64_t bytes,
                         const NextPart& next)
{
    std::vector<std::byte> all;
    while (all.size() < bytes) {
        const std::span<const std::byte> part = next();
        all.insert(all.end(), part.begin(), part.end());
    }
    exchange(name, format, all);
}

void Archive::give_part(const std::string& name, Format format, std::uint64_t begin,
                        std::span<std::byte> bytes)
{
    std::vector<std::byte> all(std::size_t(size(name, format) * format.width));
    exchange(name, format, all);
    std::copy_n(all.begin() + std::ptrdiff_t(begin), bytes.size(), bytes.begin());
}

} // namespace chamomile
