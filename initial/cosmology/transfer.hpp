/// \file  Transfer functions of cold dark matter and baryons: the fits of Eisenstein & Hu (1998).
#pragma once

#include "chamomile/core/cosmology/background.hpp"

namespace chamomile {

/// EisensteinHu is the fit of Eisenstein & Hu (1998, ApJ 496, 605) for matter without neutrinos,
/// with T(0) = 1.
class EisensteinHu {
public:
    /// `temperature`: of the microwave background in K. Throws Error(usage) unless the baryon
    /// density is positive and below the matter density.
    EisensteinHu(const Background& background, double omega_baryon, double temperature);

    /// Returns T with baryon acoustic oscillations (eqs. 16 to 24); k in h/Mpc.
    double operator()(double k) const;
    /// Returns T without oscillations (eqs. 28 to 31).
    double smooth(double k) const;

    /// Returns the sound horizon of the fit in Mpc (eq. 6).
    double sound_horizon() const { return sound_horizon_; }

private:
    double hubble_, baryon_part_, theta_, matter_; ///< matter_: Omega_m h^2
    double k_equality_, k_silk_, sound_horizon_, smooth_horizon_;
    double alpha_c_, beta_c_, alpha_b_, beta_b_, beta_node_, alpha_gamma_;
};

} // namespace chamomile
