#include "chamomile/integrate/diagnostics.hpp"

#include <algorithm>

#include "chamomile/core/exact_sum.hpp"
#include "chamomile/integrate/external/external_field.hpp"

namespace chamomile {
namespace {

/// Returns a velocity not far from that of the centre of mass: the mean of up to a thousand
/// particles. The energy about it is not lost in that of the bulk motion.
Vec3<double> typical_velocity(const Particles& particles, ParticleRows& rows)
{
    const std::size_t n = particles.size(), some = std::min<std::size_t>(n, 1024);
    std::vector<Index> places(some);
    for (std::size_t k = 0; k < some; ++k)
        places[k] = Index(k * n / some);
    const auto velocity = rows.vectors(Column::velocity, RowsAsked(places));
    double mass = 0;
    Vec3<double> momentum;
    for (std::size_t k = 0; k < some; ++k) {
        mass += particles.mass[places[k]];
        momentum += particles.mass[places[k]] * velocity[k];
    }
    return mass > 0 ? (1 / mass) * momentum : Vec3<double>{};
}

/// ExternalSums are the sums over what an external field does.
struct ExternalSums {
    double energy = 0; ///< of the field alone, without the frame's rotation
    double centrifugal = 0, virial = 0;
};

ExternalSums external_sums(const Particles& particles, ParticleRows& rows,
                           const ExternalState& external)
{
    ExactSums<ExternalSums> sums;
    rows.for_blocks(particles.size(), [&](std::size_t begin, std::size_t end) {
        const auto position = rows.vectors(Column::position, {begin, end});
        std::vector<Vec3<double>> acceleration(end - begin);
        std::vector<double> potential(end - begin);
        external.field->add(external.time, position, {}, acceleration, potential);
        sums.add(begin, end, [&](std::size_t i) {
            const double m = particles.mass[i];
            const Vec3<double>& x = position[i - begin];
            return ExternalSums{m * potential[i - begin], m * external.field->centrifugal(x),
                                m * dot(x, acceleration[i - begin])};
        });
    });
    return sums.value();
}

MotionSums motion_sums(const Particles& particles, ParticleRows& rows, const Vec3<double>& typical)
{
    if (const std::optional<MotionSums> there = rows.motion(typical))
        return *there;
    ExactSums<MotionSums> sums;
    rows.for_blocks(particles.size(), [&](std::size_t begin, std::size_t end) {
        const auto position = rows.vectors(Column::position, {begin, end});
        const auto velocity = rows.vectors(Column::velocity, {begin, end});
        const auto potential = rows.reals(Column::potential, {begin, end});
        sums.add(begin, end, [&](std::size_t i) {
            return MotionSums::of_one(particles.mass[i], position[i - begin], velocity[i - begin],
                                      potential[i - begin], typical);
        });
    });
    return sums.value();
}

/// UnweightedRows give the values of other rows, without sums and bins, which weigh by mass.
class UnweightedRows final : public ParticleRows {
public:
    /// Keeps a reference.
    explicit UnweightedRows(ParticleRows& rows) : rows_(rows) {}

    bool are_here() const override { return rows_.are_here(); }
    std::size_t most() const override { return rows_.most(); }
    std::span<const Vec3<double>> vectors(Column value, const RowsAsked& rows) override
    {
        return rows_.vectors(value, rows);
    }
    std::span<const double> reals(Column value, const RowsAsked& rows) override
    {
        return rows_.reals(value, rows);
    }

private:
    ParticleRows& rows_;
};

/// Reads nothing but masses of `particles`.
Diagnostics weighted(const Particles& particles, ParticleRows& rows, LagrangianRadii which,
                     const ExternalState& external)
{
    const Vec3<double> typical = typical_velocity(particles, rows);
    const MotionSums sums = motion_sums(particles, rows, typical);
    Diagnostics result;
    result.mass = sums.mass;
    result.kinetic = result.internal_kinetic = sums.kinetic;
    result.potential = sums.potential;
    if (external.field) {
        const ExternalSums field = external_sums(particles, rows, external);
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
    const auto radii =
        lagrangian_radii(particles, rows, density_center(particles, rows), lagrangian_fractions);
    std::copy(radii.begin(), radii.end(), result.lagrangian_radii.begin());
    return result;
}

} // namespace

Diagnostics diagnose(const Particles& particles, LagrangianRadii which,
                     const ExternalState& external)
{
    RowsInMemory rows(particles);
    return diagnose(particles, rows, which, external);
}

Diagnostics diagnose(const Particles& particles, ParticleRows& rows, LagrangianRadii which,
                     const ExternalState& external)
{
    if (!are_tracers(particles))
        return weighted(particles, rows, which, external);
    Particles units;
    units.mass.assign(particles.size(), 1);
    UnweightedRows values(rows);
    return weighted(units, values, which, external);
}

bool are_tracers(const Particles& particles)
{
    const std::vector<double>& mass = particles.mass;
    return std::all_of(mass.begin(), mass.end(), [](double m) { return m == 0; });
}

} // namespace chamomile
