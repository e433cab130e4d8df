// One evaluation reads like a step of the method: order, cells, moments, groups, lists, sums.
#include "force/list_solver.hpp"

#include <atomic>
#include <cmath>
#include <exception>
#include <mutex>
#include <numeric>

#include "core/error.hpp"
#include "core/threads.hpp"
#include "force/singular_pairs.hpp"
#include "tree/walk.hpp"

namespace chamomile {
namespace {

constexpr int groups_per_cluster = 8;

/// Keeps the first exception of a parallel region for the thread that started it.
class FirstException {
public:
    template <class Work>
    void run(Work work) noexcept
    {
        if (caught_.load(std::memory_order_relaxed))
            return;
        try {
            work();
        } catch (...) {
            const std::lock_guard lock(mutex_);
            if (!exception_)
                exception_ = std::current_exception();
            caught_.store(true, std::memory_order_relaxed);
        }
    }
    void rethrow() const
    {
        if (exception_)
            std::rethrow_exception(exception_);
    }

private:
    std::atomic<bool> caught_{false};
    std::mutex mutex_;
    std::exception_ptr exception_;
};

/// What tree and direct sum share: targets in groups, lists in batches, sums back to the caller.
class ListSolver : public Solver {
public:
    ListSolver(const SolverOptions& options, SolverParts parts)
        : options_(options), parts_(std::move(parts))
    {}

    ForceStatistics solve(Particles& particles, Quantities quantities,
                          std::span<const Index> active) override
    {
        ForceStatistics statistics;
        Profile& profile = statistics.profile;
        {
            const TimedPhase phase(profile, "build");
            build_octree(octree_, particles.position, particles.mass, options_.leaf_size,
                         *parts_.sorter);
        }
        {
            const TimedPhase phase(profile, "moments");
            compute_moments(moments_, octree_);
            prepare_lists();
        }
        {
            const TimedPhase phase(profile, "groups");
            make_groups(groups_, octree_, moments_, active,
                        {options_.group_size, groups_per_cluster});
        }
        const double mass = std::accumulate(particles.mass.begin(), particles.mass.end(), 0.0);
        if (!std::isfinite(mass))
            refuse_masses(particles);
        const InternalScale scale =
            InternalScale::of(moments_.bounds.empty() ? 0 : moments_.bounds[0].longest_side(),
                              options_.softening.length, mass);
        parts_.evaluator->begin(
            {&octree_, &moments_, &groups_, scale, options_.softening, options_.order, quantities});
        submit_batches(statistics);
        std::span<const TargetSum> sums;
        {
            const TimedPhase phase(profile, "wait");
            sums = parts_.evaluator->finish();
        }
        parts_.evaluator->add_statistics(profile);
        {
            const TimedPhase phase(profile, "results");
            store_sums(particles, sums, scale, quantities);
        }
        statistics.targets = groups_.target_count;
        statistics.groups = groups_.groups.size();
        statistics.cells = octree_.cells.size();
        return statistics;
    }

    std::string device() const override { return parts_.evaluator->device(); }
    const SolverOptions& options() const override { return options_; }

protected:
    virtual void prepare_lists() = 0;
    virtual void list(InteractionLists& lists, std::size_t first_cluster,
                      std::size_t last_cluster) const = 0;

