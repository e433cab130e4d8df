// Gravity in a periodic cube: the tree's short range and a long range from a mesh or from modes.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "chamomile/core/archive.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/core/threads.hpp"
#include "chamomile/force/gpu.hpp"
#include "chamomile/force/list_solver.hpp"
#include "chamomile/mesh/ewald_modes.hpp"
#include "chamomile/mesh/mesh_gravity.hpp"

namespace chamomile {
namespace {

/// Positions in the cube while this lives, where some lie outside.
class WrappedPositions {
public:
    WrappedPositions(Particles& particles, const Periodicity& periodicity,
                     std::vector<Vec3<double>>& memory)
        : particles_(particles), memory_(memory)
    {
        const std::size_t n = particles.size();
        bool outside = false;
#pragma omp parallel for if (n > worth_threads) schedule(static) reduction(|| : outside)
        for (std::size_t i = 0; i < n; ++i)
            outside =
                outside || periodicity.wrapped(particles.position[i]) != particles.position[i];
        if (!outside)
            return;
        memory.resize(n);
#pragma omp parallel for if (n > worth_threads) schedule(static)
        for (std::size_t i = 0; i < n; ++i)
            memory[i] = periodicity.wrapped(particles.position[i]);
        particles_.position.swap(memory_);
        swapped_ = true;
    }
    ~WrappedPositions()
    {
        if (swapped_)
            particles_.position.swap(memory_);
    }
    WrappedPositions(const WrappedPositions&) = delete;
    WrappedPositions& operator=(const WrappedPositions&) = delete;

private:
    Particles& particles_;
    std::vector<Vec3<double>>& memory_;
    bool swapped_ = false;
};

/// At least n, with no prime factor above 5, so that its transforms are fast; even.
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
    const PeriodicOptions& periodic = options.periodic;
    const Periodicity box{periodic.box};
    if (periodic.long_range == LongRangeKind::modes)
        return make_ewald_modes(box, split_radius(periodic), 1e-7,
                                options.device == "cpu" ? options.instruction_set : "auto");
    return make_mesh_gravity(box, mesh_options(periodic));
}

/// In an order that does not depend on threads.
double total_mass(std::span<const double> mass)
{
    constexpr std::size_t block = 4096;
    const std::size_t n = mass.size(), blocks = (n + block - 1) / block;
    std::vector<double> part(blocks);
#pragma omp parallel for if (n > worth_threads) schedule(static)
    for (std::size_t b = 0; b < blocks; ++b)
        for (std::size_t i = b * block; i < std::min(n, (b + 1) * block); ++i)
            part[b] += mass[i];
    return std::accumulate(part.begin(), part.end(), 0.0);
}

class PeriodicSolver final : public Solver {
public:
    /// Without a long range one is made when the number of particles is known.
    PeriodicSolver(const SolverOptions& settled, std::unique_ptr<ShortRangeSolver> short_range,
                   std::unique_ptr<LongRange> long_range)
        : options_(settled), periodicity_{settled.periodic.box}, short_(std::move(short_range)),
          long_(std::move(long_range))
    {
        if (long_)
            set_lengths();
        short_->when_built([this](Profile& profile) { make_field(profile); });
    }

