#include "chamomile/core/particle_types.hpp"

#include <algorithm>
#include <cmath>

#include "chamomile/core/number_text.hpp"
#include "chamomile/core/options/typed_number.hpp"

namespace chamomile {

int parse_particle_type(const std::string& option, const std::string& text)
{
    for (int type = 0; type < int(type_names.size()); ++type)
        if (text == type_names[std::size_t(type)])
            return type;
    if (text.size() == 1 && text[0] >= '0' && text[0] <= '5')
        return text[0] - '0';
    std::vector<std::string> words = {"0 to 5"};
    words.insert(words.end(), type_names.begin(), type_names.end());
    refuse_word(option, text.empty() ? "(empty)" : text, words);
}

std::vector<int> parse_particle_types(const std::string& option, const std::string& text)
{
    std::vector<int> types;
    for (std::size_t start = 0; start <= text.size();) {
        const std::size_t comma = std::min(text.find(',', start), text.size());
        types.push_back(parse_particle_type(option, text.substr(start, comma - start)));
        start = comma + 1;
    }
    return types;
}

std::string types_text(const std::vector<int>& types)
{
    std::string text;
    for (int type : types)
        text.append(text.empty() ? "" : ",").append(std::to_string(type));
    return text;
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

std::string softenings_of(const Particles& particles)
{
    std::string text;
    for (int type = 0; type < int(type_names.size()); ++type) {
        double min = HUGE_VAL, largest = 0;
        for (std::size_t i = 0; i < particles.softening.size(); ++i)
            if (particles.type[i] == type) {
                min = std::min(min, particles.softening[i]);
                largest = std::max(largest, particles.softening[i]);
            }
        if (min > largest)
            continue;
        text += (text.empty() ? "" : ", ") + number_text(min) +
                (min < largest ? " to " + number_text(largest) : "") + " (" +
                type_names[std::size_t(type)] + ")";
    }
    return text;
}

} // namespace chamomile
