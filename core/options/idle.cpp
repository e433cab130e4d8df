#include "chamomile/core/options/idle.hpp"

#include <sstream>

namespace chamomile {

std::optional<IdleOption> first_idle(const std::vector<Idle>& table,
                                     const std::function<bool(const std::string& name)>& is_given)
{
    for (const Idle& row : table) {
        std::istringstream names(row.idle ? row.options : "");
        for (std::string name; names >> name;)
            if (is_given(name))
                return IdleOption{name, row.because};
    }
    return {};
}

} // namespace chamomile
