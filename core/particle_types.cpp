#include "chamomile/core/particle_types.hpp"

#include <algorithm>

namespace chamomile {

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
