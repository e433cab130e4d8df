#include "integrate/leapfrog.hpp"

#include "core/threads.hpp"

namespace chamomile {

void kick(Particles& particles, double dt)
{
#pragma omp parallel for if (particles.size() > worth_threads) schedule(static)
    for (std::size_t i = 0; i < particles.size(); ++i)
        particles.velocity[i] += dt * particles.acceleration[i];
}

void drift(Particles& particles, double dt)
{
#pragma omp parallel for if (particles.size() > worth_threads) schedule(static)
    for (std::size_t i = 0; i < particles.size(); ++i)
        particles.position[i] += dt * particles.velocity[i];
}

} // namespace chamomile
