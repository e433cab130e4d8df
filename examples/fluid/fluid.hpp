/// \file  Molecular dynamics of a Lennard-Jones fluid in a periodic cube, at constant energy.
///
/// Reduced units: lengths in sigma, energies in epsilon, masses in atoms, temperatures in epsilon /
/// k, times in sigma (m / epsilon)^1/2.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include <chamomile/core/error.hpp>
#include <chamomile/core/vec3.hpp>
#include <chamomile/force/pairs/laws/lennard_jones_fluid.hpp>
#include <chamomile/force/pairs/pair_solver.hpp>

struct FluidOptions {
    std::uint64_t n = 4096;
    double density = 0.82, temperature = 0.85;
    double cutoff = 4;             ///< the potential ends here
    double switch_from = 10.0 / 3; ///< up to here the plain Lennard-Jones potential
    double step = 0.002;
    std::uint64_t seed = 1;
    chamomile::Precision precision = chamomile::Precision::single_precision;
    std::string device = "auto";
};

/// Measurements of a state, without corrections for the cutoff. Energies are sums over all atoms.
struct FluidState {
    double potential = 0, kinetic = 0;
    double temperature = 0; ///< 2 K / (3 N - 3): the momentum is conserved
    double pressure = 0;    ///< (2 K + sum of r F over pairs) / 3 V

    double energy() const { return potential + kinetic; }
};

/// Returns the energy per atom missing beyond the cutoff, with g(r) = 1 beyond `from`, the radius
/// where switching begins. The missing pressure is the density times this energy: the mean field of
/// a continuous attraction.
inline double long_range_energy(const chamomile::LennardJonesFluid& law, double from, double cutoff,
                                double density)
{
    chamomile::LennardJonesFluid whole = law;
    whole.switching = {};
    const auto missing = [&](double r) {
        chamomile::LennardJonesFluid::Sum<double> all{}, used{};
        whole({}, {{r, 0, 0}}, all);
        law({}, {{r, 0, 0}}, used);
        return (all.energy - used.energy) * r * r;
    };
    constexpr int intervals = 200; // Simpson's rule
    const double h = (cutoff - from) / intervals;
    double integral = missing(from) + missing(cutoff);
    for (int k = 1; k < intervals; ++k)
        integral += (k % 2 ? 4 : 2) * missing(from + k * h);
    integral *= h / 3;
    const double s3 = std::pow(law.sigma, 3), x3 = s3 / std::pow(cutoff, 3);
    integral += 4 * law.epsilon * s3 * (x3 * x3 * x3 / 9 - x3 / 3); // beyond the cutoff
    return 2 * std::numbers::pi * density * integral;
}

/// A Fluid moves its atoms by velocity Verlet. No bit depends on the number of threads.
class Fluid {
public:
    using Vector = chamomile::Vec3<double>;

    /// Makes a cubic lattice, spread over all sites if n is no cube, with Maxwellian velocities of
    /// zero momentum and exactly the requested temperature. Throws chamomile::Error for a box less
    /// than two cutoffs wide, and like make_pair_solver().
    explicit Fluid(const FluidOptions& options)
        : options_(options), side_(std::cbrt(double(options.n) / options.density)),
          position_(options.n), velocity_(options.n), sums_(options.n), self_(options.n)
    {
        if (!(side_ >= 2 * options.cutoff))
            throw chamomile::Error(chamomile::Fault::usage,
                                   "fluid: box: " + std::to_string(side_) +
                                       ": must be at least twice the cutoff: take more atoms");
        law_.switching = chamomile::Switching::between(options.switch_from, options.cutoff);
        solver_ = chamomile::make_pair_solver(law_, {.precision = options.precision,
                                                     .device = options.device,
                                                     .cutoff = options.cutoff,
                                                     .period = {side_, side_, side_}});
        for (std::uint64_t i = 0; i < options.n; ++i)
            self_[i] = std::uint32_t(i);
        place_atoms();
        choose_velocities();
        evaluate();
    }

