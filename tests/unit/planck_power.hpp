/// \file  A linear spectrum for tests: Planck's 2015 cosmology.
#pragma once

#include "chamomile/initial/cosmology/linear_power.hpp"

namespace chamomile::tests {

inline PowerOptions planck()
{
    PowerOptions power;
    power.background = {.omega_matter = 0.3089, .omega_lambda = 0.6911, .hubble = 0.6774};
    power.omega_baryon = 0.0486;
    power.spectral_index = 0.9667;
    power.sigma8 = 0.8159;
    return power;
}

} // namespace chamomile::tests
