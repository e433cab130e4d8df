// Gravity in a periodic cube: the tree's short range and a long range from a mesh or from modes.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/error.hpp"
#include "core/threads.hpp"
#include "force/gpu.hpp"
#include "force/list_solver.hpp"
#include "mesh/ewald_modes.hpp"
#include "mesh/mesh_gravity.hpp"

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

std::unique_ptr<LongRange> make_long_range(const SolverOptions& options)
{
    const PeriodicOptions& periodic = options.periodic;
    const Periodicity box{periodic.box};
    if (periodic.long_range == LongRangeKind::modes)
        return make_ewald_modes(box, most_of_periodic_box * periodic.box / periodic.cut, 1e-7,
                                options.device == "cpu" ? options.instruction_set : "auto");
    MeshOptions mesh;
    mesh.cells = periodic.mesh;
    mesh.split = periodic.split;
    const int gpu = choose_gpu(options.device);
    return gpu >= 0 ? make_cuda_mesh_gravity(gpu, box, mesh) : make_mesh_gravity(box, mesh);
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
    }

    ForceStatistics solve(Particles& particles, Quantities quantities,
                          std::span<const Index> active) override
    {
        const std::size_t n = particles.size();
        if (!long_)
            choose_long_range(n);
        const double G = options().gravitational_constant, split = long_->split_radius();
        const bool potential = quantities == Quantities::acceleration_potential;
        const WrappedPositions in_cube(particles, periodicity_, wrapped_);
        const ArrayView position = view_of(std::span(particles.position));
        Profile profile;
        long_->prepare(n, position, view_of(std::span(particles.mass)), profile);
        short_->set_least_acceleration(G * typical_acceleration(particles, profile));
        ForceStatistics statistics = short_->solve(particles, quantities, active);
        long_->add(n, position, active, G, view_of(std::span(particles.acceleration)),
                   potential ? view_of(std::span(particles.potential)) : ArrayView{}, profile);
        if (potential)
            complete_potentials(particles, active, G, split);
        for (const Profile::Phase& phase : profile.phases())
            statistics.profile.add(phase.name, phase.seconds);
        return statistics;
    }

    void number_next(std::uint64_t number) override { short_->number_next(number); }
    void soften(double length) override { short_->soften(length); }
    std::string device() const override { return short_->device(); }
    const SolverOptions& options() const override { return options_; }

private:
    /// A mesh with cells_per_spacing cells in the mean distance of particles.
    void choose_long_range(std::size_t n)
    {
        PeriodicOptions& periodic = options_.periodic;
        if (periodic.long_range == LongRangeKind::mesh && periodic.mesh == 0) {
            const double least = periodic.cut * periodic.split / most_of_periodic_box;
            periodic.mesh =
                fast_size(std::max({32.0, least, cells_per_spacing * std::cbrt(double(n))}));
        }
        long_ = make_long_range(options_);
        set_lengths();
    }

    void set_lengths()
    {
        const double split = long_->split_radius();
        short_->set_lengths({split, options_.periodic.cut * split});
    }

    static constexpr double cells_per_spacing = 2;

    /// What a tolerance is a part of where the acceleration itself is less: the root mean square of
    /// the long range's at some particles. On a lattice, where there is none, a hundredth of what a
    /// neighbour's attraction would be. G = 1.
    double typical_acceleration(const Particles& particles, Profile& profile)
    {
        constexpr std::size_t most = 4096;
        const std::size_t n = particles.size();
        if (n == 0 || !compares_accelerations(options().criterion))
            return 0;
        const std::size_t count = std::min(n, most);
        std::vector<Vec3<double>> place(count), acceleration(count);
        double mass = 0;
        for (std::size_t k = 0; k < count; ++k)
            place[k] = particles.position[std::size_t(double(n) * double(k) / double(count))];
        for (std::size_t i = 0; i < n; ++i)
            mass += particles.mass[i];
        long_->add(count, view_of(std::span(place)), {}, 1, view_of(std::span(acceleration)), {},
                   profile);
        double sum = 0;
        for (const Vec3<double>& a : acceleration)
            sum += norm_squared(a);
        const double spacing = periodicity_.side / std::cbrt(double(n));
        return std::max(std::sqrt(sum / double(count)),
                        0.01 * mass / double(n) / (spacing * spacing));
    }

    /// Takes a particle's own smooth part off its potential, and sets the mean of the cube to 0:
    /// that of the short range is -4 pi r_s^2 M / V.
    void complete_potentials(Particles& particles, std::span<const Index> active, double G,
                             double split) const
    {
        const std::size_t n = particles.size();
        double mass = 0;
        for (std::size_t i = 0; i < n; ++i)
            mass += particles.mass[i];
        const double side = periodicity_.side;
        const double mean = 4 * std::numbers::pi * split * split * mass / (side * side * side);
        const double own = std::numbers::inv_sqrtpi / split;
        const std::size_t count = active.empty() ? n : active.size();
#pragma omp parallel for if (count > worth_threads) schedule(static)
        for (std::size_t k = 0; k < count; ++k) {
            const std::size_t i = active.empty() ? k : active[k];
            particles.potential[i] += G * (mean + particles.mass[i] * own);
        }
    }

    SolverOptions options_;
    Periodicity periodicity_;
    std::unique_ptr<ShortRangeSolver> short_;
    std::unique_ptr<LongRange> long_;
    std::vector<Vec3<double>> wrapped_;
};

} // namespace

std::unique_ptr<Solver> make_periodic_solver(const SolverOptions& settled,
                                             std::unique_ptr<LongRange> long_range)
{
    return std::make_unique<PeriodicSolver>(
        settled, make_short_range_solver(settled, make_parts(settled)), std::move(long_range));
}

} // namespace chamomile
