/// \file  Plain sums over pairs with per-particle softening, in double.
#pragma once

#include <cmath>
#include <vector>

#include "chamomile/core/particles.hpp"
#include "chamomile/core/softening.hpp"

namespace chamomile::tests {

/// Force from a unit mass at distance r, and minus its potential.
struct Pull {
    double force, potential;
};

inline Pull pull(double r, double a, double b, const Softening& softening)
{
    const double eps =
        softening.rule == SofteningRule::larger ? std::fmax(a, b) : std::sqrt(a * a + b * b);
    if (softening.kind == SofteningKind::plummer || r >= 2.8 * eps) {
        const double u =
            softening.kind == SofteningKind::plummer ? std::sqrt(r * r + eps * eps) : r;
        return {r / (u * u * u), 1 / u};
    }
    // Springel (2005): integral of the density of Monaghan & Lattanzio (1985).
    const double h = 2.8 * eps, q = r / h;
    if (q < 0.5)
        return {q / (h * h) * (32. / 3 - 192. / 5 * q * q + 32 * q * q * q),
                (14. / 5 - 16. / 3 * q * q + 48. / 5 * std::pow(q, 4) - 32. / 5 * std::pow(q, 5)) /
                    h};
    return {q / (h * h) *
                (64. / 3 - 48 * q + 192. / 5 * q * q - 32. / 3 * q * q * q - 1 / (15 * q * q * q)),
            (16. / 5 - 1 / (15 * q) - 32. / 3 * q * q + 16 * q * q * q - 48. / 5 * std::pow(q, 4) +
             32. / 15 * std::pow(q, 5)) /
                h};
}

struct PlainSums {
    std::vector<Vec3<double>> acceleration;
    std::vector<double> potential, absolute;
};

/// Sums all pairs for every `stride`-th particle.
inline PlainSums plain_sums(const Particles& p, const Softening& softening, std::size_t stride = 1)
{
    PlainSums sums;
    for (std::size_t i = 0; i < p.size(); i += stride) {
        Vec3<double> a{};
        double phi = 0, absolute = 0;
        for (std::size_t j = 0; j < p.size(); ++j) {
            if (j == i)
                continue;
            const Vec3<double> d = p.position[j] - p.position[i];
            const double r = std::sqrt(d.x * d.x + d.y * d.y + d.z * d.z);
            const Pull f = pull(r, p.softening[i], p.softening[j], softening);
            a += (p.mass[j] * f.force / r) * d;
            phi -= p.mass[j] * f.potential;
            absolute += p.mass[j] * f.force;
        }
        sums.acceleration.push_back(a);
        sums.potential.push_back(phi);
        sums.absolute.push_back(absolute);
    }
    return sums;
}

inline double length(const Vec3<double>& v)
{
    return std::sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
}

} // namespace chamomile::tests
