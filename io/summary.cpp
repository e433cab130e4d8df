#include "chamomile/io/summary.hpp"

#include <algorithm>

namespace chamomile {

SnapshotSummary summarize(const Particles& particles)
{
    SnapshotSummary summary;
    summary.count = particles.size();
    if (particles.size() == 0)
        return summary;
    summary.lower = summary.upper = particles.position[0];
    for (std::size_t i = 0; i < particles.size(); ++i) {
        const double mass = particles.mass[i];
        TypeSummary& type = summary.types[particles.type[i]];
        type.min_mass = type.count == 0 ? mass : std::min(type.min_mass, mass);
        type.max_mass = type.count == 0 ? mass : std::max(type.max_mass, mass);
        type.total_mass += mass;
        ++type.count;
        const Vec3<double>& x = particles.position[i];
        summary.lower = {std::min(summary.lower.x, x.x), std::min(summary.lower.y, x.y),
                         std::min(summary.lower.z, x.z)};
        summary.upper = {std::max(summary.upper.x, x.x), std::max(summary.upper.y, x.y),
                         std::max(summary.upper.z, x.z)};
        summary.center_of_mass += mass * x;
        summary.mean_velocity += mass * particles.velocity[i];
        summary.total_mass += mass;
    }
    if (summary.total_mass > 0) {
        summary.center_of_mass = (1 / summary.total_mass) * summary.center_of_mass;
        summary.mean_velocity = (1 / summary.total_mass) * summary.mean_velocity;
    }
    return summary;
}

} // namespace chamomile
