#include "chamomile/force/small_sets.hpp"

#include <algorithm>
#include <numeric>

#include "chamomile/core/archive.hpp"
#include "chamomile/force/list_solver.hpp"

namespace chamomile {
namespace {

class JoinedSolvers final : public Solver {
public:
    JoinedSolvers(std::unique_ptr<Solver> many, std::unique_ptr<Solver> few,
                  std::optional<std::uint64_t> few_below)
        : many_{std::move(many)}, few_{std::move(few)},
          is_measured_(!few_.solver || few_below.has_value()), few_below_(few_below.value_or(0))
    {}

    ForceStatistics solve(Particles& particles, Quantities quantities,
                          std::span<const Index> active) override
    {
        if (active.empty()) {
            ForceStatistics statistics = solve_by(many_, particles, quantities, active);
            if (!is_measured_) {
                const TimedPhase phase(statistics.profile, "calibration");
                measure(particles, quantities);
            }
            return statistics;
        }
        const bool few = few_.solver && active.size() < few_below_;
        return solve_by(few ? few_ : many_, particles, quantities, active);
    }

    void number_next(std::uint64_t number) override
    {
        many_.solver->number_next(number);
        if (few_.solver)
            few_.solver->number_next(number);
    }

    void soften(double length) override
    {
        many_.solver->soften(length);
        if (few_.solver)
            few_.solver->soften(length);
    }

    /// Either has a tree of its own, which is as old as the word that none be kept allows.
    void keep_tree(bool kept) override
    {
        keeps_tree_ = kept;
        many_.has_tree = many_.has_tree && kept;
        few_.has_tree = few_.has_tree && kept;
    }

    void exchange(Archive& archive) override
    {
        many_.solver->exchange(archive);
        archive("small_sets/few_below", few_below_);
        archive("small_sets/is_measured", is_measured_);
    }

    bool has_long_range() const override { return !few_.solver && many_.solver->has_long_range(); }
    void use_long_range(LongRangePart part, LongRangeSums* apart) override
    {
        many_.solver->use_long_range(part, apart);
    }
    double split_radius() const override { return many_.solver->split_radius(); }

    std::string device() const override { return many_.solver->device(); }
    const SolverOptions& options() const override { return many_.solver->options(); }

private:
    struct Side {
        std::unique_ptr<Solver> solver;
        bool has_tree = false; ///< that may be kept
    };

    ForceStatistics solve_by(Side& side, Particles& particles, Quantities quantities,
                             std::span<const Index> active)
    {
        side.solver->keep_tree(keeps_tree_ && side.has_tree);
        side.has_tree = false;
        ForceStatistics statistics = side.solver->solve(particles, quantities, active);
        side.has_tree = true;
        return statistics;
    }

    /// Of those with the largest accelerations, whose steps are short: 4, 16, 64, ... of them, as
    /// long as the second solver is faster. Trees are kept, as in most evaluations.
    void measure(Particles& particles, Quantities quantities)
    {
        is_measured_ = true;
        few_below_ = 0;
        const std::vector<Vec3<double>> acceleration = particles.acceleration;
        const std::vector<double> potential = particles.potential;
        std::vector<Index> by_acceleration(particles.size());
        std::iota(by_acceleration.begin(), by_acceleration.end(), Index(0));
        const auto stronger = [&](Index i, Index j) {
            const double a = norm_squared(acceleration[i]), b = norm_squared(acceleration[j]);
            return a > b || (a == b && i < j);
        };
        const std::size_t most = std::min<std::size_t>(particles.size() / 4, 65536);
        std::partial_sort(by_acceleration.begin(), by_acceleration.begin() + std::ptrdiff_t(most),
                          by_acceleration.end(), stronger);
        const bool kept = keeps_tree_;
        for (std::size_t count = 4; count <= most; count *= 4) {
            std::vector<Index> active(by_acceleration.begin(),
                                      by_acceleration.begin() + std::ptrdiff_t(count));
            std::sort(active.begin(), active.end());
            if (seconds(few_, particles, quantities, active) >=
                seconds(many_, particles, quantities, active))
                break;
            few_below_ = 2 * count; // between this and the next
        }
        particles.acceleration = acceleration;
        particles.potential = potential;
        keep_tree(kept);
        many_.has_tree = few_.has_tree = false;
    }

    /// The least of three, on a kept tree.
    double seconds(Side& side, Particles& particles, Quantities quantities,
                   std::span<const Index> active)
    {
        keeps_tree_ = true;
        double least = 1e300;
        for (int k = side.has_tree ? 1 : 0; k < 4; ++k) {
            const double start = wall_clock_seconds();
            solve_by(side, particles, quantities, active);
            if (k > 0)
                least = std::min(least, wall_clock_seconds() - start);
        }
        return least;
    }

    Side many_, few_;
    bool keeps_tree_ = false;
    bool is_measured_;
    std::uint64_t few_below_;
};

} // namespace

std::unique_ptr<Solver> join_solvers(std::unique_ptr<Solver> many, std::unique_ptr<Solver> few,
                                     std::optional<std::uint64_t> few_below)
{
    return std::make_unique<JoinedSolvers>(std::move(many), std::move(few), few_below);
}

std::unique_ptr<Solver> make_solver_with_host(const SolverOptions& options,
                                              std::optional<std::uint64_t> host_below)
{
    std::unique_ptr<Solver> solver = make_solver(options), host;
    const SolverOptions& chosen = solver->options();
    if (chosen.solver == SolverKind::tree && chosen.device != "cpu" && !options.accuracy &&
        options.periodic.box == 0) {
        SolverOptions others = options;
        others.device = "cpu";
        others.group_size = others.leaf_size = 0; // of a GPU
        host = make_solver(others);
    }
    return join_solvers(std::move(solver), std::move(host), host_below);
}

} // namespace chamomile
