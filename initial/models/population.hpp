/// \file  Masses of stars: initial mass functions, and their segregation in a cluster.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "chamomile/core/random.hpp"
#include "chamomile/io/snapshot.hpp"

namespace chamomile {

/// An InitialMassFunction is a number density dN/dm of stars between two masses, in solar masses.
class InitialMassFunction {
public:
    /// `name`: salpeter (1955), kroupa (2001, eq. 2), chabrier (2003, single stars, eq. 17, with
    /// Salpeter's slope of 2.3 above 1 solar mass), or a file of two columns, m and dN/dm, between
    /// which dN/dm is a power law. Throws Error(usage), beginning with `option`, for other names,
    /// and Error(input) for a wrong file.
    InitialMassFunction(const std::string& option, const std::string& name, double min, double max);

    double mean() const { return mean_; } ///< mass of a star
    /// Returns a random mass.
    double draw(RandomStream& random) const;

private:
    std::vector<double> mass_, density_;
    std::vector<double> below_; ///< fraction of the stars below each mass
    double mean_ = 0;
};

/// A StellarPopulation replaces the equal masses of a model.
struct StellarPopulation {
    std::string imf;              ///< empty: equal masses
    double min = 0.08, max = 100; ///< solar masses
    bool segregated = false;

    bool is_asked() const { return !imf.empty(); }
};

/// Returns n particles with masses from the mass function, times a common factor that keeps the
/// model's total mass. `make` returns the model with so many equal masses. Without segregation
/// masses are independent of orbits. With it heavier stars have lower energies (Baumgardt, De
/// Marchi & Kroupa 2008): of 20 n orbits by rising energy, a star gets a random one between the
/// mass fractions of the heavier stars without it and with it. So the mass density is the model's.
Snapshot populated(const StellarPopulation& population, std::uint64_t n, std::uint64_t seed,
                   const std::function<Snapshot(std::uint64_t n)>& make);

} // namespace chamomile
