#include "chamomile/force/accuracy/trials.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>

#include "chamomile/force/ranks/domain_solver.hpp"
#include "chamomile/force/repairs/singular_pairs.hpp"
#include "chamomile/force/threads.hpp"

namespace chamomile {
namespace {

constexpr double min_float_sample = 1e-5; // goals below are measured in double
constexpr double min_beyond = 10;         // min number of sampled particles beyond the percentile

/// Returns the processor time of the process, over all threads.
double processor_seconds()
{
    return double(std::clock()) / CLOCKS_PER_SEC;
}

std::size_t needed_sample(double percentile)
{
    return std::size_t(std::ceil(min_beyond / (1 - 0.01 * percentile)));
}

/// Adds the platform's ranks and devices to resolved options.
SolverOptions on_ranks(SolverOptions options, const Platform& platform)
{
    options.ranks = platform.ranks;
    if (options.ranks)
        options.device = platform.device;
    return options;
}

SolverOptions options_of_sample(SolverOptions options, double error, const Platform& platform)
{
    if (options.device != "cpu" || error < min_float_sample)
        options.precision = Precision::double_precision;
    return on_ranks(options, platform);
}

} // namespace

AccuracyTrials::AccuracyTrials(const SolverOptions& resolved, const AccuracyGoal& goal,
                               const Platform& platform)
    : platform_(platform), is_periodic_(resolved.is_periodic()),
      tree_(platform.ranks ? make_adjustable_domain_solver(resolved, platform)
                           : make_list_solver(resolved, make_parts(resolved))),
      sample_(options_of_sample(resolved, goal.error, platform)),
      targets_(std::max(goal.sample, needed_sample(goal.percentile))), percentile_(goal.percentile)
{}

void AccuracyTrials::begin(const Request& request)
{
    request_ = request;
    is_measured_ = false;
    count_ = 0;
    begun_ = wall_clock_seconds();
}

AccuracyTrials::Outcome AccuracyTrials::try_out(const SolverOptions& options)
{
    ++count_;
    acceleration_.resize(request_.count);
    const Request trial{.count = request_.count,
                        .position = request_.position,
                        .mass = request_.mass,
                        .id = request_.id,
                        .acceleration = view_of(std::span(acceleration_)),
                        .number = request_.number,
                        .keeps_tree = request_.keeps_tree,
                        .softening_length = request_.softening_length,
                        .softening = request_.softening};
    if (options.solver == SolverKind::tree)
        tree_->adjust(options); // a new mesh does not count
    const double start = wall_clock_seconds(), processor_start = processor_seconds();
    const ForceStatistics statistics = evaluate(options, trial);
    double seconds = wall_clock_seconds() - start;
    if (options.device == "cpu") // if other processes share the cores, the min is the time needed
        seconds = std::min(seconds, (processor_seconds() - processor_start) / thread_count());
    const double targets = double(std::max<std::uint64_t>(statistics.targets, 1));
    return {error(trial.acceleration), seconds,
            double(statistics.particle_particle + statistics.particle_cell) / targets};
}

/// Returns the size of the sample, whose Ewald sums take some 20 s on two cores for 1e6 particles.
std::size_t AccuracyTrials::sample_size() const
{
    constexpr double max_pairs = 4e9;
    if (!is_periodic_)
        return targets_;
    const double allowed = max_pairs / double(std::max<std::size_t>(request_.count, 1));
    return std::min(targets_, std::max(needed_sample(percentile_), std::size_t(allowed)));
}

Softening AccuracyTrials::softening(const SolverOptions& options) const
{
    Softening softening = options.softening;
    softening.length =
        softening_lengths(request_.softening, request_.count, request_.softening_length, options)
            .length;
    return softening;
}

void AccuracyTrials::exchange(Archive& archive, const SolverOptions& options)
{
    if (options.solver != SolverKind::tree)
        return;
    tree_->adjust(options);
    tree_->exchange(archive);
}

double AccuracyTrials::error(const ArrayView& acceleration)
{
    if (!is_measured_)
        sample_.measure(request_, sample_size(), Quantities::acceleration);
    is_measured_ = true;
    std::vector<double> errors = sample_.acceleration_errors(acceleration);
    return value_at_percentile(errors, percentile_);
}

ForceStatistics AccuracyTrials::evaluate(const SolverOptions& options, const Request& request)
{
    if (options.solver == SolverKind::tree) {
        tree_->adjust(options);
        return tree_->evaluate(request);
    }
    if (!direct_) {
        SolverOptions direct = on_ranks(options, platform_);
        direct.accuracy.reset();
        direct_ = make_solver(direct);
    }
    return direct_->evaluate(request);
}

} // namespace chamomile
