#include "chamomile/force/ranks/distributed_solver.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <tuple>

#include "chamomile/core/version.hpp"
#include "chamomile/force/option_table.hpp"
#include "chamomile/force/ranks/domain_solver.hpp"
#include "chamomile/force/repairs/singular_pairs.hpp"

namespace chamomile {
namespace {

/// Throws on all ranks where one has other options than rank 0, or is of another version.
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
                          Error(Fault::usage, "other options or another version: must be "
                                              "those of rank 0"));
}

} // namespace

DistributedSolver::DistributedSolver(const SolverOptions& options, Communicator& ranks)
    : ranks_(ranks)
{
    ranks_.set_time_limit(options.peer_timeout);
    require_alike(options, ranks_);
    SolverOptions asked = options;
    asked.ranks = &ranks_;
    ranks_.together([&] {
        require(ranks_refusal(asked, "several processes"), plain_names_of_forces());
        require(options.accuracy ? Refusal("several processes: keep no --accuracy for callers "
                                           "whose particles they have; give --tolerance")
                                 : Refusal(),
                plain_names_of_forces());
        options_ = resolved(of_first_rank(asked));
        devices_ = devices_of_ranks(options, options_);
    });
    solver_ = ranks_.as_one([&] { return make_rank_solver(options_, devices_, ranks_); });
}

ForceStatistics DistributedSolver::evaluate(const Request& request)
{
    ranks_.together([&] {
        refuse_arrays(request);
        if (!request.active.empty())
            throw Error(Fault::usage, "ranks: active particles: must be all");
    });
    // Ranks without particles ask for nothing.
    std::uint64_t with_potential[2] = {};
    with_potential[bool(request.potential)] = request.count;
    ranks_.sum(with_potential);
    const std::uint64_t total = with_potential[0] + with_potential[1];
    if (total >= std::uint64_t(Index(-1)))
        throw Error(Fault::usage, "particles: " + std::to_string(total) +
                                      " of all ranks: must be fewer than 4294967295");
    if (with_potential[0] > 0 && with_potential[1] > 0)
        throw Error(Fault::usage, "potential: must be asked for by all ranks or by none");
    Request part = request;
    part.part = part_of(request, with_potential[1] > 0);
    part.part->softenings = softenings_of(request, *part.part);
    return carry_out(part);
}

ForceStatistics DistributedSolver::carry_out(const Request& request)
{
    return ranks_.as_one([&] { return solver_->evaluate(request); });
}

/// Returns what the ranks have together. No rank knows alone whether particles without mass at its
/// end are tracers.
RequestPart DistributedSolver::part_of(const Request& request, bool has_potentials)
{
    struct End {
        std::uint64_t count, without_mass;
    };
    End own{request.count, 0};
    while (own.without_mass < own.count && request.mass &&
           request.mass.load(own.count - own.without_mass - 1) == 0)
        ++own.without_mass;
    const std::vector<End> ranks = ranks_.all_gather(own);
    RequestPart part{.has_potentials = has_potentials};
    for (std::size_t r = 0; r < ranks.size(); ++r) {
        if (int(r) == ranks_.rank())
            part.first = part.count;
        part.count += ranks[r].count;
        part.tracers =
            ranks[r].without_mass + (ranks[r].without_mass < ranks[r].count ? 0 : part.tracers);
    }
    part.active = part.count;
    part.active_tracers = part.tracers;
    return part;
}

std::optional<std::pair<double, double>> DistributedSolver::softenings_of(const Request& request,
                                                                          const RequestPart& part)
{
    std::uint64_t with_lengths[2] = {};
    with_lengths[bool(request.softening)] = request.count;
    ranks_.sum(with_lengths);
    if (with_lengths[1] == 0)
        return {};
    double ends[2] = {HUGE_VAL, HUGE_VAL}; // the shortest, and the longest with its sign changed
    ranks_.together([&] {
        if (with_lengths[0] > 0)
            throw Error(Fault::usage, "softening: must be given by all ranks or by none");
        const std::size_t n = request.count;
        auto [least, largest] = span_of_softenings(request.softening, n, {}, "cpu", part.first);
        const std::uint64_t sources = part.count - part.tracers,
                            own = std::min<std::uint64_t>(n, std::max(sources, part.first) -
                                                                 part.first);
        if (own == 0)
            return;
        if (own < n) // the others are tracers
            std::tie(least, largest) = span_of_softenings(request.softening, own, {}, "cpu");
        ends[0] = least;
        ends[1] = -largest;
    });
    ranks_.min(std::span(ends));
    if (ends[0] == HUGE_VAL)
        return {};
    return std::pair{ends[0], -ends[1]};
}

std::string DistributedSolver::device() const
{
    return devices_ == "cpu" ? "CPU, " + options_.instruction_set : solver_->device();
}

} // namespace chamomile
