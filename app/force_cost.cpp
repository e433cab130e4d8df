#include "app/force_cost.hpp"

#include <algorithm>

#include "app/table.hpp"

namespace chamomile::app {

ForceCost::ForceCost(const ForceStatistics& s, double evaluations)
{
    const double targets = double(std::max<std::uint64_t>(s.targets, 1));
    pairs = (double(s.particle_particle) + double(s.particle_cell)) / evaluations;
    particles = double(s.particle_particle) / targets;
    cells = double(s.particle_cell) / targets;
    far_cells = double(s.expansions) / targets;
    megabytes_up = 1e-6 * double(s.bytes_to_device) / evaluations;
    megabytes_down = 1e-6 * double(s.bytes_from_device) / evaluations;
    if (!(s.device_span > 0))
        return;
    device_busy = s.device_busy / s.device_span;
    // What ran after the last list ran while the host waited; the rest ran beside the walk.
    if (const double walk = s.profile.seconds("walk"); walk > 0)
        overlap = std::clamp((s.device_busy - s.device_wait) / walk, 0.0, 1.0);
}

std::string ForceCost::text() const
{
    std::string text = formatted("%.3g particles + %.3g cells + %.2g far cells per particle",
                                 particles, cells, far_cells);
    if (device_busy)
        text += "; GPU busy " + percent_text(device_busy) + " % between its kernels";
    if (overlap)
        text += ", " + percent_text(overlap) + " % of the walk";
    if (megabytes_up + megabytes_down > 0)
        text += formatted("; %.3g MB up, %.3g MB down", megabytes_up, megabytes_down);
    return text;
}

std::string phases_text(const Profile& profile, double evaluations)
{
    std::string text;
    for (const Profile::Phase& phase : profile.phases())
        text += (text.empty() ? "" : ", ") + phase.name + " " +
                duration_text(phase.seconds / evaluations);
    return text;
}

std::string percent_text(const std::optional<double>& part)
{
    return part ? formatted("%.1f", 100 * *part) : "-";
}

} // namespace chamomile::app
