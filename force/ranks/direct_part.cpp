// A direct sum on several ranks: each has all particles, and sums at a part of the groups of one
// rank, so that the sums have its bits.
#include <algorithm>
#include <utility>

#include "chamomile/force/lists/list_field.hpp"
#include "chamomile/force/ranks/rank_part.hpp"

namespace chamomile {

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
    const std::uint64_t bytes = ranks_.traffic().bytes;
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
            direct_ = std::make_unique<DirectSources>();
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
    std::vector<DirectSum> sums;
    ranks_.together([&] { statistics = sum_directly(order, keeps, active, sums); });
    if (!keeps)
        direct_->made_by = order.number;
    statistics.kept_tree = keeps;
    statistics.profile.add("deal", profile.seconds("deal"));
    {
        const TimedPhase phase(statistics.profile, "results");
        std::vector<std::vector<DirectSum>> of_rank(std::size_t(ranks_.size()));
        for (const DirectSum& sum : sums)
            of_rank[std::size_t(std::upper_bound(begin.begin(), begin.end(), sum.particle) -
                                begin.begin() - 1)]
                .push_back(sum);
        ranks_.all_to_all<DirectSum>(
            std::vector<std::span<const DirectSum>>(of_rank.begin(), of_rank.end()), collected_);
        for (const DirectSum& sum : collected_.all<DirectSum>()) {
            const std::size_t i = sum.particle - begin[std::size_t(ranks_.rank())];
            request->acceleration.store_vector(i, sum.acceleration);
            if (request->potential)
                request->potential.store(i, 0, sum.potential);
        }
    }
    const std::size_t n = direct_->masses.all<double>().size(),
                      targets = order.has_targets ? active.size() : n;
    const std::uint64_t sent = ranks_.traffic().bytes - bytes;
    add_figures({.particle_particle = statistics.particle_particle,
                 .groups = statistics.groups,
                 .cells = statistics.cells,
                 .cancelling = statistics.cancelling,
                 .imported_particles = n - std::min(n, sums.size()),
                 .bytes = sent,
                 .work = statistics.particle_particle,
                 .partners = std::uint64_t(ranks_.size() - 1),
                 .import_bytes = sent},
                targets, statistics);
    return statistics;
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
                                       std::span<const Index> active, std::vector<DirectSum>& sums)
{
    const std::span<const Vec3<double>> positions = direct_->positions.all<Vec3<double>>();
    const std::span<const double> masses = direct_->masses.all<double>();
    const std::span<const std::uint64_t> ids = direct_->ids.all<std::uint64_t>();
    const std::span<const double> softenings =
        order.least_softening ? direct_->softenings.all<double>() : std::span<const double>();
    const std::size_t n = positions.size();
    const std::size_t sources = order.count; // those after them are tracers
    if (!keeps) {
        const SolverOptions options = options_of(order);
        direct_->field = std::make_unique<ListField>(options, make_parts(options, true));
    }
    TreeParticles particles{sources, view_of(positions), view_of(masses)};
    particles.softening = view_of(softenings);
    const ListField::Plan plan{.softening_length = order.softening.length,
                               .id = ids.first(std::min(sources, ids.size()))};
    ListField& field = *direct_->field;
    keeps ? field.refit(particles, plan) : field.build(particles, plan);

    const bool with_potential = order.quantities == Quantities::acceleration_potential;
    const auto outputs = [&](std::size_t count) {
        acceleration_.resize(count);
        potential_.resize(with_potential ? count : 0);
        return ListField::Outputs{.acceleration = view_of(std::span(acceleration_)),
                                  .potential = with_potential ? view_of(std::span(potential_))
                                                              : ArrayView()};
    };
    const auto take = [&](std::size_t i, std::size_t k) {
        sums.push_back({Index(i), with_potential ? potential_[k] : 0, acceleration_[k]});
    };
    ForceStatistics statistics;
    const std::span<const Index> of_sources = active.first(std::size_t(
        std::lower_bound(active.begin(), active.end(), Index(sources)) - active.begin()));
    if (sources > 0 && (active.empty() || !of_sources.empty())) {
        statistics = field.at_sources(
            {.active = of_sources, .part = ranks_.rank(), .parts = ranks_.size()}, outputs(n));
        for (const Index i : field.numbers_of_targets())
            take(i, i);
    }
    const std::size_t tracers = active.empty() ? n - sources : active.size() - of_sources.size();
    if (tracers == 0 || ranks_.rank() < ranks_.size() - 1) // one rank cuts them into groups
        return statistics;
    const auto number = [&](std::size_t k) {
        return active.empty() ? sources + k : active[of_sources.size() + k];
    };
    std::vector<Vec3<double>> places(tracers);
    std::vector<double> lengths(softenings.empty() ? 0 : tracers);
    for (std::size_t k = 0; k < tracers; ++k)
        places[k] = positions[number(k)];
    for (std::size_t k = 0; k < lengths.size(); ++k)
        lengths[k] = std::min(softenings[number(k)], order.most_softening);
    const ListField::Outputs to = outputs(tracers);
    if (sources > 0) {
        add(statistics, field.at_points({.count = tracers,
                                         .position = view_of(std::span(places)),
                                         .softening = view_of(std::span(lengths))},
                                        to));
    } else { // nothing pulls
        std::fill(acceleration_.begin(), acceleration_.end(), Vec3<double>{});
        std::fill(potential_.begin(), potential_.end(), 0);
    }
    for (std::size_t k = 0; k < tracers; ++k)
        take(number(k), k);
    return statistics;
}

} // namespace chamomile
