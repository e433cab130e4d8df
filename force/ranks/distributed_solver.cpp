#include "chamomile/force/ranks/distributed_solver.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "chamomile/core/ranks/agreement.hpp"
#include "chamomile/core/version.hpp"
#include "chamomile/force/option_table.hpp"
#include "chamomile/force/ranks/domain_solver.hpp"
#include "chamomile/force/repairs/singular_pairs.hpp"

namespace chamomile {
namespace {

/// Throws on all ranks if a rank has other options or another version than rank 0.
void require_alike(const SolverOptions& options, Communicator& ranks)
{
    std::string text = version;
    for (const auto& row : force_options())
        text += '\n' + row.text(options);
    const std::vector<std::uint64_t> all =
        ranks.all_gather(std::uint64_t(std::hash<std::string>()(text)));
    for (int r = 1; r < ranks.size(); ++r)
        if (all[std::size_t(r)] != all[0])
            throw of_rank(r, ranks.size(),
                          Error(Fault::usage, "options or version: must be equal on all ranks"));
}

} // namespace

DistributedSolver::DistributedSolver(const SolverOptions& options, Communicator& ranks)
    : ranks_(ranks)
{
    ranks_.set_time_limit(options.peer_timeout);
    require_alike(options, ranks_);
    SolverOptions asked = options;
    asked.ranks = &ranks_;
    ranks_.run_and_agree([&] {
        require(options.accuracy
                    ? Refusal("several processes: cannot adapt to {accuracy}; give {tolerance}")
                    : Refusal());
        options_ = resolved(of_first_rank(asked));
        devices_ = devices_of_ranks(options, options_);
    });
    solver_ = ranks_.run_or_fail([&] { return make_rank_solver(options_, devices_, ranks_); });
}

ForceStatistics DistributedSolver::evaluate(const Request& request)
{
    if (request.part)
        return carry_out(request);
    Request part = request;
    known_to_all(ranks_, [&] {
        ranks_.run_and_agree([&] {
            refuse_arrays(request);
            if (!request.active.empty())
                throw Error(Fault::usage, "ranks: active particles: must be all particles");
        });
        part.part = part_of(request, ranks_);
    });
    return carry_out(part);
}

ForceStatistics DistributedSolver::carry_out(const Request& request)
{
    const ForceStatistics statistics =
        known_to_all(ranks_, [&] { return solver_->evaluate(request); });
    options_.periodic = solver_->options().periodic; // with the mesh chosen
    return statistics;
}

namespace {

/// Ends holds the shortest softening length and minus the longest, so that both reduce by min.
struct Ends {
    double shortest = HUGE_VAL, longest = HUGE_VAL;

    explicit operator bool() const { return shortest < HUGE_VAL; }
    bool operator==(const Ends&) const = default;
    std::optional<std::pair<double, double>> span() const
    {
        return *this ? std::optional(std::pair{shortest, -longest}) : std::nullopt;
    }
};

/// SofteningEnds hold Ends for sources only and for all particles.
struct SofteningEnds {
    Ends sources, all;
};

/// Reduces Ends over all ranks. The first `own` particles of this rank are sources.
SofteningEnds ends_of(const Request& request, std::uint64_t first, std::uint64_t own,
                      Communicator& ranks)
{
    std::uint64_t with_lengths[2] = {};
    with_lengths[bool(request.softening)] = request.count;
    ranks.sum(with_lengths);
    SofteningEnds ends;
    if (with_lengths[1] == 0)
        return ends;
    const auto take = [&](std::uint64_t n, Ends& into) {
        const auto [min, largest] = span_of_softenings(request.softening, n, {}, "cpu", first);
        into = {min, -largest};
    };
    ranks.run_and_agree([&] {
        if (with_lengths[0] > 0)
            throw Error(Fault::usage, "softening: must be given on all ranks or on none");
        if (request.count > 0)
            take(request.count, ends.all);
        if (own > 0)
            take(own, ends.sources);
    });
    static_assert(sizeof ends == 4 * sizeof(double));
    ranks.min(std::span(&ends.sources.shortest, 4));
    return ends;
}

} // namespace

/// Without `tracers`, massless particles at the end of the global order are tracers. If sources
/// share one softening length and tracers have others, all are sources, as on one rank
/// (sources_of() in list_solver.cpp).
GlobalCounts DistributedSolver::part_of(const Request& request, Communicator& ranks, bool on_host,
                                        std::optional<std::uint64_t> tracers)
{
    struct End {
        std::uint64_t count, without_mass, with_potential;
    };
    End own{request.count, tracers.value_or(0), request.potential ? request.count : 0};
    while (on_host && !tracers && own.without_mass < own.count && request.mass &&
           request.mass.load(own.count - own.without_mass - 1) == 0)
        ++own.without_mass;
    GlobalCounts part;
    std::uint64_t with_potential = 0;
    int rank = 0;
    for (const End& end : ranks.all_gather(own)) {
        if (rank++ == ranks.rank())
            part.first = part.count;
        part.count += end.count;
        agreed([&] { check_number(end.count); });
        with_potential += end.with_potential;
        const bool only_last = !tracers && end.without_mass < end.count;
        part.tracers = end.without_mass + (only_last ? 0 : part.tracers);
    }
    if (with_potential > 0 && with_potential < part.count)
        throw CollectiveError(Fault::usage, "potential: must be requested on all ranks or on none");
    part.has_potentials = with_potential > 0;
    part.active = part.count;
    const std::uint64_t own_sources =
        tracers ? request.count - *tracers : part.sources_at_home(request.count);
    const SofteningEnds ends = ends_of(request, part.first, own_sources, ranks);
    part.softenings = ends.sources.span();
    if (part.tracers > 0 && ends.sources && ends.sources.shortest == -ends.sources.longest &&
        !(ends.all == ends.sources)) {
        part.tracers = 0;
        part.softenings = ends.all.span();
    }
    part.active_tracers = part.tracers;
    return part;
}

std::optional<std::pair<double, double>> DistributedSolver::softenings_of(const Request& request,
                                                                          const GlobalCounts& part)
{
    return ends_of(request, part.first, part.sources_at_home(request.count), ranks_).sources.span();
}

std::string DistributedSolver::device() const
{
    return devices_ == "cpu" ? "CPU, " + options_.instruction_set : solver_->device();
}

} // namespace chamomile
