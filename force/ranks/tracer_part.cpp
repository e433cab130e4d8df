// Tracers on several ranks: points beside the tree of all, in a tree of their own that is dealt
// likewise, so that their groups, lists and sums are those of one rank.
#include <algorithm>

#include "chamomile/core/error.hpp"
#include "chamomile/core/norm.hpp"
#include "chamomile/force/gravity.hpp"
#include "chamomile/force/lists/list_field.hpp"
#include "chamomile/force/lists/list_solver.hpp"
#include "chamomile/force/lists/single_target.hpp"
#include "chamomile/force/ranks/rank_part.hpp"

namespace chamomile {
namespace {

/// Returns the numbers of the tracers that a request is to be summed at, which rise.
std::vector<Index> tracers_of(const Request& request, std::size_t sources)
{
    std::vector<Index> numbers;
    for (const Index i : request.active)
        if (i >= sources)
            numbers.push_back(i);
    for (std::size_t i = sources; request.are_all_active() && i < request.count; ++i)
        numbers.push_back(Index(i));
    return numbers;
}

} // namespace

void Order::take_targets(const Request& request)
{
    const auto is_source = [this](Index i) { return i < count; };
    has_sources = count > 0;
    has_targets = !request.are_all_active();
    sums_sources = has_sources;
    tracers = (request.part ? request.part->count : request.count) - count;
    if (has_targets && request.part) {
        tracers = tracers > 0 ? request.part->active_tracers : 0;
        sums_sources = request.part->active > tracers;
    } else if (has_targets) {
        sums_sources = std::any_of(request.active.begin(), request.active.end(), is_source);
        tracers = std::uint64_t(std::count_if(request.active.begin(), request.active.end(),
                                              [&](Index i) { return !is_source(i); }));
    }
    if (solver == SolverKind::tree)
        has_targets = has_targets && sums_sources;
}

/// Returns the units of the sums, which follow from the whole tree.
InternalScale RankPart::scale(const SolverOptions& options) const
{
    const Moments& moments = tree_->tree().moments;
    const bool empty = tree_->total() == 0;
    return InternalScale::of(empty ? 0 : moments.bounds[0].longest_side(), options.softening.length,
                             empty ? 0 : moments.multipole[0].mass);
}

/// Sums at the tracers that the request asks for, as points beside the tree.
ForceStatistics RankPart::sum_tracers(const Order& order, const Request* request,
                                      const SolverOptions& options)
{
    ForceStatistics statistics;
    const Traffic before = ranks_.traffic();
    if (!points_)
        points_ = std::make_unique<Points>(ranks_, options.instruction_set);
    Points& points = *points_;
    const std::vector<Index> numbers =
        request ? tracers_of(*request, order.count) : std::vector<Index>();
    const bool varied = order.least_softening.has_value();
    Order of_points = order;
    of_points.count = numbers.size();
    std::vector<Vec3<double>> places(numbers.size());
    std::vector<double> lengths(varied ? numbers.size() : 0);
    std::span<const Vec3<double>> position = places;
    std::span<const double> length = lengths;
    {
        const TimedPhase phase(statistics.profile, "deal");
        for (std::size_t k = 0; k < numbers.size(); ++k) {
            places[k] = request->position.load_vector(numbers[k]);
            if (varied)
                lengths[k] = std::min(request->softening.load(numbers[k]), order.most_softening);
        }
        if (!order.has_own_rows) {
            deal(position, of_points, points.positions);
            position = points.positions.all<Vec3<double>>();
            if (varied) {
                deal(length, of_points, points.softenings);
                length = points.softenings.all<double>();
            }
        }
    }
    const std::size_t n = position.size();
    points.acceleration.assign(n, {});
    points.potential.assign(n, 0);
    Figures figures;
    if (order.has_sources) {
        const std::vector<Index> near = sum_far(order, options, position, length);
        sum_near(order, options, statistics, figures);
        bring_near(order, near);
    }
    {
        const TimedPhase phase(statistics.profile, "results");
        std::size_t k = 0;
        for (const Vec3<double>& a : to_caller<Vec3<double>>(points.acceleration, order))
            request->acceleration.store_vector(numbers[k++], a);
        k = 0;
        if (order.quantities == Quantities::acceleration_potential)
            for (const double potential : to_caller<double>(points.potential, order))
                request->potential.store(numbers[k++], 0, potential);
    }
    add_figures(figures, before, order.tracers, statistics);
    return statistics;
}

/// Sums at the points that are so far away that they feel the moments of all sources, and puts the
/// others apart, whose numbers it returns.
std::vector<Index> RankPart::sum_far(const Order& order, const SolverOptions& options,
                                     std::span<const Vec3<double>> position,
                                     std::span<const double> length)
{
    Points& points = *points_;
    const double far = far_away * scale(options).length, G = order.gravitational_constant;
    const Moments& moments = tree_->tree().moments;
    const Multipole& whole = moments.multipole[0];
    const double mean = moments.softening.empty() ? 0 : moments.softening[0].mean(); // eps^2
    std::vector<Index> near;
    points.near.clear();
    points.near_softenings.clear();
    ranks_.together([&] {
        for (std::size_t k = 0; k < position.size(); ++k) {
            if (!(norm_of_any_size(position[k] - whole.center) > far)) {
                near.push_back(Index(k));
                points.near.push_back(position[k]);
                if (!length.empty())
                    points.near_softenings.push_back(length[k]);
                continue;
            }
            Softening of_pair = order.softening;
            if (order.least_softening) {
                const double root = std::sqrt(mean);
                of_pair.length = std::sqrt(
                    pair_softening_squared(length[k] * length[k], root * root, of_pair.rule));
            }
            const TargetSum sum = sum_from_afar(whole, position[k], of_pair);
            points.acceleration[k] = G * sum.acceleration;
            points.potential[k] = G * sum.potential;
        }
    });
    return near;
}

/// Brings the sums of the points near enough for lists home to this rank's points.
void RankPart::bring_near(const Order& order, const std::vector<Index>& near)
{
    Points& points = *points_;
    if (points.tree.total() == 0)
        return;
    points.work.resize(near.size());
    points.tree.send_home<float>(arrived_work_,
                                 [&](Index k, float work) { points.work[k] = work; });
    points.tree.send_home<Vec3<double>>(
        acceleration_, [&](Index k, const Vec3<double>& a) { points.acceleration[near[k]] = a; });
    if (order.quantities == Quantities::acceleration_potential)
        points.tree.send_home<double>(
            potential_, [&](Index k, double value) { points.potential[near[k]] = value; });
}

/// Sums at the points that are near enough for lists.
void RankPart::sum_near(const Order& order, const SolverOptions& options,
                        ForceStatistics& statistics, Figures& figures)
{
    Points& points = *points_;
    std::uint64_t all = points.near.size();
    ranks_.sum(std::span(&all, 1));
    points.ones.assign(points.near.size(), 1);
    if (points.work.size() != points.near.size())
        points.work.clear(); // of other points
    Rows rows{.position = points.near, .mass = points.ones, .work = points.work};
    if (order.least_softening) {
        rows.longest_softening = order.most_softening;
        rows.softening = points.near_softenings;
    }
    try {
        points.tree.build(rows,
                          {.tree = {.leaf_size = options.leaf_size,
                                    .groups = sizes_of_points(options, all, tree_->total()),
                                    .criterion = {}}},
                          statistics.profile);
    } catch (const Agreed& error) {
        const std::string line = error.what(), particle = "particle ";
        if (!line.starts_with(particle))
            throw;
        throw Agreed(error.fault(), "target " + line.substr(particle.size()));
    }
    if (all == 0)
        return;
    tree_->serve(points.tree.groups(), criterion_of(options, order.least_softening),
                 statistics.profile);
    sum(order, options, statistics, figures, &points.tree);
}

} // namespace chamomile
