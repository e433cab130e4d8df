#include "chamomile/pairs/jerk_solver.hpp"

#include "chamomile/core/error.hpp"
#include "chamomile/force/lists/list_solver.hpp"
#include "chamomile/force/option_table.hpp"
#include "chamomile/pairs/pair_solver.hpp"

namespace chamomile {
namespace {

using Target = GravityJerk::Target<double>;

/// A DirectJerkSolver sums all pairs by a PairSolver.
class DirectJerkSolver final : public JerkSolver {
public:
    explicit DirectJerkSolver(const SolverOptions& resolved)
        : options_(resolved),
          pairs_(make_pair_solver(GravityJerk{resolved.softening.length},
                                  {.precision = resolved.precision,
                                   .device = resolved.device,
                                   .instruction_set = resolved.instruction_set}))
    {}

    ForceStatistics solve(std::span<const MovingSource> sources, std::span<const Index> active,
                          std::span<JerkSum> sums) override
    {
        targets_.resize(active.size());
        for (std::size_t k = 0; k < active.size(); ++k)
            targets_[k] = {sources[active[k]].position, sources[active[k]].velocity};
        const PairTask task{
            as_rows(std::span<const Target>(targets_)), as_rows(sources), active, {}};
        PairStatistics pairs = pairs_->sum(task, as_rows(sums));
        if (const double G = options_.gravitational_constant; G != 1)
            for (JerkSum& sum : sums) {
                sum.acceleration = G * sum.acceleration;
                sum.jerk = G * sum.jerk;
                sum.potential *= G;
            }
        ForceStatistics statistics;
        statistics.particle_particle = pairs.pairs;
        statistics.targets = pairs.targets;
        statistics.groups = pairs.groups;
        statistics.device_busy = pairs.device_busy;
        statistics.profile = std::move(pairs.profile);
        return statistics;
    }

    std::string device() const override { return pairs_->device(); }
    const SolverOptions& options() const override { return options_; }

private:
    SolverOptions options_;
    std::unique_ptr<PairSolver> pairs_;
    std::vector<Target> targets_;
};

} // namespace

std::optional<std::string> jerk_refusal(const SolverOptions& options)
{
    const auto& [softening, type_softenings, gravitational_constant, box] =
        static_cast<const Physics&>(options);
    if (options.solver != SolverKind::direct)
        return "--solver tree: hermite sums directly; leave it out";
    if (box != 0)
        return "--integrator hermite: is not periodic; --box 0 leaves boundaries open";
    if (options.accuracy)
        return "--accuracy: is for trees; hermite sums directly";
    if (softening.kind != SofteningKind::plummer)
        return "--softening spline: hermite knows Plummer softening alone";
    if (softening.is_varied || !type_softenings.empty())
        return "--integrator hermite: knows one softening length; give --eps LENGTH";
    return refusal(options);
}

std::unique_ptr<JerkSolver> make_jerk_solver(const SolverOptions& options)
{
    require(jerk_refusal(options), plain_names_of_forces());
    return std::make_unique<DirectJerkSolver>(resolved(options));
}

} // namespace chamomile
