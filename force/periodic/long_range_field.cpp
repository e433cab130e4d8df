#include "chamomile/force/periodic/long_range_field.hpp"

#include <algorithm>
#include <cmath>

#include "chamomile/core/files/archive.hpp"
#include "chamomile/core/ranks/rank_subset.hpp"
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

std::unique_ptr<LongRange> make_long_range(const SolverOptions& options, Communicator* ranks)
{
    const Periodicity box{options.box};
    if (options.periodic.long_range == LongRangeKind::modes)
        return make_ewald_modes(box, split_radius(options.periodic, options.box), 1e-7,
                                options.device == "cpu" ? options.instruction_set : "auto", ranks);
    return make_mesh_gravity(box, mesh_options(options.periodic), ranks);
}

} // namespace

PeriodicOptions with_mesh(PeriodicOptions periodic, double box, std::size_t particles, double cells)
{
    if (box > 0 && periodic.long_range == LongRangeKind::mesh && periodic.mesh == 0) {
        const double min = periodic.cut * periodic.split / max_of_periodic_box;
        periodic.mesh = fast_size(std::max({32.0, min, cells * std::cbrt(double(particles))}));
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

const PeriodicOptions& LongRangeField::make(std::size_t particles, Evaluator& evaluator,
                                            Communicator* ranks)
{
    ranks_ = ranks;
    if (!long_range_) {
        options_.periodic = with_mesh(options_.periodic, options_.box, particles);
        if (options_.periodic.long_range == LongRangeKind::mesh) {
            if (ranks && options_.periodic.mesh < ranks->size())
                throw CollectiveError(Fault::usage,
                                      "{mesh}: " + std::to_string(options_.periodic.mesh) +
                                          ": must be at least the number of ranks, " +
                                          std::to_string(ranks->size()));
            long_range_ = evaluator.make_mesh(box_, mesh_options(options_.periodic), ranks);
        }
        is_evaluators_ = long_range_ != nullptr;
        if (!long_range_)
            long_range_ = make_long_range(options_, ranks);
    }
    return options_.periodic;
}

void LongRangeField::prepare(const TreeParticles& sources, double mass, bool has_potentials,
                             Profile& profile)
{
    mass_ = mass;
    has_typical_ = false;
    long_range_->prepare(sources.count, sources.position, sources.mass, profile);
    if (has_potentials)
        long_range_->prepare_potential(profile);
}

void LongRangeField::add(std::size_t n, const ArrayView& position, std::span<const Index> active,
                         const ArrayView& acceleration, const ArrayView& potential,
                         Profile& profile) const
{
    long_range_->add(n, position, active, options_.gravitational_constant, acceleration, potential,
                     profile);
}

void LongRangeField::add_adjoint(const LongRangeLoss& loss, const ArrayView& position,
                                 const ArrayView& mass, Profile& profile)
{
    long_range_->add_adjoint(loss, {}, options_.gravitational_constant, position, mass, profile);
    if (!loss.mu || !mass)
        return;
    double sum = 0;
    for (std::size_t i = 0; i < loss.n; ++i)
        sum += loss.mu.load(i);
    const PotentialOffset offset = potential_offset(sum); // symmetric in masses and mu
    for (std::size_t i = 0; i < loss.n; ++i)
        mass.store(i, 0, mass.load(i) + offset(loss.mu.load(i)));
}

PotentialOffset LongRangeField::potential_offset(double mass_of_all) const
{
    return {options_.gravitational_constant, split(), box_.side, mass_of_all};
}

/// Returns the values of a sample of all sources in the order of `numbers`, from this rank's values
/// at the local indices `sample`.
std::vector<double> LongRangeField::gathered(std::span<const double> values,
                                             std::span<const Index> sample,
                                             std::span<const std::uint64_t> numbers,
                                             const RankSubset& subset) const
{
    struct Value {
        std::uint64_t number;
        double value;
    };
    std::vector<Value> mine;
    for (std::size_t k = 0; k < sample.size(); ++k)
        mine.push_back({subset.number_of(sample[k]), values[k]});
    std::vector<double> all(numbers.size());
    for (const Value& one : subset.ranks.all_gather(std::span<const Value>(mine)))
        all[std::size_t(std::ranges::lower_bound(numbers, one.number) - numbers.begin())] =
            one.value;
    return all;
}

/// Returns the local sources with these numbers. A search reads the numbers of all `own` sources,
/// but particles change ranks at few steps only. The places of the last sample are still right if
/// all of them have sampled numbers, and all ranks together have a place for each number.
std::span<const Index> LongRangeField::places_of(std::span<const std::uint64_t> numbers,
                                                 const RankSubset& subset, std::size_t own)
{
    const bool are_right = std::ranges::all_of(sampled_, [&](Index i) {
        return i < own && std::ranges::binary_search(numbers, subset.number_of(i));
    });
    std::uint64_t found = are_right ? sampled_.size() : 0;
    subset.ranks.sum(std::span(&found, 1));
    if (found != numbers.size())
        sampled_ = subset.places_of(numbers, own);
    return sampled_;
}

void LongRangeField::find_typical(const TreeParticles& sources, std::size_t n, Profile& profile)
{
    if (has_typical_)
        return;
    typical_ = sampled_acceleration(sources, n, profile);
    has_typical_ = true;
}

double LongRangeField::sampled_acceleration(const TreeParticles& sources, std::size_t n,
                                            Profile& profile)
{
    constexpr std::size_t max = 4096;
    if (n == 0 || !compares_accelerations(options_.criterion))
        return 0;
    const std::size_t sampled = std::min(n, max);
    std::vector<std::uint64_t> numbers(sampled);
    for (std::size_t k = 0; k < sampled; ++k)
        numbers[k] = std::uint64_t(double(n) * double(k) / double(sampled));
    std::optional<RankSubset> subset;
    std::vector<Index> all;
    if (ranks_)
        subset.emplace(*ranks_, n, sources.ranks->first, sources.ranks->number);
    else
        all.assign(numbers.begin(), numbers.end());
    const std::span<const Index> sample = ranks_ ? places_of(numbers, *subset, sources.count) : all;
    const std::size_t count = sample.size();
    std::vector<Vec3<double>> place(count), acceleration(count);
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
    std::vector<double> squares(sampled);
    for (std::size_t k = 0; k < count; ++k)
        squares[k] = norm_squared(acceleration[k]);
    if (ranks_)
        squares = gathered(squares, sample, numbers, *subset);
    double sum = 0;
    for (const double square : squares)
        sum += square;
    const double spacing = box_.side / std::cbrt(double(n));
    return std::max(std::sqrt(sum / double(sampled)),
                    0.01 * mass_ / double(n) / (spacing * spacing));
}

void LongRangeField::exchange(Archive& archive)
{
    archive("periodic/typical", typical_);
}

} // namespace chamomile
