// Chooses options for a tree by measured errors and times, and keeps the error in range.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <span>
#include <string>

#include "chamomile/core/error.hpp"
#include "chamomile/core/files/archive.hpp"
#include "chamomile/force/accuracy/candidate.hpp"
#include "chamomile/force/accuracy/methods.hpp"
#include "chamomile/force/accuracy/trials.hpp"
#include "chamomile/force/ranks/domain_solver.hpp"

namespace chamomile {
namespace {

constexpr double worth_another = 1.5; // max time ratio to the fastest candidate, for retries
constexpr double worth_taking = 0.97; // max time of a direct sum over the tree's time
constexpr int max_trials = 3;
constexpr double short_trial = 0.1; // seconds

/// Effort in choosing; larger if trials are short.
struct TrialEffort {
    std::size_t middles;   ///< number of fastest methods to try with other sizes
    std::size_t finalists; ///< max number
    double range;          ///< max time of a finalist, over the fastest
    int rounds;            ///< repeated runs of every finalist, in turn
};
constexpr TrialEffort usual_effort{1, 4, 1.15, 2}, thorough_effort{2, 6, 1.25, 5};
constexpr double direct_pairs = 6; // max pair rate of a direct sum over the rate with lists
constexpr int min_group = 8, min_leaf = 2;
constexpr std::size_t max_ewald_sums = 1 << 14; // particles; an evaluation takes 1 s on two cores

std::string in_words(double value)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.3g", value);
    return text;
}

class AccurateSolver final : public Solver {
public:
    AccurateSolver(const SolverOptions& options, const AccuracyGoal& goal,
                   std::shared_ptr<const void> ranks)
        : ranks_(std::move(ranks)), goal_(goal), base_(base_options(of_first_rank(options), goal)),
          options_(first_options(base_, goal)), sizes_are_open_{options.group_size == 0,
                                                                options.leaf_size == 0},
          trials_(options_, goal, options), is_chosen_(goal.chosen_already)
    {}

    ForceStatistics evaluate(const Request& request) override
    {
        require_whole(request);
        const std::uint64_t number = request.number;
        trials_.begin(request);
        std::optional<double> measured;
        if (!is_chosen_)
            measured = choose(number);
        const bool is_checked = !measured && is_due(number) && request.active.empty() &&
                                request.long_range != LongRangePart::left_out;
        if (is_checked)
            checked_ = number;
        // A stored long range is added to an array, so that it must be right at once.
        if (is_checked && request.long_range == LongRangePart::stored) {
            measured = trials_.try_out(options_).error;
            adjust(*measured);
        }
        double spent = trials_.seconds();
        ForceStatistics statistics = trials_.evaluate(options_, request);
        if (is_checked && request.long_range == LongRangePart::added) {
            const double before = trials_.seconds();
            measured = trials_.error(request.acceleration);
            if (adjust(*measured))
                statistics = trials_.evaluate(options_, request);
            spent += trials_.seconds() - before;
        }
        statistics.measured_error = measured;
        statistics.profile.add("accuracy", spent);
        return statistics;
    }

    void exchange(Archive& archive) override
    {
        archive("accuracy/chosen", is_chosen_);
        archive("accuracy/checked", checked_);
        archive("accuracy/solver", options_.solver, SolverKind::direct);
        archive("accuracy/criterion", options_.criterion, Criterion::moments);
        archive("accuracy/precision", options_.precision, Precision::double_precision);
        archive("accuracy/tolerance", options_.tolerance);
        archive("accuracy/theta", options_.theta);
        archive("accuracy/order", options_.order);
        archive("accuracy/local_order", options_.local_order);
        archive("accuracy/group_size", options_.group_size);
        archive("accuracy/leaf_size", options_.leaf_size);
        if (base_.is_periodic()) {
            archive("accuracy/mesh", options_.periodic.mesh);
            archive("accuracy/split", options_.periodic.split);
            archive("accuracy/cut", options_.periodic.cut);
        }
        if (archive.is_reading())
            options_.decorrelate =
                options_.solver == SolverKind::direct ? std::nullopt : base_.decorrelate;
        if (base_.is_periodic() && is_chosen_)
            trials_.exchange(archive, options_);
    }

    std::string device() const override { return trials_.device(); }
    const SolverOptions& options() const override { return options_; }

private:
    static SolverOptions base_options(SolverOptions options, const AccuracyGoal& goal)
    {
        if (options.solver != SolverKind::tree && !goal.chosen_already)
            throw Error(
                Fault::usage,
                "accuracy: needs the tree solver; it chooses direct sums if they are faster");
        if (goal.error < (options.is_periodic() ? min_goal_in_float_in_box : min_goal_in_float))
            options.precision = Precision::double_precision;
        return resolved(options);
    }

    static SolverOptions first_options(const SolverOptions& base, const AccuracyGoal& goal)
    {
        if (goal.chosen_already)
            return base;
        SolverOptions first = candidates(base, goal).front().options;
        set_limit(first, goal, law_of(first).guess(goal.error));
        return first;
    }

