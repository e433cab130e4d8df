#include "chamomile/force/ranks/distributed_solver.hpp"

#include <algorithm>
#include <functional>

#include "chamomile/core/version.hpp"
#include "chamomile/force/lists/list_solver.hpp"
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
    : ranks_(ranks), part_(ranks)
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
    Order order = Order::of(options_);
    devices_.copy(order.device, sizeof order.device - 1);
    part_.carry_out(order); // refuses early
}

ForceStatistics DistributedSolver::evaluate(const Request& request)
{
    ranks_.together([&] {
        refuse_parts(request);
        if (request.softening)
            throw Error(Fault::usage, "ranks: softening lengths: must be one where each rank has "
                                      "particles of its own");
        if (!request.active.empty())
            throw Error(Fault::usage, "ranks: active particles: must be all");
    });
    Order order = Order::of(options_, request);
    order.has_own_rows = true;
    take_tracers(order, request);
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
    order.quantities =
        with_potential[1] > 0 ? Quantities::acceleration_potential : Quantities::acceleration;
    devices_.copy(order.device, sizeof order.device - 1);
    const ForceStatistics statistics = part_.carry_out(order, &request);
    if (statistics.ranks->not_finite > 0)
        repair(request, order);
    return statistics;
}

/// Finds this rank's sources: no rank knows alone whether particles without mass at its end are
/// tracers.
void DistributedSolver::take_tracers(Order& order, const Request& request)
{
    const bool has_points = options_.device == "cpu" && options_.solver == SolverKind::tree;
    const std::vector<std::uint64_t> sources =
        ranks_.all_gather(has_points ? order.count : request.count);
    const auto has_some = [](std::uint64_t n) { return n > 0; };
    const auto own = sources.begin() + ranks_.rank();
    order.count = std::any_of(own + 1, sources.end(), has_some) ? request.count : *own;
    order.take_targets(request);
    order.has_sources = order.sums_sources = std::any_of(sources.begin(), sources.end(), has_some);
    ranks_.sum(std::span(&order.tracers, 1));
}

/// Sums such particles among those of all ranks.
void DistributedSolver::repair(const Request& request, const Order& order)
{
    const Particles own = particles_of(request);
    const std::vector<std::uint64_t> sizes = ranks_.all_gather(std::uint64_t(own.size()));
    std::size_t first = 0;
    for (int r = 0; r < ranks_.rank(); ++r)
        first += sizes[std::size_t(r)];
    Particles all;
    all.position = ranks_.all_gather(std::span<const Vec3<double>>(own.position));
    all.mass = ranks_.all_gather(std::span<const double>(own.mass));
    all.acceleration.resize(all.mass.size());
    all.potential.resize(all.mass.size());
    std::size_t sources = all.mass.size();
    while (order.tracers > 0 && sources > 0 && all.mass[sources - 1] == 0)
        --sources;
    ranks_.together([&] { repair_not_finite(all, sources, first, request, order); });
}

std::string DistributedSolver::device() const
{
    return devices_ == "cpu" ? "CPU, " + options_.instruction_set : part_.device();
}

} // namespace chamomile
