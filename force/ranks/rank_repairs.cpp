// Sums of ranks that are not finite are made again in double where all particles are.
#include <algorithm>
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

void repair_not_finite(Particles& all, std::size_t sources, const RequestPart& part,
                       const Request& request, const Order& order)
{
    struct Target {
        Index number; ///< among all
        std::size_t i;
    };
    std::vector<Target> singular, points;
    const bool all_active = request.are_all_active();
    for (std::size_t k = 0; k < (all_active ? request.count : request.active.size()); ++k) {
        const std::size_t i = all_active ? k : request.active[k], number = part.number_of(i);
        Vec3<double>& a = all.acceleration[number];
        double& potential = all.potential[number];
        a = request.acceleration.load_vector(i);
        potential = request.potential ? request.potential.load(i) : 0;
        if (!std::isfinite(a.x + a.y + a.z + potential))
            (number < sources ? singular : points).push_back({Index(number), i});
    }
    const std::vector<Vec3<double>> places = all.position;
    const std::vector<double> lengths = all.softening;
    if (sources < all.size()) {
        const bool has_ids = !all.id.empty();
        all.resize(sources);
        if (!has_ids)
            all.id.clear();
    }
    std::vector<Index> numbers;
    for (const Target& target : singular)
        numbers.push_back(target.number);
    std::sort(numbers.begin(), numbers.end()); // so that the first is named
    repair_singular_targets(all, numbers, options_of(order), Quantities::acceleration_potential);
    for (const auto& [number, i] : points) {
        const TargetSum sum = sum_of_single_target(all, places[number], -1, order.softening,
                                                   lengths.empty() ? 0 : lengths[number]);
        const double G = order.gravitational_constant;
        store_point(request, i, number - sources, {G * sum.acceleration, G * sum.potential});
    }
    for (const auto& [number, i] : singular) {
        request.acceleration.store_vector(i, all.acceleration[number]);
        if (request.potential)
            request.potential.store(i, 0, all.potential[number]);
    }
}

/// Sums such particles of this rank, which has its own, among those of all ranks.
void RankPart::repair(const Order& order, const Request& request)
{
    const Particles own = particles_of(request);
    const RequestPart& part = *request.part;
    std::vector<Index> number;
    if (part.exchanges > 0)
        number = ranks_.all_gather(part.number);
    const auto of_all = [&](const auto& values) {
        using Value = typename std::decay_t<decltype(values)>::value_type;
        std::vector<Value> gathered = ranks_.all_gather(std::span<const Value>(values));
        if (number.empty() || gathered.empty())
            return gathered;
        std::vector<Value> sorted(gathered.size());
        for (std::size_t k = 0; k < gathered.size(); ++k)
            sorted[number[k]] = gathered[k];
        return sorted;
    };
    Particles all;
    all.id = of_all(own.id);
    all.position = of_all(own.position);
    all.mass = of_all(own.mass);
    if (order.least_softening)
        all.softening = of_all(own.softening);
    all.acceleration.resize(all.mass.size());
    all.potential.resize(all.mass.size());
    ranks_.together([&] { repair_not_finite(all, order.count, part, request, order); });
}

} // namespace chamomile