    /// One candidate per method, with the sizes in `base`.
    static std::vector<Candidate> candidates(const SolverOptions& base, const AccuracyGoal& goal)
    {
        std::vector<TreeMethod> ways;
        for (const TreeMethod& m : methods) {
            if (base.is_periodic() && m.order > 2 && !goal.order)
                continue;
            const TreeMethod way{goal.criterion.value_or(m.criterion), goal.order.value_or(m.order),
                                 goal.local_order.value_or(m.local_order)};
            if (std::find(ways.begin(), ways.end(), way) == ways.end())
                ways.push_back(way);
        }
        std::vector<Candidate> all;
        for (const TreeMethod& way : ways) {
            SolverOptions options = base;
            options.criterion = way.criterion;
            options.order = way.order;
            options.local_order = way.local_order;
            all.emplace_back(resolved(options), goal.error);
        }
        return all;
    }

    bool is_due(std::uint64_t number) const
    {
        return goal_.check_every > 0 && number % std::uint64_t(goal_.check_every) == 0 &&
               checked_ != number && options_.solver == SolverKind::tree;
    }

    void try_out(Candidate& candidate)
    {
        const bool done = candidate.search.done(); // then only time is measured
        set_limit(candidate.options, goal_,
                  done ? candidate.search.points().back().limit : candidate.search.next());
        const auto outcome = trials_.try_out(candidate.options);
        if (!done)
            candidate.search.add({limit_of(candidate.options), outcome.error},
                                 !base_.is_periodic() &&
                                     outcome.pairs > 0.5 * double(trials_.size()));
        const double ratio = std::clamp(outcome.error / (GoalBand::aimed * goal_.error), 1e-3, 1e3);
        candidate.timings.push_back({std::log(ratio), outcome.seconds});
        candidate.pairs = outcome.pairs;
    }

    /// Up to three trials, unless early ones show that another candidate is far faster.
    void try_repeatedly(Candidate& candidate)
    {
        for (int trial = 0; trial < max_trials; ++trial)
            if (trial == 0 || (candidate.seconds(power_) < worth_another * min_seconds_ &&
                               (trial < 2 || candidate.distance() > Candidate::far_apart)))
                try_out(candidate);
        min_seconds_ = std::min(min_seconds_, candidate.seconds(power_));
    }

    /// Sorts by time, ascending.
    void sort(std::vector<Candidate>& candidates) const
    {
        std::stable_sort(candidates.begin(), candidates.end(),
                         [&](const Candidate& a, const Candidate& b) {
                             return a.seconds(power_) < b.seconds(power_);
                         });
    }

    /// Returns the fastest candidate, with its search completed.
    Candidate fastest()
    {
        std::vector<Candidate> ways = candidates(with_mesh(base_, meshes[0]), goal_);
        Candidate& first = ways.front();
        while (!first.search.done())
            try_out(first);
        const Candidate searched = first;
        power_ = first.power(Candidate::usual_power);
        min_seconds_ = first.seconds(power_);
        for (std::size_t k = 1; k < ways.size(); ++k)
            try_repeatedly(ways[k]);
        sort(ways);
        const TrialEffort& effort = min_seconds_ < short_trial ? thorough_effort : usual_effort;
        std::vector<SolverOptions> middles;
        for (const Candidate& way : ways)
            if (middles.size() < effort.middles &&
                way.seconds(power_) < worth_another * min_seconds_)
                middles.push_back(way.options);
        for (const SolverOptions& middle : middles) {
            for (const double cells : std::span(meshes).subspan(1)) {
                SolverOptions options = middle;
                options.periodic.mesh = base_.periodic.mesh;
                options = with_mesh(options, cells);
                if (options.periodic.mesh == middle.periodic.mesh)
                    continue;
                ways.emplace_back(options, goal_.error);
                try_repeatedly(ways.back());
            }
            for (const Sizes& factor : sizes) {
                if ((factor.group != 1 && !sizes_are_open_.group) ||
                    (factor.leaf != 1 && !sizes_are_open_.leaf))
                    continue;
                SolverOptions options = middle;
                options.group_size = std::max(min_group, int(options.group_size * factor.group));
                options.leaf_size = std::max(min_leaf, int(options.leaf_size * factor.leaf));
                ways.emplace_back(options, goal_.error);
                try_repeatedly(ways.back());
            }
        }
        // Candidates that chance may have misordered run again, in turn.
        sort(ways);
        while (ways.size() > effort.finalists ||
               ways.back().seconds(power_) > effort.range * ways.front().seconds(power_))
            ways.pop_back();
        for (int round = 0; round < effort.rounds && ways.size() > 1; ++round)
            for (Candidate& finalist : ways)
                try_out(finalist);
        sort(ways);
        for (Candidate& way :
             ways) { // in a box a fast one with a coarse mesh may not reach the goal
            while (!way.search.done())
                try_out(way);
            if (way.search.best() || !searched.search.best())
                return way;
        }
        return searched;
    }