    ForceStatistics solve(Particles& particles, Quantities quantities,
                          std::span<const Index> active) override
    {
        const std::size_t n = particles.size();
        if (!long_)
            choose_long_range(n);
        const double G = options().gravitational_constant;
        const bool potential = quantities == Quantities::acceleration_potential;
        const WrappedPositions in_cube(particles, periodicity_, wrapped_);
        mass_ = total_mass(particles.mass);
        positions_of_ = [&](std::span<const Index> sample, std::span<Vec3<double>> positions) {
            for (std::size_t k = 0; k < sample.size(); ++k)
                positions[k] = particles.position[sample[k]];
        };
        count_ = n;
        positions_ = view_of(std::span(particles.position));
        masses_ = view_of(std::span(particles.mass));
        short_->use_mesh(part_ == LongRangePart::added);
        ForceStatistics statistics = short_->solve(particles, quantities, active);
        const auto add = [&](std::span<const Index> some, std::span<Vec3<double>> acceleration,
                             std::span<double> potentials) {
            long_->add(n, positions_, some, G, view_of(acceleration),
                       potential ? view_of(potentials) : ArrayView{}, statistics.profile);
        };
        if (part_ == LongRangePart::added) {
            if (!adds_itself_)
                add(active, particles.acceleration, particles.potential);
            if (potential)
                complete_potentials(particles.mass, active, particles.potential);
        } else if (part_ == LongRangePart::apart) {
            apart_->acceleration.assign(n, {});
            apart_->potential.assign(potential ? n : 0, 0);
            add({}, apart_->acceleration, apart_->potential);
            if (potential)
                complete_potentials(particles.mass, {}, apart_->potential);
        }
        return statistics;
    }

    bool has_long_range() const override { return true; }
    void use_long_range(LongRangePart part, LongRangeSums* apart) override
    {
        part_ = part;
        apart_ = apart;
    }
    double split_radius() const override { return long_ ? long_->split_radius() : split_; }

    bool takes_device_arrays() const override
    {
        return options_.periodic.long_range == LongRangeKind::mesh && short_->takes_device_arrays();
    }

    ForceStatistics solve_there(const DeviceArrays& arrays) override
    {
        if (!long_)
            choose_long_range(arrays.count);
        const bool is_apart = part_ == LongRangePart::apart;
        if (!adds_itself_ || arrays.potential || (is_apart && !arrays.long_range))
            throw NeedsHost();
        const int device = choose_gpu(options_.device);
        if (mass_ == 0) {
            std::vector<double> masses(arrays.count);
            read_from_device(device, arrays.mass, arrays.count, masses.data());
            mass_ = total_mass(masses);
        }
        positions_of_ = [&](std::span<const Index> sample, std::span<Vec3<double>> positions) {
            long_->wait(); // whose wait has a limit
            read_some_from_device(device, arrays.position, sample, positions);
        };
        count_ = arrays.count;
        positions_ = arrays.position;
        masses_ = arrays.mass;
        short_->use_mesh(part_ == LongRangePart::added);
        ForceStatistics statistics = short_->solve_there(arrays);
        if (is_apart)
            long_->add(count_, positions_, {}, options_.gravitational_constant, arrays.long_range,
                       {}, statistics.profile);
        return statistics;
    }

    void number_next(std::uint64_t number) override { short_->number_next(number); }
    void keep_tree(bool kept) override { short_->keep_tree(kept); }
    void soften(double length) override
    {
        options_.softening.length = length;
        short_->soften(length);
    }
    void exchange(Archive& archive) override
    {
        archive("periodic/typical", typical_);
        double split = split_radius();
        archive("periodic/split", split);
        split_ = split;
    }
    std::string device() const override { return short_->device(); }
    const SolverOptions& options() const override { return options_; }

private:
    /// Of the particles whose tree has been built.
    void make_field(Profile& profile)
    {
        if (part_ != LongRangePart::left_out) {
            long_->prepare(count_, positions_, masses_, profile);
            typical_ = typical_acceleration(profile);
        }
        short_->set_least_acceleration(options_.gravitational_constant * typical_);
    }

    void choose_long_range(std::size_t n)
    {
        PeriodicOptions& periodic = options_.periodic;
        periodic = with_mesh(periodic, n);
        if (periodic.long_range == LongRangeKind::mesh)
            long_ = short_->make_mesh(mesh_options(periodic));
        adds_itself_ = long_ != nullptr;
        if (!long_)
            long_ = make_long_range(options_);
        set_lengths();
    }

    void set_lengths()
    {
        split_ = long_->split_radius();
        short_->set_lengths({split_, options_.periodic.cut * split_});
    }

