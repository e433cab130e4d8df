/// \file  Measurements on particles for tests of initial models.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

#include "chamomile/force/reference_sum.hpp"
#include "chamomile/force/solver.hpp"
#include "chamomile/io/snapshot.hpp"
#include "tests/unit/within.hpp"

namespace chamomile {

struct Energies {
    double kinetic = 0, potential = 0;
    double total() const { return kinetic + potential; }
};

/// Returns both energies with the reference sum, G = 1.
inline Energies energies_of(const Particles& particles, Softening softening = {})
{
    const auto all = sample_targets(particles.size(), particles.size());
    const ReferenceSums sums = reference_sum(particles, all, softening, 1);
    Energies energies;
    for (std::size_t i = 0; i < particles.size(); ++i) {
        energies.kinetic += 0.5 * particles.mass[i] * norm_squared(particles.velocity[i]);
        energies.potential += 0.5 * particles.mass[i] * sums.potential[i];
    }
    return energies;
}

/// Returns particle radii about the origin for a type (-1: all), ascending.
inline std::vector<double> sorted_radii(const Particles& particles, int type = -1)
{
    std::vector<double> radii;
    for (std::size_t i = 0; i < particles.size(); ++i)
        if (type < 0 || particles.type[i] == type)
            radii.push_back(norm(particles.position[i]));
    std::sort(radii.begin(), radii.end());
    return radii;
}

/// Returns the radius with a fraction of equal-mass particles inside.
inline double radius_of_fraction(const std::vector<double>& sorted, double fraction)
{
    return sorted[std::size_t(fraction * double(sorted.size()))];
}

inline Vec3<double> mean_of(const Particles& particles, const std::vector<Vec3<double>>& vectors)
{
    double mass = 0;
    Vec3<double> sum;
    for (std::size_t i = 0; i < particles.size(); ++i) {
        mass += particles.mass[i];
        sum += particles.mass[i] * vectors[i];
    }
    return (1 / mass) * sum;
}

/// Returns whether all arrays are bytewise equal.
inline bool same_bytes(const Particles& a, const Particles& b)
{
    const auto same = [](const auto& x, const auto& y) {
        return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof x[0]) == 0;
    };
    return same(a.id, b.id) && same(a.type, b.type) && same(a.mass, b.mass) &&
           same(a.position, b.position) && same(a.velocity, b.velocity);
}

/// The host's tree.
inline std::unique_ptr<Solver> tree(double softening)
{
    SolverOptions options;
    options.softening.length = softening;
    options.device = "cpu";
    return make_solver(options);
}

/// Kinetic over minus potential energy.
inline double virial_ratio(Particles& particles, Solver& solver)
{
    solver.solve(particles, Quantities::acceleration_potential);
    double kinetic = 0, potential = 0;
    for (std::size_t i = 0; i < particles.size(); ++i) {
        kinetic += 0.5 * particles.mass[i] * norm_squared(particles.velocity[i]);
        potential += 0.5 * particles.mass[i] * particles.potential[i];
    }
    return -kinetic / potential;
}

/// Kick-drift-kick.
inline void evolve(Particles& particles, Solver& solver, double time, double step)
{
    solver.solve(particles, Quantities::acceleration);
    for (int n = int(std::lround(time / step)); n > 0; --n) {
        for (std::size_t i = 0; i < particles.size(); ++i) {
            particles.velocity[i] += (0.5 * step) * particles.acceleration[i];
            particles.position[i] += step * particles.velocity[i];
        }
        solver.solve(particles, Quantities::acceleration);
        for (std::size_t i = 0; i < particles.size(); ++i)
            particles.velocity[i] += (0.5 * step) * particles.acceleration[i];
    }
}

} // namespace chamomile
