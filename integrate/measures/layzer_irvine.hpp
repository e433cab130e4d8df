/// \file  The energy of an expanding universe, which is not kept but known.
#pragma once

#include "chamomile/integrate/diagnostics.hpp"

namespace chamomile {

class Archive;

/// Peculiar motion and potential obey d(K + W)/dt + H (2 K + W) = 0 (Irvine 1961, Layzer 1963), so
/// that a (K + W) and the integral of K da have a constant sum. K is the energy of peculiar
/// velocities, W that of the fluctuations, in physical coordinates.
class LayzerIrvine {
public:
    /// Adds the energies at scale factor a, of momenta a^2 dx/dt and potentials of the comoving
    /// positions. Between two times K is a power of a.
    void add(double a, const Diagnostics& comoving);

    double kinetic() const { return now_.kinetic; }
    double potential() const { return now_.potential; }

    /// Returns what the sum has changed by since the first time, over a |W|. W counts from where it
    /// would be without fluctuations, so that the lattice's own energy does not count: the change
    /// of a W and the start's 3/2 a K of linear theory.
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