    /// Takes one step. Throws chamomile::Error if forces are not finite.
    void step()
    {
        for (std::size_t i = 0; i < position_.size(); ++i) {
            velocity_[i] += 0.5 * options_.step * sums_[i].force;
            position_[i] += options_.step * velocity_[i];
            for (double* x : {&position_[i].x, &position_[i].y, &position_[i].z})
                *x -= side_ * std::floor(*x / side_);
        }
        evaluate();
        for (std::size_t i = 0; i < position_.size(); ++i)
            velocity_[i] += 0.5 * options_.step * sums_[i].force;
        if (!std::isfinite(state().energy()))
            throw chamomile::Error(chamomile::Fault::numeric,
                                   "fluid: forces are not finite: take a shorter step");
    }

    /// Scales all velocities to a kinetic energy.
    void rescale(double kinetic)
    {
        const double factor = std::sqrt(kinetic / state().kinetic);
        for (Vector& velocity : velocity_)
            velocity = factor * velocity;
    }

    /// Returns K of N atoms at the temperature of the options.
    double kinetic_wanted() const { return 1.5 * (double(options_.n) - 1) * options_.temperature; }

    FluidState state() const
    {
        double energy = 0, virial = 0, square = 0;
        for (std::size_t i = 0; i < sums_.size(); ++i) {
            energy += sums_[i].energy;
            virial += sums_[i].virial;
            square += norm_squared(velocity_[i]);
        }
        return {.potential = energy / 2,
                .kinetic = square / 2,
                .temperature = square / (3 * double(options_.n) - 3),
                .pressure = (square + virial / 2) / (3 * side_ * side_ * side_)};
    }

    /// Returns the free function long_range_energy() for this fluid.
    double long_range_energy() const
    {
        return ::long_range_energy(law_, options_.switch_from, options_.cutoff, options_.density);
    }

    double side() const { return side_; }
    const std::vector<Vector>& positions() const { return position_; }
    const std::vector<Vector>& velocities() const { return velocity_; }
    std::string device() const { return solver_->device(); }

private:
    void place_atoms()
    {
        const std::uint64_t n = options_.n;
        std::uint64_t per_side = 1;
        while (per_side * per_side * per_side < n)
            ++per_side;
        const std::uint64_t sites = per_side * per_side * per_side;
        const double spacing = side_ / double(per_side);
        const auto place = [&](std::uint64_t k) { return (double(k % per_side) + 0.5) * spacing; };
        for (std::uint64_t i = 0; i < n; ++i) {
            const std::uint64_t site = i * sites / n;
            position_[i] = {place(site), place(site / per_side), place(site / per_side / per_side)};
        }
    }

    void choose_velocities()
    {
        std::mt19937_64 random(options_.seed);
        const auto uniform = [&] { return (double(random() >> 11) + 0.5) * 0x1p-53; };
        const auto normal = [&] { // Box & Muller: equal for all standard libraries
            const double radius = std::sqrt(-2 * std::log(uniform()));
            return radius * std::cos(2 * std::numbers::pi * uniform());
        };
        Vector momentum;
        for (Vector& velocity : velocity_) {
            for (double* v : {&velocity.x, &velocity.y, &velocity.z})
                *v = normal();
            momentum += velocity;
        }
        for (Vector& velocity : velocity_)
            velocity -= (1 / double(options_.n)) * momentum;
        rescale(kinetic_wanted());
    }

    void evaluate()
    {
        static_assert(sizeof(Vector) == 3 * sizeof(double));
        const auto rows = chamomile::as_rows(std::span<const Vector>(position_));
        solver_->sum({rows, rows, self_, {}}, chamomile::as_rows(std::span(sums_)));
    }

    FluidOptions options_;
    double side_;
    chamomile::LennardJonesFluid law_;
    std::unique_ptr<chamomile::PairSolver> solver_;
    std::vector<Vector> position_, velocity_;
    std::vector<chamomile::LennardJonesFluid::Sum<double>> sums_;
    std::vector<std::uint32_t> self_;
};
