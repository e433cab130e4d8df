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
        double least = HUGE_VAL, largest = 0;
        for (std::size_t i = 0; i < particles.softening.size(); ++i)
            if (particles.type[i] == type) {
                least = std::min(least, particles.softening[i]);
                largest = std::max(largest, particles.softening[i]);
            }
        if (least > largest)
            continue;
        text += (text.empty() ? "" : ", ") + number_text(least) +
                (least < largest ? " to " + number_text(largest) : "") + " (" +
                type_names[std::size_t(type)] + ")";
    }
    return text;
}

} // namespace chamomile
