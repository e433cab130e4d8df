/// \file  Energy balance of an expanding universe.
#pragma once

#include "chamomile/integrate/diagnostics.hpp"

namespace chamomile {

class Archive;

/// Peculiar motion and potential obey d(K + W)/dt + H (2 K + W) = 0 (Irvine 1961, Layzer 1963): the
/// sum of a (K + W) and the integral of K da is constant. K is the energy of peculiar velocities, W
/// of the fluctuations, in physical coordinates.
class LayzerIrvine {
public:
    /// Adds the energies at scale factor a, from momenta a^2 dx/dt and potentials of comoving
    /// positions. Between two calls K is interpolated by a power of a.
    void add(double a, const Diagnostics& comoving);

    double kinetic() const { return now_.kinetic; }
    double potential() const { return now_.potential; }

    /// Returns the change of the sum since the first call, divided by |a W|. W is relative to its
    /// value without fluctuations, which excludes the lattice's energy: the denominator is the
    /// change of a W plus 3/2 a K at the start, by linear theory.
    double residue() const;

    double growth() const { return first_.a > 0 ? now_.a / first_.a : 1; } ///< of the scale factor

    void exchange(Archive& archive);

private:
    struct State {
        double a = 0, kinetic = 0, potential = 0;
    };
    State first_, now_;
    double expansion_work_ = 0; ///< the integral of K da
};

} // namespace chamomile
