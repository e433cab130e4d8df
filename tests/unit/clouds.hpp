/// \file  Particle sets for tests, made here so that tests do not depend on the tested models.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "chamomile/core/particles.hpp"

namespace chamomile::tests {

/// Random generates numbers uniform in (0, 1) with splitmix64.
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    double operator()()
    {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
        z = (z ^ z >> 27) * 0x94d049bb133111ebu;
        return (double((z ^ z >> 31) >> 11) + 0.5) * 0x1p-53;
    }
    double operator()(double low, double high) { return low + (high - low) * (*this)(); }

private:
    std::uint64_t state_;
};

inline Vec3<double> on_sphere(Random& random, double r)
{
    const double z = random(-1, 1), phi = random(0, 2 * M_PI), s = std::sqrt(1 - z * z);
    return {r * s * std::cos(phi), r * s * std::sin(phi), r * z};
}

/// Returns n particles with equal mass, total mass 1 and positions from `place`.
inline Particles cloud(std::size_t n, std::uint64_t seed,
                       const std::function<Vec3<double>(Random&)>& place)
{
    Random random(seed);
    Particles p;
    p.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
        p.id[i] = 1000 + i;
        p.mass[i] = 1 / double(n);
        p.position[i] = place(random);
    }
    return p;
}

inline Particles plummer(std::size_t n, std::uint64_t seed = 1)
{
    return cloud(n, seed, [](Random& random) {
        double r;
        do
            r = 1 / std::sqrt(std::pow(random(), -2.0 / 3) - 1);
        while (r > 22.8);
        return on_sphere(random, r);
    });
}

inline Particles hernquist(std::size_t n, std::uint64_t seed = 2)
{
    return cloud(n, seed, [](Random& random) {
        double r;
        do {
            const double root = std::sqrt(random());
            r = root / (1 - root);
        } while (r > 50);
        return on_sphere(random, r);
    });
}

/// Returns an exponential disk with scale length 1 and sech^2 height 0.05.
inline Particles thin_disk(std::size_t n, std::uint64_t seed = 3)
{
    return cloud(n, seed, [](Random& random) {
        const double radius = -std::log(random() * random()), phi = random(0, 2 * M_PI);
        return Vec3<double>{radius * std::cos(phi), radius * std::sin(phi),
                            0.05 * std::atanh(random(-1, 1))};
    });
}

inline Particles uniform_cube(std::size_t n, std::uint64_t seed = 4)
{
    return cloud(n, seed, [](Random& random) {
        return Vec3<double>{random(), random(), random()};
    });
}

/// Moves and scales all positions: x -> scale x + offset.
inline Particles moved(Particles p, double scale, const Vec3<double>& offset)
{
    for (auto& x : p.position)
        x = scale * x + offset;
    return p;
}

} // namespace chamomile::tests
