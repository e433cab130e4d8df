/// \file  Behaviours of batches of small systems on every machine.
#pragma once

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "chamomile/integrate/batch/batch.hpp"
#include "tests/unit/clouds.hpp"
#include "tests/unit/jerk_behaviours.hpp"

namespace chamomile::tests {

/// Systems of random bodies far from each other and from the origin.
struct BatchSystems {
    std::vector<std::uint64_t> offsets{0};
    std::vector<Vec3<double>> position, velocity;
    std::vector<double> mass, softening;

    explicit BatchSystems(const std::vector<std::size_t>& sizes, double unit = 1)
    {
        Random random(7);
        for (const std::size_t n : sizes) {
            const Vec3<double> center = on_sphere(random, 100 * unit);
            for (std::size_t i = 0; i < n; ++i) {
                position.push_back(center + on_sphere(random, unit * random(0.1, 2)));
                velocity.push_back(on_sphere(random, random(0, 1)));
                mass.push_back(random(0.5, 1.5) / double(n));
                softening.push_back(i % 5 == 0 ? 0 : unit * random(0.01, 0.3));
            }
            offsets.push_back(position.size());
        }
    }
    Batch batch(bool per_particle = false)
    {
        return {offsets, view_of(std::span(position)), view_of(std::span(velocity)),
                view_of(std::span(mass)),
                per_particle ? view_of(std::span(softening)) : ArrayView{}};
    }
    std::size_t size() const { return position.size(); }
    /// Returns system b with all values of its bodies.
    Particles particles(std::size_t b, bool per_particle = false) const
    {
        Particles p;
        for (std::uint64_t i = offsets[b]; i < offsets[b + 1]; ++i) {
            p.id.push_back(i + 1);
            p.position.push_back(position[i]);
            p.velocity.push_back(velocity[i]);
            p.mass.push_back(mass[i]);
            if (per_particle)
                p.softening.push_back(softening[i]);
        }
        p.acceleration.resize(p.size());
        p.potential.resize(p.size());
        return p;
    }
};

struct BatchSums {
    std::vector<Vec3<double>> acceleration, jerk;
    std::vector<double> potential;

    explicit BatchSums(std::size_t n) : acceleration(n), jerk(n), potential(n) {}
    FieldResults results(bool with_jerks = true)
    {
        return {view_of(std::span(acceleration)),
                view_of(std::span(potential)),
                {},
                with_jerks ? view_of(std::span(jerk)) : ArrayView{}};
    }
};

/// Checks sums of systems of 1 to 300 bodies against plain loops: all softenings, with and without
/// jerks, in float and double.
void check_batch_sums(const std::string& device);
/// Checks that a body feels only its system, whatever else is in the batch: equal bits.
void check_batch_bits(const std::string& device);
/// Checks steps against single runs.
void check_batch_steps(const std::string& device);
/// Checks coincident bodies, and pairs too close for float.
void check_batch_repairs(const std::string& device);

} // namespace chamomile::tests
