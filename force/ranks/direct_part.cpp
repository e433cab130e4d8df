// A direct sum on several ranks: each has all particles, and sums at a part of the groups of one
// rank, so that the sums have its bits.
#include "chamomile/force/lists/list_field.hpp"
#include "chamomile/force/ranks/rank_part.hpp"

namespace chamomile {
namespace {

/// A DirectSum is what one rank tells of a particle.
struct DirectSum {
    Index particle;
    double potential;
    Vec3<double> acceleration;
};

} // namespace

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
    std::span<const Vec3<double>> positions;
    std::span<const double> masses;
    std::span<const std::uint64_t> ids;
    Inbox all_ids;
    {
        const TimedPhase phase(profile, "deal");
        if (request) {
            positions = dense_items(request->position, request->count, asked_positions_);
            masses = dense_items(request->mass, request->count, asked_masses_);
            ids = request->id;
        }
        positions = from_all(positions, positions_);
        masses = from_all(masses, masses_);
        ids = from_all(ids, all_ids);
    }
    const std::size_t n = positions.size();
    std::size_t sources = n; // Those without mass at the end are tracers, as on one rank.
    while (sources > 0 && masses[sources - 1] == 0)
        --sources;
    const bool with_potential = order.quantities == Quantities::acceleration_potential;
    acceleration_.assign(n, {});
    potential_.assign(with_potential ? n : 0, 0);
    const auto results_from = [&](std::size_t first) {
        return ListField::Outputs{.acceleration = view_of(std::span(acceleration_).subspan(first)),
                                  .potential = with_potential
                                                   ? view_of(std::span(potential_).subspan(first))
                                                   : ArrayView()};
    };
    ForceStatistics statistics;
    std::vector<DirectSum> sums;
    const auto take = [&](std::size_t i) {
        sums.push_back({Index(i), with_potential ? potential_[i] : 0, acceleration_[i]});
    };
    ranks_.together([&] {
        const SolverOptions options = options_of(order);
        ListField field(options, make_parts(options, true));
        field.build({sources, view_of(positions), view_of(masses)},
                    {.id = ids.first(std::min(sources, ids.size()))});
        if (sources > 0)
            statistics =
                field.at_sources({.part = ranks_.rank(), .parts = ranks_.size()}, results_from(0));
        for (const Index i : field.numbers_of_targets())
            take(i);
        if (sources == n || ranks_.rank() < ranks_.size() - 1)
            return;
        if (sources > 0) // one rank cuts them into groups
            add(statistics, field.at_points({n - sources, view_of(positions.subspan(sources))},
                                            results_from(sources)));
        for (std::size_t i = sources; i < n; ++i)
            take(i);
    });
    statistics.profile.add("deal", profile.seconds("deal"));
    {
        // To rank 0, or to all, of whom each takes those of its own particles.
        const TimedPhase phase(statistics.profile, "results");
        std::vector<std::span<const DirectSum>> to{std::size_t(ranks_.size())};
        for (std::size_t r = 0; r < (order.has_own_rows ? to.size() : 1); ++r)
            to[r] = sums;
        ranks_.all_to_all<DirectSum>(to, collected_);
        std::size_t first = 0; // of this rank's particles
        for (int r = 0; order.has_own_rows && r < ranks_.rank(); ++r)
            first += positions_.from<Vec3<double>>(r).size();
        for (const DirectSum& sum : collected_.all<DirectSum>()) {
            const std::size_t i = sum.particle - first; // wraps around for those before
            if (!request || i >= request->count)
                continue;
            request->acceleration.store_vector(i, sum.acceleration);
            if (with_potential && request->potential)
                request->potential.store(i, 0, sum.potential);
        }
    }
    const std::uint64_t sent = ranks_.traffic().bytes - bytes;
    add_figures({.particle_particle = statistics.particle_particle,
                 .groups = statistics.groups,
                 .cells = statistics.cells,
                 .cancelling = statistics.cancelling,
                 .imported_particles = n - sums.size(),
                 .bytes = sent,
                 .work = statistics.particle_particle,
                 .partners = std::uint64_t(ranks_.size() - 1),
                 .import_bytes = sent},
                n, statistics);
    return statistics;
}

} // namespace chamomile
