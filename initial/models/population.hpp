/// \file  Masses of stars: initial mass functions, and their segregation in a cluster.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "chamomile/core/options/idle.hpp"
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

/// Distributions of the elements of primordial binaries.
enum class Periods {
    raghavan,  ///< log10 of days: normal, 5.03 +- 2.28 (Raghavan et al. 2010)
    duquennoy, ///< log10 of days: normal, 4.8 +- 2.3 (Duquennoy & Mayor 1991)
    sana,      ///< (log10 of days)^-0.55 (Sana et al. 2012, massive stars)
    flat       ///< uniform in the logarithm
};
enum class Eccentricities { thermal, uniform, circular }; ///< thermal: 2 e de (Jeans 1919)
enum class MassRatios {
    uniform, ///< from 0.1 to 1
    random,  ///< both stars from the mass function
    equal
};

struct PrimordialBinaries {
    double fraction = 0; ///< of the systems, single stars and binaries
    Periods periods = Periods::raghavan;
    double min_period = 10, max_period = 1e8; ///< days
    Eccentricities eccentricities = Eccentricities::thermal;
    MassRatios mass_ratios = MassRatios::uniform;
};

/// A StellarPopulation replaces the equal masses of a model.
struct StellarPopulation {
    std::string imf;              ///< empty: equal masses
    double min = 0.08, max = 100; ///< solar masses
    bool segregated = false;
    PrimordialBinaries binaries;

    bool is_asked() const { return !imf.empty() || binaries.fraction > 0; }
};

/// Returns whether the mass function is one of the literature, not a file.
bool is_named(const StellarPopulation& population);

/// Returns the options without effect.
std::vector<Idle> idle_options(const StellarPopulation& population);

/// Returns whether the number of stars follows from the mass.
bool counts_stars(const StellarPopulation& population, bool physical);

/// Returns the number of stars: `particles`; with a mass function and physical units the mass (1e10
/// Msun) over the mean mass of a star. Throws Error(usage) for a population without a mass that it
/// needs, or of wrong periods.
std::uint64_t number_of_stars(const StellarPopulation& population, bool physical,
                              const std::optional<double>& mass, std::uint64_t particles);

/// Returns the number of systems among n stars.
std::uint64_t systems_of(const StellarPopulation& population, std::uint64_t n);

/// Returns n particles, or with binaries a particle for each system of n stars, with masses from
/// the mass function, times a common factor that keeps the model's total mass. `make` returns the
/// model with n equal masses. Without segregation masses are independent of orbits. With it
/// heavier stars have lower energies (Baumgardt, De Marchi & Kroupa 2008): of 20 n orbits by rising
/// energy, a star gets a random one between the mass fractions of the heavier stars without it and
/// with it. So the mass density is the model's. `psi`: minus the potential at a radius; none: of
/// the model. `first`: number of the first particle among all, for random numbers.
Snapshot populated(const StellarPopulation& population, std::uint64_t n, std::uint64_t seed,
                   const std::function<Snapshot(std::uint64_t n)>& make,
                   const std::function<double(double r)>& psi = {}, std::uint64_t first = 0);

/// Of the n particles from `first` on, which populated() made, replaces the first systems by two
/// stars each, one after the other, on Kepler orbits in random directions and phases. Ids count
/// all particles. Throws Error(usage) without physical units.
void split_binaries(const StellarPopulation& population, std::uint64_t seed, Snapshot& snapshot,
                    std::size_t first, std::size_t n);

} // namespace chamomile
