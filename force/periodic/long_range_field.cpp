#include "chamomile/force/periodic/long_range_field.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "chamomile/core/files/archive.hpp"
#include "chamomile/force/gpu.hpp"
#include "chamomile/force/mesh/ewald_modes.hpp"
#include "chamomile/force/mesh/mesh_gravity.hpp"

namespace chamomile {
namespace {

/// Returns an even number, at least n, without prime factors above 5: its transforms are fast.
int fast_size(double n)
{
    for (int size = std::max(2, int(std::ceil(n / 2)) * 2);; size += 2) {
        int rest = size;
        for (const int prime : {2, 3, 5})
            while (rest % prime == 0)
                rest /= prime;
        if (rest == 1)
            return size;
    }
}

MeshOptions mesh_options(const PeriodicOptions& periodic)
{
    MeshOptions mesh;
    mesh.cells = periodic.mesh;
    mesh.split = periodic.split;
    return mesh;
}

std::unique_ptr<LongRange> make_long_range(const SolverOptions& options)
{
    const Periodicity box{options.box};
    if (options.periodic.long_range == LongRangeKind::modes)
        return make_ewald_modes(box, split_radius(options.periodic, options.box), 1e-7,
                                options.device == "cpu" ? options.instruction_set : "auto");
    return make_mesh_gravity(box, mesh_options(options.periodic));
}

} // namespace

PeriodicOptions with_mesh(PeriodicOptions periodic, double box, std::size_t particles)
{
    constexpr double cells_per_spacing = 2;
    if (box > 0 && periodic.long_range == LongRangeKind::mesh && periodic.mesh == 0) {
        const double min = periodic.cut * periodic.split / max_of_periodic_box;
        periodic.mesh =
            fast_size(std::max({32.0, min, cells_per_spacing * std::cbrt(double(particles))}));
    }
    return periodic;
}

double split_radius(const PeriodicOptions& periodic, double box)
{
    return periodic.long_range == LongRangeKind::mesh ? periodic.split * box / periodic.mesh
                                                      : max_of_periodic_box * box / periodic.cut;
}

LongRangeField::LongRangeField(const SolverOptions& resolved, std::unique_ptr<LongRange> given)
    : options_(resolved), box_{resolved.box}, long_range_(std::move(given))
{}

const PeriodicOptions& LongRangeField::make(std::size_t particles, Evaluator& evaluator)
{
    if (!long_range_) {
        options_.periodic = with_mesh(options_.periodic, options_.box, particles);
        if (options_.periodic.long_range == LongRangeKind::mesh)
            long_range_ = evaluator.make_mesh(box_, mesh_options(options_.periodic));
        is_evaluators_ = long_range_ != nullptr;
        if (!long_range_)
            long_range_ = make_long_range(options_);
    }
    return options_.periodic;
}

void LongRangeField::prepare(const TreeParticles& sources, double mass, Profile& profile)
{
    mass_ = mass;
    long_range_->prepare(sources.count, sources.position, sources.mass, profile);
    typical_ = find_typical(sources, profile);
}

void LongRangeField::add(std::size_t n, const ArrayView& position, std::span<const Index> active,
                         const ArrayView& acceleration, const ArrayView& potential,
                         Profile& profile) const
{
    long_range_->add(n, position, active, options_.gravitational_constant, acceleration, potential,
                     profile);
}

double LongRangeField::potential_offset(double mass) const
{
    const double mean =
        4 * std::numbers::pi * split() * split() * mass_ / (box_.side * box_.side * box_.side);
    const double own = std::numbers::inv_sqrtpi / split();
    return options_.gravitational_constant * (mean + mass * own);
}

double LongRangeField::find_typical(const TreeParticles& sources, Profile& profile) const
{
    constexpr std::size_t max = 4096;
    const std::size_t n = sources.count;
    if (n == 0 || !compares_accelerations(options_.criterion))
        return 0;
    const std::size_t count = std::min(n, max);
    std::vector<Vec3<double>> place(count), acceleration(count);
    std::vector<Index> sample(count);
    for (std::size_t k = 0; k < count; ++k)
        sample[k] = Index(double(n) * double(k) / double(count));
    {
        const TimedPhase phase(profile, "mesh: sample"); // may wait for what a device prepares
        if (sources.position.on_device) {
            long_range_->wait(); // this wait has a timeout
            read_some_from_device(first_gpu(options_.device), sources.position, sample, place);
        } else {
            for (std::size_t k = 0; k < count; ++k)
                place[k] = sources.position.load_vector(sample[k]);
        }
    }
    long_range_->add(count, view_of(std::span(place)), {}, 1, view_of(std::span(acceleration)), {},
                     profile);
    double sum = 0;
    for (const Vec3<double>& a : acceleration)
        sum += norm_squared(a);
    const double spacing = box_.side / std::cbrt(double(n));
    return std::max(std::sqrt(sum / double(count)), 0.01 * mass_ / double(n) / (spacing * spacing));
}

void LongRangeField::exchange(Archive& archive)
{
    archive("periodic/typical", typical_);
}

} // namespace chamomile
