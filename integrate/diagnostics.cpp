#include "chamomile/integrate/diagnostics.hpp"

#include <algorithm>

#include "chamomile/core/exact_sum.hpp"
#include "chamomile/core/ranks/rank_subset.hpp"
#include "chamomile/integrate/external/external_field.hpp"

namespace chamomile {
namespace {

/// A term of the mean velocity.
struct Moving {
    std::uint64_t number;
    double mass;
    Vec3<double> velocity;
};

/// Returns a velocity near the center of mass's: the mean of up to a thousand particles. Energies
/// relative to it do not lose digits to bulk motion.
Vec3<double> typical_velocity(const Measured& all)
{
    const Particles& particles = all.particles;
    ParticleReader& rows = all.rows;
    const RankSubset& part = all.part;
    std::vector<std::uint64_t> numbers(std::min<std::uint64_t>(part.count, 1024));
    for (std::size_t k = 0; k < numbers.size(); ++k)
        numbers[k] = k * part.count / numbers.size();
    const std::vector<Index> places = part.places_of(numbers, particles.size());
    const auto velocity = rows.read_vectors(Column::velocity, RowSelection(places));
    std::vector<Moving> some;
    for (std::size_t k = 0; k < places.size(); ++k)
        some.push_back({part.number_of(places[k]), particles.mass[places[k]], velocity[k]});
    some = part.ranks.all_gather(std::span<const Moving>(some));
    std::ranges::sort(some, {}, &Moving::number);
    double mass = 0;
    Vec3<double> momentum;
    for (const Moving& one : some) {
        mass += one.mass;
        momentum += one.mass * one.velocity;
    }
    return mass > 0 ? (1 / mass) * momentum : Vec3<double>{};
}

/// Sums over the effects of an external field.
struct ExternalSums {
    double energy = 0; ///< of the field only, without the frame's rotation
    double centrifugal = 0, virial = 0;
};

ExternalSums external_sums(const Measured& all, const ExternalState& external)
{
    const Particles& particles = all.particles;
    ParticleReader& rows = all.rows;
    const RankSubset& part = all.part;
    ExactSums<ExternalSums> sums;
    rows.for_blocks(particles.size(), [&](std::size_t begin, std::size_t end) {
        const auto position = rows.read_vectors(Column::position, {begin, end});
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
    part.ranks.sum(sums);
    return sums.value();
}

MotionSums motion_sums(const Measured& all, const Vec3<double>& typical)
{
    const Particles& particles = all.particles;
    ParticleReader& rows = all.rows;
    const RankSubset& part = all.part;
    ExactSums<MotionSums> sums;
    if (!rows.add_motion(typical, sums))
        rows.for_blocks(particles.size(), [&](std::size_t begin, std::size_t end) {
            const auto position = rows.read_vectors(Column::position, {begin, end});
            const auto velocity = rows.read_vectors(Column::velocity, {begin, end});
            const auto potential = rows.read_scalars(Column::potential, {begin, end});
            sums.add(begin, end, [&](std::size_t i) {
                return MotionSums::of_one(particles.mass[i], position[i - begin],
                                          velocity[i - begin], potential[i - begin], typical);
            });
        });
    part.ranks.sum(sums);
    return sums.value();
}

/// Gives the values of other rows without sums and bins, because those are weighted by mass.
class UnweightedRows final : public ParticleReader {
public:
    /// Keeps a reference.
    explicit UnweightedRows(ParticleReader& rows) : rows_(rows) {}

    bool is_on_host() const override { return rows_.is_on_host(); }
    std::size_t max() const override { return rows_.max(); }
    std::span<const Vec3<double>> read_vectors(Column value, const RowSelection& rows) override
    {
        return rows_.read_vectors(value, rows);
    }
    std::span<const double> read_scalars(Column value, const RowSelection& rows) override
    {
        return rows_.read_scalars(value, rows);
    }

private:
    ParticleReader& rows_;
};

/// Reads only masses from `all.particles`; the moving columns come from `all.rows`.
Diagnostics weighted(const Measured& all, LagrangianRadii which, const ExternalState& external)
{
    const Vec3<double> typical = typical_velocity(all);
    const MotionSums sums = motion_sums(all, typical);
    Diagnostics result;
    result.mass = sums.mass;
    result.kinetic = result.internal_kinetic = sums.kinetic;
    result.potential = sums.potential;
    if (external.field) {
        const ExternalSums field = external_sums(all, external);
        result.potential -= 0.5 * field.energy; // already in the particles' potentials
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
    const auto radii = lagrangian_radii(all, density_center(all), lagrangian_fractions);
    std::copy(radii.begin(), radii.end(), result.lagrangian_radii.begin());
    return result;
}

} // namespace

Diagnostics diagnose(const Particles& particles, LagrangianRadii which,
                     const ExternalState& external)
{
    RowsInMemory rows(particles);
    Communicator alone;
    return diagnose({particles, rows, RankSubset{alone, particles.size()}}, which, external);
}

Diagnostics diagnose(const Measured& all, LagrangianRadii which, const ExternalState& external)
{
    std::uint64_t massive = !are_tracers(all.particles);
    all.part.ranks.sum(std::span(&massive, 1));
    if (massive > 0)
        return weighted(all, which, external);
    Particles units;
    units.mass.assign(all.particles.size(), 1);
    UnweightedRows values(all.rows);
    return weighted({units, values, all.part}, which, external);
}

bool are_tracers(const Particles& particles)
{
    const std::vector<double>& mass = particles.mass;
    return std::all_of(mass.begin(), mass.end(), [](double m) { return m == 0; });
}

} // namespace chamomile
