#include "chamomile/core/particle_types.hpp"

#include <algorithm>

namespace chamomile {

void add_types(Options& options, std::vector<int>& types, const std::string& help)
{
    std::vector<std::pair<std::string, int>> words;
    for (int type = 0; type < int(type_names.size()); ++type)
        words.emplace_back(std::to_string(type), type);
    for (int type = 0; type < int(type_names.size()); ++type)
        words.emplace_back(type_names[std::size_t(type)], type);
    options.choices("types", "TYPE,...", types, words, help);
}

std::string types_of(const Particles& particles)
{
    std::string text;
    for (int type = 0; type < int(type_names.size()); ++type)
        if (std::count(particles.type.begin(), particles.type.end(), type) > 0)
            text += (text.empty() ? "" : ", ") + std::to_string(type) + " (" +
                    type_names[std::size_t(type)] + ")";
    return text;
}

} // namespace chamomile
