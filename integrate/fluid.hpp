/// \file  Molecular dynamics of a Lennard-Jones fluid in a periodic cube, at constant energy.
///
/// Reduced units: lengths in sigma, energies in epsilon, masses in the atom mass m, temperatures in
/// epsilon / k, times in sigma (m / epsilon)^1/2.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "chamomile/core/particles.hpp"
#include "chamomile/pairs/laws/lennard_jones_fluid.hpp"
#include "chamomile/pairs/pair_solver.hpp"

namespace chamomile {

class Archive;

struct FluidOptions {
    std::uint64_t n = 4096;
    double density = 0.82, temperature = 0.85;
    double cutoff = 4;             ///< the potential ends here
    double switch_from = 10.0 / 3; ///< up to here the plain Lennard-Jones potential
    double step = 0.002;
    std::uint64_t seed = 1;
    Precision precision = Precision::single_precision;
    std::string device = "auto", instruction_set = "auto";
};

/// Measurements of a state, without corrections for the cutoff. Energies are sums over all atoms.
struct FluidState {
    double potential = 0, kinetic = 0;
    double temperature = 0; ///< 2 K / (3 N - 3): the momentum is conserved
    double pressure = 0;    ///< (2 K + sum of r F over pairs) / 3 V

    double energy() const { return potential + kinetic; }
};

/// Returns the energy per atom that switching and cutoff remove, with g(r) = 1 beyond `from`, the
/// radius where switching begins. The missing pressure is the density times this energy: the mean
/// field of a continuous attraction.
double long_range_energy(const LennardJonesFluid& law, double from, double cutoff, double density);

/// A Fluid moves its atoms by velocity Verlet, the leapfrog of leapfrog.hpp.
class Fluid {
public:
    /// Makes a cubic lattice, spread over all sites if n is no cube, with Maxwellian velocities of
    /// zero momentum and exactly the requested temperature. Throws Error(usage) for a box less than
    /// two cutoffs wide, and like make_pair_solver().
    explicit Fluid(const FluidOptions& options);

    /// Takes one step. Throws Error(numeric) if forces are not finite.
    void step();

    /// Scales all velocities to a kinetic energy.
    void rescale(double kinetic);

    /// Keeps or restores positions and velocities. Throws Error(restart) for another number of
    /// atoms.
    void exchange(Archive& archive);

    FluidState state() const;
    /// Returns K of N atoms at the temperature of the options.
    double kinetic_wanted() const;
    /// Returns the free function long_range_energy() for this fluid.
    double long_range_energy() const;

    double side() const { return side_; }
    const FluidOptions& options() const { return options_; }
    const Particles& atoms() const { return atoms_; }
    std::string device() const { return solver_->device(); }
    std::uint64_t last_pairs() const { return pairs_; }

private:
    void evaluate();

    FluidOptions options_;
    double side_;
    LennardJonesFluid law_;
    std::unique_ptr<PairSolver> solver_;
    Particles atoms_;
    std::vector<LennardJonesFluid::Sum<double>> sums_;
    std::vector<std::uint32_t> self_;
    std::uint64_t pairs_ = 0;
};

} // namespace chamomile
