#include "chamomile/run/force_cost.hpp"

#include <algorithm>

#include "chamomile/core/text/table.hpp"

namespace chamomile {

ForceCost::ForceCost(const ForceStatistics& s, double evaluations)
{
    const double targets = double(std::max<std::uint64_t>(s.targets, 1));
    pairs = (double(s.particle_particle) + double(s.particle_cell)) / evaluations;
    particles = double(s.particle_particle) / targets;
    cells = double(s.particle_cell) / targets;
    far_cells = double(s.expansions) / targets;
    if (s.bytes_to_device + s.bytes_from_device > 0) {
        megabytes_up = 1e-6 * double(s.bytes_to_device) / evaluations;
        megabytes_down = 1e-6 * double(s.bytes_from_device) / evaluations;
    }
    if (!(s.device_span > 0))
        return;
    device_busy = s.device_busy / s.device_span;
    // Kernels after the last list ran while the host waited; earlier kernels overlapped the walk.
    if (const double walk = s.profile.seconds("walk"); walk > 0)
        overlap = std::clamp((s.device_busy - s.device_wait) / walk, 0.0, 1.0);
}

std::string ForceCost::text() const
{
    std::string text = formatted("%.3g particles + %.3g cells + %.2g far cells per particle",
                                 particles, cells, far_cells);
    if (device_busy)
        text += formatted("; GPU busy %.0f %% from first to last kernel", 100 * *device_busy);
    if (overlap)
        text += formatted(", and %.0f %% of the walk", 100 * *overlap);
    if (megabytes_up)
        text += formatted("; %.3g MB up, %.3g MB down", *megabytes_up, *megabytes_down);
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

const std::vector<std::string> device_headings = {"GPU busy %",     "walk overlapped %",
                                                  "GPU kernels ms", "GPU first to last ms",
                                                  "GPU wait ms",    "MB up",
                                                  "MB down"};

std::vector<std::string> device_words(const ForceStatistics& s, const char* absent)
{
    const ForceCost cost(s);
    const auto word = [&](const char* format, const std::optional<double>& value, double unit) {
        return value ? formatted(format, *value / unit) : std::string(absent);
    };
    const auto seconds = [&](double value) {
        return word("%.3f", s.device_span > 0 ? std::optional(value) : std::nullopt, 1e-3);
    };
    return {word("%.1f", cost.device_busy, 0.01),
            word("%.1f", cost.overlap, 0.01),
            seconds(s.device_busy),
            seconds(s.device_span),
            seconds(s.device_wait),
            word("%.6g", cost.megabytes_up, 1),
            word("%.6g", cost.megabytes_down, 1)};
}

} // namespace chamomile
