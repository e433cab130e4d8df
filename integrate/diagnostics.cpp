#include "chamomile/integrate/diagnostics.hpp"

#include <algorithm>

#include "chamomile/integrate/ordered_sum.hpp"

namespace chamomile {
namespace {

/// What one pass over the particles adds up.
struct Moments {
    double mass = 0, kinetic = 0, potential = 0;
    Vec3<double> momentum, angular_momentum, mass_position;

    Moments& operator+=(const Moments& other)
    {
        mass += other.mass;
        kinetic += other.kinetic;
        potential += other.potential;
        momentum += other.momentum;
        angular_momentum += other.angular_momentum;
        mass_position += other.mass_position;
        return *this;
    }
};

} // namespace

Diagnostics diagnose(const Particles& particles, Shape shape)
{
    const Moments sums = ordered_sum<Moments>(particles.size(), [&](std::size_t i) {
        const double m = particles.mass[i];
        const Vec3<double>&x = particles.position[i], v = particles.velocity[i];
        // Half of the potential: the sum over particles counts each pair twice.
        return Moments{m,     0.5 * m * norm_squared(v), 0.5 * m * particles.potential[i],
                       m * v, m * cross(x, v),           m * x};
    });
    Diagnostics result;
    result.mass = sums.mass;
    result.kinetic = result.internal_kinetic = sums.kinetic;
    result.potential = sums.potential;
    result.momentum = sums.momentum;
    result.angular_momentum = sums.angular_momentum;
    if (sums.mass > 0) {
        result.center_of_mass = (1 / sums.mass) * sums.mass_position;
        const Vec3<double> bulk = (1 / sums.mass) * sums.momentum;
        result.internal_kinetic = ordered_sum<double>(particles.size(), [&](std::size_t i) {
            return 0.5 * particles.mass[i] * norm_squared(particles.velocity[i] - bulk);
        });
    }
    if (shape == Shape::left_out)
        return result;
    const auto radii = lagrangian_radii(particles, density_center(particles), lagrangian_fractions);
    std::copy(radii.begin(), radii.end(), result.lagrangian_radii.begin());
    return result;
}

} // namespace chamomile
