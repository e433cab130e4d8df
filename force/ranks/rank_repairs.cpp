// Sums of ranks that are not finite are made again in double where all particles are.
#include <cmath>

#include "chamomile/core/error.hpp"
#include "chamomile/force/lists/single_target.hpp"
#include "chamomile/force/ranks/rank_part.hpp"
#include "chamomile/force/repairs/singular_pairs.hpp"

namespace chamomile {
namespace {

/// Stores the sum of a tracer of that number in the caller's units. Throws Error(numeric) where no
/// double holds it.
void store_point(const Request& request, std::size_t i, std::size_t tracer, const TargetSum& sum)
{
    const auto& [a, potential] = sum;
    if (!std::isfinite(a.x + a.y + a.z + potential))
        throw Error(Fault::numeric, "target " + std::to_string(tracer) + ": field: not finite");
    request.acceleration.store_vector(i, a);
    if (request.potential)
        request.potential.store(i, 0, potential);
}

} // namespace

void repair_not_finite(Particles& all, std::size_t sources, std::size_t first,
                       const Request& request, const Order& order)
{
    std::vector<Index> singular, points;
    const bool all_active = request.are_all_active();
    for (std::size_t k = 0; k < (all_active ? request.count : request.active.size()); ++k) {
        const std::size_t i = all_active ? k : request.active[k];
        Vec3<double>& a = all.acceleration[first + i];
        double& potential = all.potential[first + i];
        a = request.acceleration.load_vector(i);
        potential = request.potential ? request.potential.load(i) : 0;
        if (!std::isfinite(a.x + a.y + a.z + potential))
            (first + i < sources ? singular : points).push_back(Index(first + i));
    }
    const std::vector<Vec3<double>> places = all.position;
    const std::vector<double> lengths = all.softening;
    if (sources < all.size()) {
        const bool has_ids = !all.id.empty();
        all.resize(sources);
        if (!has_ids)
            all.id.clear();
    }
    repair_singular_targets(all, singular, options_of(order), Quantities::acceleration_potential);
    for (const Index i : points) {
        const TargetSum sum = sum_of_single_target(all, places[i], -1, order.softening,
                                                   lengths.empty() ? 0 : lengths[i]);
        const double G = order.gravitational_constant;
        store_point(request, i - first, i - sources, {G * sum.acceleration, G * sum.potential});
    }
    for (const Index k : singular) {
        request.acceleration.store_vector(k - first, all.acceleration[k]);
        if (request.potential)
            request.potential.store(k - first, 0, all.potential[k]);
    }
}

/// Sums such particles of this rank, which has its own, among those of all ranks.
void RankPart::repair(const Order& order, const Request& request)
{
    const Particles own = particles_of(request);
    Particles all;
    all.id = ranks_.all_gather(std::span<const std::uint64_t>(own.id));
    all.position = ranks_.all_gather(std::span<const Vec3<double>>(own.position));
    all.mass = ranks_.all_gather(std::span<const double>(own.mass));
    if (order.least_softening)
        all.softening = ranks_.all_gather(std::span<const double>(own.softening));
    all.acceleration.resize(all.mass.size());
    all.potential.resize(all.mass.size());
    ranks_.together(
        [&] { repair_not_finite(all, order.count, request.part->first, request, order); });
}

} // namespace chamomile
