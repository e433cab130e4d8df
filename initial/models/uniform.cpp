#include "chamomile/initial/models/uniform.hpp"

#include <cmath>
#include <numbers>

#include "chamomile/core/parallel_loop.hpp"
#include "chamomile/core/random.hpp"
#include "chamomile/initial/models/model.hpp"
#include "chamomile/initial/models/self_energy.hpp"

namespace chamomile {

Snapshot make_cold_sphere(const UniformOptions& options)
{
    Snapshot snapshot = equal_mass_snapshot(options.particles, 1, halo_type);
    snapshot.provenance = {{"model", "cold-sphere"}, {"seed", std::to_string(options.seed)}};
    Particles& particles = snapshot.particles;
    parallel_loop(particles.size(), 1024, [&](std::size_t i) {
        RandomStream random(options.seed, halo_type, i);
        const double radius = std::cbrt(random.uniform());
        particles.position[i] = random.direction(radius);
    });
    move_to_barycenter(particles);
    options.size.apply(std::cbrt(0.5), snapshot);
    return snapshot;
}

Snapshot make_cube(const UniformOptions& options)
{
    Snapshot snapshot = equal_mass_snapshot(options.particles, 1, halo_type);
    snapshot.provenance = {{"model", "cube"}, {"seed", std::to_string(options.seed)}};
    Particles& particles = snapshot.particles;
    parallel_loop(particles.size(), 1024, [&](std::size_t i) {
        RandomStream random(options.seed, halo_type, i);
        const double x = random.uniform() - 0.5, y = random.uniform() - 0.5;
        particles.position[i] = {x, y, random.uniform() - 0.5};
    });
    options.size.apply(std::cbrt(3 / (8 * std::numbers::pi)), snapshot); // within the faces
    return snapshot;
}

} // namespace chamomile
