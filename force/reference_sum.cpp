#include "chamomile/force/reference_sum.hpp"

#include <algorithm>
#include <cmath>

#include "chamomile/core/parallel_loop.hpp"
#include "chamomile/force/scale.hpp"

namespace chamomile {
namespace {

/// Force factor (times r_ij) and potential for a unit mass at distance r.
struct PairFactors {
    double force, potential;
};

PairFactors plummer_factors(double r2, double eps)
{
    const double u2 = r2 + eps * eps;
    const double u = std::sqrt(u2);
    return {1 / (u2 * u), -1 / u};
}

/// Returns the length unit for a pair: 1, or a power of two near its distance if a cube would over-
/// or underflow.
double unit_of(const Vec3<double>& r, double eps)
{
    const double largest = std::max({std::abs(r.x), std::abs(r.y), std::abs(r.z), eps});
    if ((largest > 1e-90 && largest < 1e90) || !(largest > 0) || !std::isfinite(largest))
        return 1;
    return InternalScale::power_of_two_above(largest);
}

/// Returns the cubic spline's factors in q = r/h, as in Springel, Yoshida & White (2001), eqs. A1
/// to A3.
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

PairFactors factors_of(SofteningKind kind, double r2, double eps)
{
    switch (kind) {
    case SofteningKind::spline:
        return spline_factors(std::sqrt(r2), 2.8 * eps);
    case SofteningKind::plummer:
        break;
    }
    return plummer_factors(r2, eps);
}

} // namespace

ReferenceSums reference_sum(const Particles& particles, std::span<const Index> targets,
                            Softening softening, double gravitational_constant)
{
    ReferenceSums sums;
    sums.acceleration.resize(targets.size());
    sums.potential.resize(targets.size());
    sums.absolute_sum.resize(targets.size());
    const auto length_of_pair = [&](std::size_t i, std::size_t j) {
        if (particles.softening.empty())
            return softening.length;
        const double a = particles.softening[i], b = particles.softening[j];
        return softening.rule == SofteningRule::larger ? std::max(a, b) : std::sqrt(a * a + b * b);
    };

    parallel_loop(targets.size(), 1, [&](std::size_t k) {
        const Index i = targets[k];
        const Vec3<double> x = particles.position[i];
        Vec3<double> acceleration;
        double potential = 0, absolute = 0;
        for (std::size_t j = 0; j < particles.size(); ++j) {
            if (j == i)
                continue;
            Vec3<double> r = particles.position[j] - x;
            const double length = length_of_pair(i, j);
            const double unit = unit_of(r, length), inverse = 1 / unit;
            r = inverse * r;
            const double eps = inverse * length;
            const double r2 = r.x * r.x + r.y * r.y + r.z * r.z;
            const PairFactors f =
                factors_of(eps > 0 ? softening.kind : SofteningKind::plummer, r2, eps);
            const double weight = particles.mass[j] * inverse; // then by the other unit of length
            acceleration.x += weight * f.force * r.x * inverse;
            acceleration.y += weight * f.force * r.y * inverse;
            acceleration.z += weight * f.force * r.z * inverse;
            potential += weight * f.potential;
            absolute += std::abs(weight) * f.force * std::sqrt(r2) * inverse;
        }
        sums.acceleration[k] = gravitational_constant * acceleration;
        sums.potential[k] = gravitational_constant * potential;
        sums.absolute_sum[k] = gravitational_constant * absolute;
    });
    return sums;
}

template <class Number>
std::vector<Number> sample_targets(std::size_t size, std::size_t n)
{
    std::vector<Number> targets;
    if (n >= size) {
        for (std::size_t i = 0; i < size; ++i)
            targets.push_back(Number(i));
        return targets;
    }
    // The k-th target lies in the k-th of n equal parts, at a place given by the golden ratio.
    for (std::size_t k = 0; k < n; ++k) {
        const double place =
            (double(k) + std::fmod(double(k) * 0.6180339887498949, 1.0)) / double(n);
        // Neighbouring parts may share a particle: then the next one, as long as enough are left.
        const std::size_t next = k == 0 ? 0 : targets.back() + std::size_t(1);
        targets.push_back(
            Number(std::min(std::max(std::size_t(place * double(size)), next), size - n + k)));
    }
    return targets;
}

template std::vector<Index> sample_targets(std::size_t, std::size_t);
template std::vector<GlobalIndex> sample_targets(std::size_t, std::size_t);

} // namespace chamomile