    /// Returns the options with a mesh for the particles, if it is open.
    SolverOptions with_mesh(SolverOptions options, double cells) const
    {
        if (options.is_periodic() && options.periodic.long_range == LongRangeKind::mesh &&
            options.periodic.mesh == 0)
            options.periodic.mesh =
                mesh_for(options, goal_, cells, trials_.size(), trials_.softening(options));
        return options;
    }

    /// Switches to the direct sum if it keeps the goal in less time, or if `is_needed`. Returns its
    /// error; none: no switch. Throws Error(usage) if needed and not accurate enough. In a box
    /// Ewald's sums are for few particles, `error` being the least of a tree.
    std::optional<double> direct_instead(double seconds, bool is_needed, double error)
    {
        if (base_.is_periodic() &&
            (trials_.size() > max_ewald_sums || !trials_.adds_long_range())) {
            if (is_needed)
                throw Error(Fault::usage, "{accuracy}: " + in_words(goal_.error) +
                                              ": cannot be reached in a box of " +
                                              std::to_string(trials_.size()) +
                                              " particles: the error is " + in_words(error) +
                                              (base_.precision == Precision::single_precision
                                                   ? "; give {precision} double"
                                                   : ""));
            return {};
        }
        SolverOptions direct = base_;
        direct.solver = SolverKind::direct;
        direct.group_size = direct.leaf_size = 0;
        direct.decorrelate.reset();
        direct = resolved(direct);
        const auto first = trials_.try_out(direct);
        if (first.error > goal_.error) {
            if (is_needed)
                throw Error(
                    Fault::usage,
                    "accuracy: " + in_words(goal_.error) +
                        ": cannot be reached: the error of the direct sum in " +
                        (direct.precision == Precision::single_precision ? "single" : "double") +
                        " precision is " + in_words(first.error));
            return {};
        }
        if (!is_needed && !(trials_.try_out(direct).seconds < worth_taking * seconds))
            return {};
        options_ = direct;
        return first.error;
    }

    static double min_error(const Candidate& candidate)
    {
        double min = HUGE_VAL;
        for (const LimitSearch::Point& point : candidate.search.points())
            min = std::min(min, point.error);
        return min;
    }

    /// Sets options_ and returns their error.
    double choose(std::uint64_t number)
    {
        const Candidate best = fastest();
        const bool method_is_open = !goal_.criterion && !goal_.order && !goal_.local_order;
        const auto point = best.search.best();
        std::optional<double> error;
        if (!point || (method_is_open && double(trials_.size()) < direct_pairs * best.pairs))
            error = direct_instead(best.seconds(power_), !point, min_error(best));
        if (!error) {
            options_ = best.options;
            set_limit(options_, goal_, point->limit);
            error = point->error;
        }
        is_chosen_ = true;
        checked_ = number;
        report_event(AccuracyReport::Event::chosen, options_, *error, *error);
        return *error;
    }

    /// Returns whether options_ have changed; sets `error` to their error.
    bool adjust(double& error)
    {
        const double error_before = error, part = error / goal_.error;
        const SolverOptions before = options_;
        const double limit = limit_of(options_);
        if (part >= GoalBand::min_kept && part <= GoalBand::max_kept) {
            report_event(AccuracyReport::Event::kept, before, error, error);
            return false;
        }
        Candidate same(options_, goal_.error);
        same.search = LimitSearch(law_of(options_), goal_.error, limit);
        same.search.add({limit, error}, false);
        while (!same.search.done())
            try_out(same);
        if (const auto point = same.search.best()) {
            error = point->error;
            set_limit(options_, goal_, point->limit);
        } else {
            error = *direct_instead(0, true, min_error(same));
        }
        const bool changed = options_.solver == SolverKind::direct || limit_of(options_) != limit;
        report_event(changed ? AccuracyReport::Event::adjusted : AccuracyReport::Event::kept,
                     before, error_before, error);
        return changed;
    }

    void report_event(AccuracyReport::Event event, const SolverOptions& before, double error_before,
                      double error) const
    {
        if (goal_.report)
            goal_.report({event, trials_.number(), before, options_, error_before, error,
                          trials_.count(), trials_.seconds()});
    }

    struct SizesAreOpen {
        bool group, leaf;
    };

    std::shared_ptr<const void> ranks_; // outlive the members below
    AccuracyGoal goal_;
    SolverOptions base_, options_;
    SizesAreOpen sizes_are_open_;
    AccuracyTrials trials_;
    bool is_chosen_;
    std::optional<std::uint64_t> checked_;
    double power_ = Candidate::usual_power; ///< power of the error with which time falls
    double min_seconds_ = 0;                ///< over the candidates so far
};

} // namespace

std::unique_ptr<Solver> make_accurate_solver(const SolverOptions& options,
                                             std::shared_ptr<const void> ranks)
{
    return std::make_unique<AccurateSolver>(options, *options.accuracy, std::move(ranks));
}

} // namespace chamomile
