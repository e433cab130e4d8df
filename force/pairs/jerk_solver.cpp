#include "chamomile/force/pairs/jerk_solver.hpp"

#include "chamomile/core/error.hpp"
#include "chamomile/force/lists/list_solver.hpp"
#include "chamomile/force/option_table.hpp"
#include "chamomile/force/pairs/laws/gravity_jerk.hpp"
#include "chamomile/force/pairs/pair_solver.hpp"
#include "chamomile/force/repairs/singular_pairs.hpp"

namespace chamomile {
namespace {

using Target = GravityJerk::Target<double>;
using SoftenedTarget = GravityJerkPerParticle::Target<double>;
using SoftenedSource = GravityJerkPerParticle::Source<double>;

/// Sums all pairs by one PairSolver if sources share a softening length, by another if not.
class DirectJerkSolver final : public JerkSolver {
public:
    explicit DirectJerkSolver(const SolverOptions& resolved)
        : options_(resolved),
          common_solver_(make_pair_solver(GravityJerk{resolved.softening.length}, pair_options()))
    {}

    ForceStatistics solve(std::span<const MovingSource> sources, std::span<const double> softening,
                          std::span<const Index> active, std::span<JerkSum> sums) override
    {
        PairStatistics pairs = softening.empty()
                                   ? sum_common(sources, active, sums)
                                   : sum_per_particle(sources, softening, active, sums);
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

    std::string device() const override { return common_solver_->device(); }
    const SolverOptions& options() const override { return options_; }

private:
    PairOptions pair_options() const
    {
        return {.precision = options_.precision,
                .device = options_.device,
                .instruction_set = options_.instruction_set};
    }

    PairStatistics sum_common(std::span<const MovingSource> sources, std::span<const Index> active,
                              std::span<JerkSum> sums)
    {
        targets_.resize(active.size());
        for (std::size_t k = 0; k < active.size(); ++k)
            targets_[k] = {sources[active[k]].position, sources[active[k]].velocity};
        return common_solver_->sum(
            {as_rows(std::span<const Target>(targets_)), as_rows(sources), active, {}},
            as_rows(sums));
    }

    PairStatistics sum_per_particle(std::span<const MovingSource> sources,
                                    std::span<const double> softening,
                                    std::span<const Index> active, std::span<JerkSum> sums)
    {
        if (softening.size() != sources.size())
            throw Error(Fault::usage, "softening: " + std::to_string(softening.size()) +
                                          " lengths: must be one per source, " +
                                          std::to_string(sources.size()));
        span_of_softenings(view_of(softening), softening.size(), {}, "cpu"); // checks them
        if (!softened_solver_)
            softened_solver_ = make_pair_solver(
                GravityJerkPerParticle{options_.softening.rule_weight()}, pair_options());
        softened_.resize(sources.size());
        for (std::size_t j = 0; j < sources.size(); ++j)
            softened_[j] = {sources[j].position, sources[j].velocity, sources[j].mass,
                            softening[j] * softening[j]};
        softened_targets_.resize(active.size());
        for (std::size_t k = 0; k < active.size(); ++k) {
            const SoftenedSource& i = softened_[active[k]];
            softened_targets_[k] = {i.position, i.velocity, i.eps2};
        }
        return softened_solver_->sum({as_rows(std::span<const SoftenedTarget>(softened_targets_)),
                                      as_rows(std::span<const SoftenedSource>(softened_)),
                                      active,
                                      {}},
                                     as_rows(sums));
    }

    SolverOptions options_;
    std::unique_ptr<PairSolver> common_solver_, softened_solver_;
    std::vector<Target> targets_;
    std::vector<SoftenedTarget> softened_targets_;
    std::vector<SoftenedSource> softened_;
};

} // namespace

std::optional<std::string> jerk_refusal(const SolverOptions& options)
{
    const auto& [softening, type_softenings, gravitational_constant, box] =
        static_cast<const Physics&>(options);
    if (options.solver != SolverKind::direct)
        return "{solver} tree: must be direct for hermite";
    if (box != 0)
        return "{integrator} hermite: needs isolated particles; {box} 0 ignores the box";
    if (options.accuracy)
        return "{accuracy}: needs the tree solver; hermite uses direct sums";
    if (softening.kind != SofteningKind::plummer)
        return "{softening} " + std::string(form_of(softening.kind).word) +
               ": must be plummer for hermite";
    return refusal(options);
}

std::unique_ptr<JerkSolver> make_jerk_solver(const SolverOptions& options)
{
    require(jerk_refusal(options));
    return std::make_unique<DirectJerkSolver>(resolved(options));
}

} // namespace chamomile
