#include "chamomile/initial/models/model_size.hpp"

#include <cmath>
#include <numeric>

#include "chamomile/initial/models/galaxy.hpp"

namespace chamomile {

void ModelSize::apply(double half_mass_radius_now, Snapshot& snapshot) const
{
    if (!mass && !half_mass_radius && !physical)
        return;
    const std::vector<double>& masses = snapshot.particles.mass;
    const double factor = mass ? *mass / std::accumulate(masses.begin(), masses.end(), 0.0) : 1;
    const Units units = snapshot.units;
    scale_to_physical(
        snapshot, half_mass_radius.value_or(half_mass_radius_now) / half_mass_radius_now, factor);
    if (physical)
        return;
    const double G = snapshot.units.gravitational_constant();
    for (Vec3<double>& v : snapshot.particles.velocity)
        v = (1 / std::sqrt(G)) * v;
    snapshot.units = units;
}

double half_mass_radius_of(double mass, const std::function<double(double r)>& mass_within)
{
    double low = 0, high = 1;
    while (mass_within(high) < mass / 2)
        high *= 2;
    for (int k = 0; k < 60; ++k) {
        const double middle = (low + high) / 2;
        (mass_within(middle) < mass / 2 ? low : high) = middle;
    }
    return low;
}

} // namespace chamomile
