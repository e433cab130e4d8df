/// \file  Time in an expanding background.
#pragma once

#include "chamomile/core/cosmology/background.hpp"
#include "chamomile/integrate/clock.hpp"

namespace chamomile {

struct ComovingOptions {
    Background background = {};
    double hubble_rate = 0.1;    ///< H0 in the units of the particles: 0.1 for kpc/h and km/s
    double longest_step = 0.025; ///< in ln a
    /// Max physical softening length: the comoving length is at most this value over a. 0: no
    /// limit.
    double physical_softening = 0;
};

/// Positions are comoving, velocities are canonical momenta p = a^2 dx/dt (a times the peculiar
/// velocity), accelerations refer to comoving positions without factors of a (Quinn et al. 1997).
/// The time is ln a, because the leapfrog's error depends on d ln a
/// (docs/explanation/cosmology.md): equal steps have equal errors, and a fixed step is fixed in ln
/// a.
class ComovingClock final : public Clock {
public:
    /// Throws Error(usage) for a step or rate that is not positive, or a negative softening.
    explicit ComovingClock(const ComovingOptions& options);

    double kick(double from, double to) const override;
    double drift(double from, double to) const override;

    /// Returns d ln a = H a^(3/2) sqrt(length / acceleration): physical lengths are a times,
    /// accelerations a^-2 times those of the particles.
    double step(double time, double dynamical_time) const override;
    double longest_step(double) const override { return options_.longest_step; }
    double softening(double time, double length) const override;
    double file_time(double time) const override;
    bool is_newtonian() const override { return false; }

    const ComovingOptions& options() const { return options_; }

private:
    ComovingOptions options_;
};

} // namespace chamomile