    SolverOptions options_;
    SolverParts parts_;
    Octree octree_;
    Moments moments_;
    TargetGroups groups_;

private:
    void submit_batches(ForceStatistics& statistics)
    {
        const TimedPhase phase(statistics.profile, "walk");
        // A batch is a whole number of clusters, with about as many groups as are asked for.
        const std::size_t n = groups_.clusters.size();
        const std::size_t batch =
            std::max<std::size_t>(1, parts_.evaluator->batch_size() * n /
                                         std::max<std::size_t>(1, groups_.groups.size()));
        const std::size_t batches = (n + batch - 1) / batch;
        std::uint64_t particle_pairs = 0, cell_pairs = 0;
        FirstException first;
#pragma omp parallel for if (batches > 1) schedule(dynamic, 1) reduction(+ : particle_pairs, cell_pairs)
        for (std::size_t b = 0; b < batches; ++b)
            first.run([&] {
                auto lists = parts_.evaluator->new_lists();
                const std::size_t begin = b * batch, end = std::min(n, begin + batch);
                list(*lists, begin, end);
                for (const ListRow& row : lists->rows) {
                    const std::uint64_t targets = row.target_end - row.target_begin;
                    particle_pairs += targets * row.particle_count;
                    cell_pairs += targets * (row.cell_end - row.cell_begin);
                }
                parts_.evaluator->submit(std::move(lists));
            });
        first.rethrow();
        statistics.particle_particle = particle_pairs;
        statistics.particle_cell = cell_pairs;
    }

    /// From internal units and sorted order to the caller's.
    void store_sums(Particles& particles, std::span<const TargetSum> sums,
                    const InternalScale& scale, Quantities quantities)
    {
        const double G = options_.gravitational_constant;
        const double potential = G * scale.mass / scale.length;
        const double acceleration = potential / scale.length;
        particles.acceleration.resize(particles.size());
        if (quantities == Quantities::acceleration_potential)
            particles.potential.resize(particles.size());
        std::size_t not_finite = 0;
#pragma omp parallel for if (sums.size() > worth_threads) reduction(+ : not_finite)
        for (std::size_t t = 0; t < sums.size(); ++t) {
            const Index i = octree_.order[groups_.target(t)];
            const Vec3<double>& a = sums[t].acceleration;
            particles.acceleration[i] = acceleration * a;
            if (quantities == Quantities::acceleration_potential)
                particles.potential[i] = potential * sums[t].potential;
            not_finite += !std::isfinite(a.x + a.y + a.z + sums[t].potential);
        }
        if (not_finite > 0)
            repair_singular_targets(particles, octree_, groups_, sums, options_, quantities);
    }

    [[noreturn]] static void refuse_masses(const Particles& particles)
    {
        for (std::size_t i = 0; i < particles.size(); ++i)
            if (!std::isfinite(particles.mass[i]))
                throw Error(Fault::input, "particle " + std::to_string(i) +
                                              ": mass: " + std::to_string(particles.mass[i]) +
                                              ": must be finite");
        throw Error(Fault::input, "masses: sum: overflows: must be finite");
    }
};

class TreeSolver final : public ListSolver {
public:
    using ListSolver::ListSolver;

private:
    void prepare_lists() override
    {
        AcceptanceCriterion criterion;
        criterion.theta = options_.theta;
        criterion.order = options_.order;
        criterion.softening = options_.softening.length;
        if (options_.softening.kind == SofteningKind::spline)
            criterion.clearance = options_.softening.spline_radius();
        walk_.prepare(octree_, moments_, criterion);
    }

    void list(InteractionLists& lists, std::size_t first_cluster,
              std::size_t last_cluster) const override
    {
        walk_.list(lists, groups_, first_cluster, last_cluster);
    }

    Walk walk_;
};

class DirectSolver final : public ListSolver {
public:
    using ListSolver::ListSolver;

private:
    void prepare_lists() override {}

    void list(InteractionLists& lists, std::size_t first_cluster,
              std::size_t last_cluster) const override
    {
        const std::size_t begin = groups_.clusters[first_cluster].first_group,
                          end = groups_.clusters[last_cluster - 1].last_group;
        list_all_particles(lists, Index(octree_.sources.size()),
                           std::span(groups_.groups).subspan(begin, end - begin));
    }
};

} // namespace

std::unique_ptr<Solver> make_tree_solver(const SolverOptions& options, SolverParts parts)
{
    return std::make_unique<TreeSolver>(options, std::move(parts));
}

std::unique_ptr<Solver> make_direct_solver(const SolverOptions& options, SolverParts parts)
{
    return std::make_unique<DirectSolver>(options, std::move(parts));
}

} // namespace chamomile
