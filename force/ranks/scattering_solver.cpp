#include "chamomile/force/ranks/scattering_solver.hpp"

#include <algorithm>

#include "chamomile/core/threads.hpp"
#include "chamomile/force/repairs/singular_pairs.hpp"

namespace chamomile {
namespace {

/// Returns the numbers in ascending order without duplicates.
std::vector<Index> rising(std::span<const Index> numbers)
{
    std::vector<Index> sorted(numbers.begin(), numbers.end());
    std::ranges::sort(sorted);
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    return sorted;
}

} // namespace

void ForceCommand::take(const Request& request, const SolverOptions& options)
{
    count = request.count;
    keeps_tree = request.keeps_tree;
    request_number = request.number;
    has_potentials = bool(request.potential);
    has_softenings = bool(request.softening);
    has_ids = !request.id.empty();
    softening_length = request.softening_length;
    std::vector<double> lengths;
    const std::size_t sources = options.device == "cpu" && !request.are_all_sources
                                    ? sources_of(request, options, lengths)
                                    : request.count;
    tracers = count - sources;
    has_active = !request.active.empty();
    const std::vector<Index> targets = rising(request.active);
    active = has_active ? targets.size() : count;
    active_tracers = has_active
                         ? std::uint64_t(targets.end() - std::ranges::lower_bound(targets, sources))
                         : tracers;
    if (has_softenings && sources > 0)
        softenings = span_of_softenings(request.softening, sources, {}, "cpu");
}

ForceStatistics ScatteringSolver::carry_out(const ForceCommand& order, const Request* request)
{
    return ranks_.run_or_fail([&]() -> ForceStatistics {
        prepare(order);
        if (order.task == ForceCommand::Task::prepare)
            return {};
        return evaluate(order, request);
    });
}

/// Makes the solver, or adjusts it if the order has new options.
void ScatteringSolver::prepare(const ForceCommand& order)
{
    if (!solver_)
        solver_ = make_rank_solver(order.options.options(), order.options.devices, ranks_);
    else if (adjustments_ != order.adjustments) {
        SolverOptions options = order.options.options();
        options.device = solver_->options().device;
        solver_->adjust(options);
    }
    adjustments_ = order.adjustments;
}

ForceStatistics ScatteringSolver::evaluate(const ForceCommand& order, const Request* request)
{
    Profile profile;
    {
        const TimedPhase phase(profile, "deal");
        copy_run(order, request);
    }
    ForceStatistics statistics = solver_->evaluate(own_);
    {
        const TimedPhase phase(profile, "results");
        gather(order, request);
    }
    for (const Profile::Phase& phase : profile.phases())
        statistics.profile.add(phase.name, phase.seconds);
    return statistics;
}

/// Scatters rank 0's values and returns this rank's range.
template <class T>
std::span<const T> ScatteringSolver::run_of(std::span<const T> all, const ForceCommand& order,
                                            Inbox& inbox)
{
    ranks_.scatter(all, order.count, inbox);
    return inbox.all<T>();
}

/// Makes the request for this rank's range of particles.
void ScatteringSolver::copy_run(const ForceCommand& order, const Request* request)
{
    const std::size_t first = ranks_.first_of_run(order.count, ranks_.rank());
    own_ = {};
    own_.count = ranks_.first_of_run(order.count, ranks_.rank() + 1) - first;
    order.shared ? share(*order.shared, first) : scatter(order, request);
    own_.number = order.request_number;
    own_.keeps_tree = order.keeps_tree;
    own_.softening_length = order.softening_length;
    own_.part = GlobalCounts{.count = order.count,
                             .active = order.active,
                             .has_potentials = order.has_potentials,
                             .first = first,
                             .tracers = order.tracers,
                             .active_tracers = order.active_tracers,
                             .softenings = order.softenings};
    if (order.has_active)
        scatter_active(order, request);
}

void ScatteringSolver::share(const Request& all, std::size_t first)
{
    own_.position = all.position.from(first);
    own_.mass = all.mass.from(first);
    own_.softening = all.softening.from(first);
    if (!all.id.empty())
        own_.id = all.id.subspan(first, own_.count);
    own_.acceleration = all.acceleration.from(first);
    own_.potential = all.potential.from(first);
}

void ScatteringSolver::scatter(const ForceCommand& order, const Request* request)
{
    TreeParticles all;
    if (request) {
        all = {request->count, request->position, request->mass};
        all.softening = request->softening;
    }
    own_.position = view_of(run_of(dense_.positions(all), order, positions_));
    own_.mass = view_of(run_of(dense_.masses(all), order, masses_));
    if (order.has_softenings)
        own_.softening = view_of(run_of(dense_.softenings(all), order, softenings_));
    if (order.has_ids)
        own_.id = run_of(request ? request->id : std::span<const std::uint64_t>(), order, ids_);
    acceleration_.resize(own_.count);
    potential_.resize(order.has_potentials ? own_.count : 0);
    own_.acceleration = view_of(std::span(acceleration_));
    if (order.has_potentials)
        own_.potential = view_of(std::span(potential_));
}

/// Scatters the targets to the ranks that hold them.
void ScatteringSolver::scatter_active(const ForceCommand& order, const Request* request)
{
    active_of_all_ = request ? rising(request->active) : std::vector<Index>();
    std::vector<std::span<const Index>> runs;
    auto begin = active_of_all_.begin();
    for (int r = 0; r < ranks_.size(); ++r) {
        const auto end = std::ranges::lower_bound(begin, active_of_all_.end(),
                                                  ranks_.first_of_run(order.count, r + 1));
        runs.push_back({begin, end});
        begin = end;
    }
    Inbox inbox;
    ranks_.all_to_all<Index>(runs, inbox);
    active_.clear();
    for (const Index number : inbox.from<Index>(0))
        active_.push_back(Index(number - own_.part->first));
    own_.active = active_;
}

/// Gathers the sums of the targets on rank 0.
void ScatteringSolver::gather(const ForceCommand& order, const Request* request)
{
    if (order.shared)
        return ranks_.run_and_agree([] {}); // all ranks have stored their sums
    const auto fetch = [&]<class T>(std::vector<T>& sums, const auto& store) {
        if (order.has_active) {
            for (std::size_t k = 0; k < active_.size(); ++k) // ascending, so k <= active_[k]
                sums[k] = sums[active_[k]];
            sums.resize(active_.size());
        }
        ranks_.gather(std::span<const T>(sums), gathered_);
        const std::span<const T> all = gathered_.all<T>();
#pragma omp parallel for if (all.size() > worth_threads) schedule(static)
        for (std::size_t k = 0; k < all.size(); ++k)
            store(order.has_active ? active_of_all_[k] : k, all[k]);
    };
    fetch(acceleration_,
          [&](std::size_t i, const Vec3<double>& a) { request->acceleration.store_vector(i, a); });
    if (order.has_potentials)
        fetch(potential_,
              [&](std::size_t i, double value) { request->potential.store(i, 0, value); });
}

} // namespace chamomile
