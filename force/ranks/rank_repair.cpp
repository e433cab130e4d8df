// Sums of ranks that are not finite, where each rank has particles of its own.
#include "chamomile/force/ranks/rank_part.hpp"
#include "chamomile/force/repairs/singular_pairs.hpp"

namespace chamomile {

/// Sums such particles of this rank among those of all ranks.
void RankPart::repair(const Order& order, const Request& request)
{
    const Particles own = particles_of(request);
    const std::vector<std::uint64_t> sizes = ranks_.all_gather(std::uint64_t(own.size()));
    std::size_t first = 0;
    for (int r = 0; r < ranks_.rank(); ++r)
        first += sizes[std::size_t(r)];
    Particles all;
    all.id = ranks_.all_gather(std::span<const std::uint64_t>(own.id));
    all.position = ranks_.all_gather(std::span<const Vec3<double>>(own.position));
    all.mass = ranks_.all_gather(std::span<const double>(own.mass));
    if (order.least_softening)
        all.softening = ranks_.all_gather(std::span<const double>(own.softening));
    all.acceleration.resize(all.mass.size());
    all.potential.resize(all.mass.size());
    ranks_.together([&] { repair_not_finite(all, first, request, order); });
}

} // namespace chamomile
