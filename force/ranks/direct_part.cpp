// A direct sum on several ranks: each has all particles, and sums at a part of the targets as one
// rank cuts them, so that the sums have its bits.
#include <algorithm>
#include <cmath>
#include <utility>

#include "chamomile/core/options/list_where.hpp"
#include "chamomile/core/threads.hpp"
#include "chamomile/force/gpu.hpp"
#include "chamomile/force/ranks/rank_part.hpp"

namespace chamomile {

/// Makes what sums directly, unless that is there.
void RankPart::take_direct_solver(const Order& order)
{
    const DirectMachine machine{{order.instruction_set, order.device, order.precision},
                                order.softening.kind,
                                order.softening.rule,
                                order.gravitational_constant,
                                order.lists.group_size};
    if (direct_machine_ == machine)
        return;
    direct_.reset(); // of the cells of that which goes
    direct_solver_.reset();
    direct_machine_.reset();
    const int card = card_of(machine.machine.device);
    SolverOptions options = options_of(order);
    options.device = card < 0 ? "cpu" : name_of_gpus({card});
    direct_solver_ = make_direct_solver(options);
    direct_machine_ = machine;
}

/// Returns what all ranks give, in the order of ranks.
template <class T>
std::span<const T> RankPart::from_all(std::span<const T> mine, Inbox& inbox)
{
    ranks_.all_to_all<T>(std::vector<std::span<const T>>(std::size_t(ranks_.size()), mine), inbox);
    return inbox.all<T>();
}

ForceStatistics RankPart::evaluate_directly(const Order& order, const Request* request)
{
    Profile profile;
    const Traffic before = ranks_.traffic();
    const bool keeps = keeps_cells(order);
    Inbox active_of_all;
    std::span<const Index> active;
    std::vector<std::size_t> begin;
    {
        const TimedPhase phase(profile, "deal");
        std::span<const Vec3<double>> positions;
        std::span<const double> masses, softenings;
        std::span<const std::uint64_t> ids;
        active_.clear();
        if (request) {
            positions = dense_items(request->position, request->count, asked_positions_);
            masses = dense_items(request->mass, request->count, asked_masses_);
            if (request->softening)
                softenings = dense_items(request->softening, request->count, asked_softenings_);
            ids = request->id;
            active_.assign(request->active.begin(), request->active.end());
            std::sort(active_.begin(), active_.end());
            active_.erase(std::unique(active_.begin(), active_.end()), active_.end());
        }
        if (!keeps) {
            if (!direct_)
                direct_ = std::make_unique<DirectSources>();
            direct_->has_softenings = false;
            from_all(masses, direct_->masses);
            from_all(ids, direct_->ids);
        }
        if (order.least_softening && !std::exchange(direct_->has_softenings, true))
            from_all(softenings, direct_->softenings);
        from_all(positions, direct_->positions);
        begin = begins_of_rows();
        for (Index& i : active_)
            i += Index(begin[std::size_t(ranks_.rank())]);
        if (order.has_targets)
            active = from_all(std::span<const Index>(active_), active_of_all);
    }
    ForceStatistics statistics;
    ranks_.together([&] { statistics = sum_directly(order, keeps, active); });
    if (!keeps)
        direct_->made_by = order.number;
    statistics.profile.add("deal", profile.seconds("deal"));
    {
        const TimedPhase phase(statistics.profile, "results");
        give_back_directly(begin, request);
    }
    const std::size_t n = direct_->masses.all<double>().size(),
                      targets = order.has_targets ? active.size() : n;
    add_figures({.particle_particle = statistics.particle_particle,
                 .groups = statistics.groups,
                 .cells = statistics.cells,
                 .cancelling = statistics.cancelling,
                 .imported_particles = n - std::min(n, direct_->sums.size()),
                 .work = statistics.particle_particle,
                 .bytes_to_device = statistics.bytes_to_device,
                 .bytes_from_device = statistics.bytes_from_device,
                 .partners = std::uint64_t(ranks_.size() - 1),
                 .import_bytes = ranks_.traffic().bytes - before.bytes,
                 .device_busy = statistics.device_busy,
                 .device_span = statistics.device_span,
                 .device_wait = statistics.device_wait},
                before, targets, statistics);
    return statistics;
}

/// Sends the sums, which rise by their numbers, to the ranks that have the particles: each from its
/// number of `begin` on.
void RankPart::give_back_directly(std::span<const std::size_t> begin, const Request* request)
{
    const std::span<const DirectSum> sums = direct_->sums;
    const auto first_of = [&](std::size_t number) {
        return std::lower_bound(
                   sums.begin(), sums.end(), number,
                   [](const DirectSum& sum, std::size_t i) { return sum.particle < i; }) -
               sums.begin();
    };
    std::vector<std::span<const DirectSum>> to;
    for (std::size_t r = 0; r < begin.size(); ++r) {
        const std::ptrdiff_t first = first_of(begin[r]), last = r + 1 < begin.size()
                                                                    ? first_of(begin[r + 1])
                                                                    : std::ptrdiff_t(sums.size());
        to.push_back(sums.subspan(std::size_t(first), std::size_t(last - first)));
    }
    ranks_.all_to_all<DirectSum>(to, collected_);
    const std::span<const DirectSum> mine = collected_.all<DirectSum>();
    const std::size_t own = begin[std::size_t(ranks_.rank())];
#pragma omp parallel for if (mine.size() > worth_threads) schedule(static)
    for (std::size_t k = 0; k < mine.size(); ++k) {
        request->acceleration.store_vector(mine[k].particle - own, mine[k].acceleration);
        if (request->potential)
            request->potential.store(mine[k].particle - own, 0, mine[k].potential);
    }
}

/// Returns the number among all of the first particle that each rank has; rank 0 may have all.
std::vector<std::size_t> RankPart::begins_of_rows() const
{
    std::vector<std::size_t> begin;
    std::size_t next = 0;
    for (int r = 0; r < ranks_.size(); ++r) {
        begin.push_back(next);
        next += direct_->positions.from<Vec3<double>>(r).size();
    }
    return begin;
}

/// Sums at this rank's part of the active particles, which rise, or (none) of all.
ForceStatistics RankPart::sum_directly(const Order& order, bool keeps,
                                       std::span<const Index> active)
{
    const std::span<const Vec3<double>> positions = direct_->positions.all<Vec3<double>>();
    const std::span<const double> masses = direct_->masses.all<double>();
    const std::span<const std::uint64_t> ids = direct_->ids.all<std::uint64_t>();
    const std::span<const double> softenings =
        order.least_softening ? direct_->softenings.all<double>() : std::span<const double>();
    const std::size_t n = positions.size();
    const bool with_potential = order.quantities == Quantities::acceleration_potential,
               is_cut = std::isfinite(order.most_softening);
    acceleration_.resize(n);
    potential_.resize(with_potential ? n : 0);
    Request request{.count = n,
                    .position = view_of(positions),
                    .mass = view_of(masses),
                    .id = ids,
                    .acceleration = view_of(std::span(acceleration_)),
                    .active = active,
                    .keeps_tree = keeps,
                    .softening = view_of(softenings),
                    .are_all_sources = order.count == n};
    if (with_potential)
        request.potential = view_of(std::span(potential_));
    if (softenings.empty())
        request.softening_length = order.softening.length;
    else if (is_cut)
        request.softening_length = order.most_softening;
    std::vector<Index>& numbers = direct_->numbers;
    const ForceStatistics statistics =
        direct_solver_->evaluate_part(request, {ranks_.rank(), ranks_.size()}, numbers);
    marks_.assign(n, 0);
#pragma omp parallel for if (numbers.size() > worth_threads) schedule(static)
    for (std::size_t k = 0; k < numbers.size(); ++k)
        marks_[numbers[k]] = 1;
    list_where(
        n, [&](std::size_t i) { return marks_[i]; }, numbers);
    direct_->sums.resize(numbers.size());
#pragma omp parallel for if (numbers.size() > worth_threads) schedule(static)
    for (std::size_t k = 0; k < numbers.size(); ++k) {
        const Index i = numbers[k];
        direct_->sums[k] = {i, with_potential ? potential_[i] : 0, acceleration_[i]};
    }
    return statistics;
}

} // namespace chamomile
