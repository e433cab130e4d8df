/// \file  Times as people read them.
#pragma once

#include <string>

#include "app/text/table.hpp"
#include "chamomile/cosmology/background.hpp"
#include "chamomile/integrate/simulation.hpp"

namespace chamomile::app {

/// "t = 1.5", or "a = 0.25, z = 3" of a comoving simulation.
inline std::string time_text(const Simulation& simulation, int digits = 9)
{
    const double time = simulation.stated_time();
    if (simulation.integrator().clock().is_plain())
        return formatted("t = %.*g", digits, time);
    return formatted("a = %.6g, z = %.4g", time, chamomile::redshift_of(time));
}

} // namespace chamomile::app
