#include "chamomile/core/moving_point.hpp"

#include "chamomile/core/threads.hpp"

namespace chamomile {

void gather_points(const Particles& particles, std::span<const GlobalIndex> which,
                   std::span<PhasePoint> into)
{
#pragma omp parallel for schedule(static) if (which.size() > worth_threads)
    for (std::size_t k = 0; k < which.size(); ++k)
        into[k] = {particles.position[which[k]], particles.velocity[which[k]]};
}

} // namespace chamomile
