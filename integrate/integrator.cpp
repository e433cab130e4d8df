#include "chamomile/integrate/integrator.hpp"

#include <algorithm>
#include <cmath>

#include "chamomile/core/error.hpp"
#include "chamomile/core/files/archive.hpp"
#include "chamomile/core/threads.hpp"

namespace chamomile {

void require_finite(const Particles& particles, std::span<const Vec3<double>> values,
                    const char* what, Moment now, std::size_t first)
{
    const auto is_finite = [](const Vec3<double>& value) {
        return std::isfinite(value.x) && std::isfinite(value.y) && std::isfinite(value.z);
    };
    const std::size_t n = values.size();
    std::size_t found = n;
#pragma omp parallel for if (n > worth_threads) schedule(static) reduction(min : found)
    for (std::size_t i = 0; i < n; ++i)
        if (!is_finite(values[i]))
            found = std::min(found, i);
    if (found < n)
        throw Error(Fault::numeric, "particle id " + std::to_string(particles.id[first + found]) +
                                        ": " + what + ": is no longer a finite number in step " +
                                        std::to_string(now.step) +
                                        ", t = " + std::to_string(now.time) +
                                        "; try a shorter step or more softening");
}

} // namespace chamomile