    /// What a tolerance is a part of where the acceleration itself is less: the root mean square of
    /// the long range's at some particles. On a lattice, where there is none, a hundredth of what a
    /// neighbour's attraction would be. G = 1.
    double typical_acceleration(Profile& profile)
    {
        constexpr std::size_t most = 4096;
        const std::size_t n = count_;
        if (n == 0 || !compares_accelerations(options().criterion))
            return 0;
        const std::size_t count = std::min(n, most);
        std::vector<Vec3<double>> place(count), acceleration(count);
        std::vector<Index> sample(count);
        for (std::size_t k = 0; k < count; ++k)
            sample[k] = Index(double(n) * double(k) / double(count));
        {
            const TimedPhase phase(profile, "mesh: sample"); // may wait for what a device prepares
            positions_of_(sample, place);
        }
        long_->add(count, view_of(std::span(place)), {}, 1, view_of(std::span(acceleration)), {},
                   profile);
        double sum = 0;
        for (const Vec3<double>& a : acceleration)
            sum += norm_squared(a);
        const double spacing = periodicity_.side / std::cbrt(double(n));
        return std::max(std::sqrt(sum / double(count)),
                        0.01 * mass_ / double(n) / (spacing * spacing));
    }

    /// Takes a particle's own smooth part off its potential, and sets the mean of the cube to 0:
    /// that of the short range is -4 pi r_s^2 M / V.
    void complete_potentials(std::span<const double> mass, std::span<const Index> active,
                             std::span<double> potential) const
    {
        const std::size_t n = mass.size();
        const double side = periodicity_.side, split = long_->split_radius();
        const double mean = 4 * std::numbers::pi * split * split * mass_ / (side * side * side);
        const double own = std::numbers::inv_sqrtpi / split, G = options_.gravitational_constant;
        const std::size_t count = active.empty() ? n : active.size();
#pragma omp parallel for if (count > worth_threads) schedule(static)
        for (std::size_t k = 0; k < count; ++k) {
            const std::size_t i = active.empty() ? k : active[k];
            potential[i] += G * (mean + mass[i] * own);
        }
    }

    SolverOptions options_;
    Periodicity periodicity_;
    std::unique_ptr<ShortRangeSolver> short_;
    std::unique_ptr<LongRange> long_;
    bool adds_itself_ = false; // the long range is the evaluator's
    // Of the present evaluation:
    std::size_t count_ = 0;
    ArrayView positions_, masses_;
    std::function<void(std::span<const Index>, std::span<Vec3<double>>)> positions_of_;
    double split_ = 0;
    double mass_ = 0;    // of all, of the last evaluation
    double typical_ = 0; // acceleration of the last field, G = 1
    LongRangePart part_ = LongRangePart::added;
    LongRangeSums* apart_ = nullptr;
    std::vector<Vec3<double>> wrapped_;
};

} // namespace

/// A mesh with two cells in the mean distance of particles.
PeriodicOptions with_mesh(PeriodicOptions periodic, std::size_t particles)
{
    constexpr double cells_per_spacing = 2;
    if (periodic && periodic.long_range == LongRangeKind::mesh && periodic.mesh == 0) {
        const double least = periodic.cut * periodic.split / most_of_periodic_box;
        periodic.mesh =
            fast_size(std::max({32.0, least, cells_per_spacing * std::cbrt(double(particles))}));
    }
    return periodic;
}

double split_radius(const PeriodicOptions& periodic)
{
    return periodic.long_range == LongRangeKind::mesh
               ? periodic.split * periodic.box / periodic.mesh
               : most_of_periodic_box * periodic.box / periodic.cut;
}

std::unique_ptr<Solver> make_periodic_solver(const SolverOptions& settled,
                                             std::unique_ptr<LongRange> long_range)
{
    return std::make_unique<PeriodicSolver>(
        settled, make_short_range_solver(settled, make_parts(settled)), std::move(long_range));
}

} // namespace chamomile
