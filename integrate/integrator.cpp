#include "chamomile/integrate/integrator.hpp"

#include <algorithm>
#include <cmath>

#include "chamomile/core/error.hpp"
#include "chamomile/core/files/archive.hpp"
#include "chamomile/core/threads.hpp"

namespace chamomile {

void add(ForceStatistics& total, const ForceStatistics& one)
{
    total.particle_particle += one.particle_particle;
    total.particle_cell += one.particle_cell;
    total.expansions += one.expansions;
    total.bytes_to_device += one.bytes_to_device;
    total.bytes_from_device += one.bytes_from_device;
    total.device_busy += one.device_busy;
    total.device_span += one.device_span;
    total.device_wait += one.device_wait;
    total.targets += one.targets;
    total.groups += one.groups;
    total.cells += one.cells;
    total.cancelling += one.cancelling;
    if (one.ranks) {
        const RankStatistics before = total.ranks.value_or(RankStatistics{});
        total.ranks = RankStatistics{
            .imported_particles = before.imported_particles + one.ranks->imported_particles,
            .imported_cells = before.imported_cells + one.ranks->imported_cells,
            .bytes = before.bytes + one.ranks->bytes,
            .imbalance = std::max(before.imbalance, one.ranks->imbalance),
            .not_finite = before.not_finite + one.ranks->not_finite};
    }
    if (one.cancelling_part)
        total.cancelling_part = one.cancelling_part;
    if (one.measured_error)
        total.measured_error = one.measured_error;
    for (const Profile::Phase& phase : one.profile.phases())
        total.profile.add(phase.name, phase.seconds);
}

void require_finite(const Particles& particles, std::span<const Vec3<double>> values,
                    const char* what, Moment now)
{
    const auto is_finite = [](const Vec3<double>& value) {
        return std::isfinite(value.x) && std::isfinite(value.y) && std::isfinite(value.z);
    };
    const std::size_t n = values.size();
    std::size_t first = n;
#pragma omp parallel for if (n > worth_threads) schedule(static) reduction(min : first)
    for (std::size_t i = 0; i < n; ++i)
        if (!is_finite(values[i]))
            first = std::min(first, i);
    if (first < n)
        throw Error(Fault::numeric, "particle id " + std::to_string(particles.id[first]) + ": " +
                                        what + ": is no longer a finite number in step " +
                                        std::to_string(now.step) +
                                        ", t = " + std::to_string(now.time) +
                                        "; try a shorter step or more softening");
}

} // namespace chamomile
