#include "chamomile/force/reference_sum.hpp"

#include <algorithm>
#include <cmath>

#include "chamomile/force/scale.hpp"

namespace chamomile {
namespace {

/// The factor of r_ij in the force and the potential of a unit mass at distance r.
struct PairFactors {
    double force, potential;
};

PairFactors plummer_factors(double r2, double eps)
{
    const double u2 = r2 + eps * eps;
    const double u = std::sqrt(u2);
    return {1 / (u2 * u), -1 / u};
}

/// The largest coordinate's or softening's power of two: in it no power of a distance overflows.
double unit_of_length(const Particles& particles, const Softening& softening)
{
    double largest = softening.length;
    for (const Vec3<double>& x : particles.position)
        largest = std::max({largest, std::abs(x.x), std::abs(x.y), std::abs(x.z)});
    return largest > 0 && std::isfinite(largest) ? InternalScale::power_of_two_above(largest) : 1;
}

/// Cubic spline in q = r/h as in Springel, Yoshida & White (2001), eqs. A1 to A3.
PairFactors spline_factors(double r, double h)
{
    const double q = r / h, q2 = q * q;
    if (q >= 1)
        return {1 / (r * r * r), -1 / r};
    const double h3 = h * h * h;
    if (q < 0.5)
        return {(32.0 / 3 + q2 * (32 * q - 38.4)) / h3,
                (-2.8 + q2 * (16.0 / 3 + q2 * (6.4 * q - 9.6))) / h};
    return {(64.0 / 3 - 48 * q + 38.4 * q2 - 32.0 / 3 * q * q2 - 1 / (15 * q * q2)) / h3,
            (-3.2 + 1 / (15 * q) + q2 * (32.0 / 3 + q * (-16 + q * (9.6 - 32.0 / 15 * q)))) / h};
}

} // namespace

ReferenceSums reference_sum(const Particles& particles, std::span<const Index> targets,
                            Softening softening, double gravitational_constant)
{
    ReferenceSums sums;
    sums.acceleration.resize(targets.size());
    sums.potential.resize(targets.size());
    sums.absolute_sum.resize(targets.size());
    const double inverse = 1 / unit_of_length(particles, softening);
    softening.length *= inverse;
    const double h = softening.spline_radius();
    const bool plummer = softening.kind == SofteningKind::plummer || h == 0;

#pragma omp parallel for schedule(dynamic, 16)
    for (std::size_t k = 0; k < targets.size(); ++k) {
        const Index i = targets[k];
        const Vec3<double> x = particles.position[i];
        Vec3<double> acceleration;
        double potential = 0, absolute = 0;
        for (std::size_t j = 0; j < particles.size(); ++j) {
            if (j == i)
                continue;
            const Vec3<double> r = inverse * (particles.position[j] - x);
            const double r2 = r.x * r.x + r.y * r.y + r.z * r.z;
            const PairFactors f =
                plummer ? plummer_factors(r2, softening.length) : spline_factors(std::sqrt(r2), h);
            acceleration.x += particles.mass[j] * f.force * r.x;
            acceleration.y += particles.mass[j] * f.force * r.y;
            acceleration.z += particles.mass[j] * f.force * r.z;
            potential += particles.mass[j] * f.potential;
            absolute += std::abs(particles.mass[j]) * f.force * std::sqrt(r2);
        }
        const double potential_unit = gravitational_constant * inverse;
        sums.acceleration[k] = inverse * (potential_unit * acceleration);
        sums.potential[k] = potential_unit * potential;
        sums.absolute_sum[k] = inverse * (potential_unit * absolute);
    }
    return sums;
}

std::vector<Index> sample_targets(std::size_t size, std::size_t n)
{
    std::vector<Index> targets;
    if (n >= size) {
        for (std::size_t i = 0; i < size; ++i)
            targets.push_back(Index(i));
        return targets;
    }
    // The k-th target lies in the k-th of n equal parts, at a place given by the golden ratio.
    for (std::size_t k = 0; k < n; ++k) {
        const double place =
            (double(k) + std::fmod(double(k) * 0.6180339887498949, 1.0)) / double(n);
        // Neighbouring parts may share a particle: then the next one, as long as enough are left.
        const std::size_t next = k == 0 ? 0 : targets.back() + std::size_t(1);
        targets.push_back(
            Index(std::min(std::max(std::size_t(place * double(size)), next), size - n + k)));
    }
    return targets;
}

} // namespace chamomile
