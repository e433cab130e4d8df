#include "chamomile/integrate/diagnostics.hpp"

#include <algorithm>

#include "chamomile/integrate/external/external_field.hpp"
#include "chamomile/integrate/measures/ordered_sum.hpp"

namespace chamomile {
namespace {

/// MotionSums are the sums of one pass over the particles.
struct MotionSums {
    double mass = 0, kinetic = 0, potential = 0;
    double kinetic_about = 0; ///< of the motion about a typical velocity
    Vec3<double> momentum, angular_momentum, mass_position;

    MotionSums& operator+=(const MotionSums& other)
    {
        mass += other.mass;
        kinetic += other.kinetic;
        potential += other.potential;
        kinetic_about += other.kinetic_about;
        momentum += other.momentum;
        angular_momentum += other.angular_momentum;
        mass_position += other.mass_position;
        return *this;
    }
};

/// Returns a velocity not far from that of the centre of mass: the mean of up to a thousand
/// particles. The energy about it is not lost in that of the bulk motion.
Vec3<double> typical_velocity(const Particles& particles)
{
    const std::size_t n = particles.size(), some = std::min<std::size_t>(n, 1024);
    double mass = 0;
    Vec3<double> momentum;
    for (std::size_t k = 0; k < some; ++k) {
        const std::size_t i = k * n / some;
        mass += particles.mass[i];
        momentum += particles.mass[i] * particles.velocity[i];
    }
    return mass > 0 ? (1 / mass) * momentum : Vec3<double>{};
}

/// ExternalSums are the sums over what an external field does.
struct ExternalSums {
    double energy = 0; ///< of the field alone, without the frame's rotation
    double centrifugal = 0, virial = 0;

    ExternalSums& operator+=(const ExternalSums& other)
    {
        energy += other.energy;
        centrifugal += other.centrifugal;
        virial += other.virial;
        return *this;
    }
};

ExternalSums external_sums(const Particles& particles, const ExternalState& external)
{
    std::vector<Vec3<double>> acceleration(particles.size());
    std::vector<double> potential(particles.size());
    external.field->add(external.time, particles.position, {}, acceleration, potential);
    return ordered_sum<ExternalSums>(particles.size(), [&](std::size_t i) {
        const double m = particles.mass[i];
        const Vec3<double>& x = particles.position[i];
        return ExternalSums{m * potential[i], m * external.field->centrifugal(x),
                            m * dot(x, acceleration[i])};
    });
}

} // namespace

Diagnostics diagnose(const Particles& particles, LagrangianRadii which,
                     const ExternalState& external)
{
    const Vec3<double> typical = typical_velocity(particles);
    const MotionSums sums = ordered_sum<MotionSums>(particles.size(), [&](std::size_t i) {
        const double m = particles.mass[i];
        const Vec3<double>&x = particles.position[i], v = particles.velocity[i];
        // The potential counts half, because the sum over particles counts each pair twice.
        return MotionSums{m,
                          0.5 * m * norm_squared(v),
                          0.5 * m * particles.potential[i],
                          0.5 * m * norm_squared(v - typical),
                          m * v,
                          m * cross(x, v),
                          m * x};
    });
    Diagnostics result;
    result.mass = sums.mass;
    result.kinetic = result.internal_kinetic = sums.kinetic;
    result.potential = sums.potential;
    if (external.field) {
        const ExternalSums field = external_sums(particles, external);
        result.potential -= 0.5 * field.energy; // the particles' potentials have it in them
        result.external = field.energy + field.centrifugal;
        result.external_virial = field.virial;
    }
    result.momentum = sums.momentum;
    result.angular_momentum = sums.angular_momentum;
    if (sums.mass > 0) {
        result.center_of_mass = (1 / sums.mass) * sums.mass_position;
        const Vec3<double> bulk = (1 / sums.mass) * sums.momentum;
        const double of_bulk = 0.5 * sums.mass * norm_squared(bulk - typical);
        result.internal_kinetic = std::max(0.0, sums.kinetic_about - of_bulk);
    }
    if (which == LagrangianRadii::left_out)
        return result;
    const auto radii = lagrangian_radii(particles, density_center(particles), lagrangian_fractions);
    std::copy(radii.begin(), radii.end(), result.lagrangian_radii.begin());
    return result;
}

} // namespace chamomile
