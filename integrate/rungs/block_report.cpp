#include "chamomile/integrate/rungs/block_report.hpp"

#include <vector>

#include "chamomile/core/error.hpp"
#include "chamomile/core/files/archive.hpp"

namespace chamomile {

void exchange(Archive& archive, BlockReport& report)
{
    archive("blocks/below_shortest", report.below_shortest);
    archive("blocks/deepest", report.deepest);
    std::vector<std::int32_t> exponents;
    std::vector<std::uint64_t> particle_steps, evaluations, targets;
    std::vector<double> particle_time;
    for (const auto& [exponent, rung] : report.rungs) {
        exponents.push_back(exponent);
        particle_steps.push_back(rung.particle_steps);
        particle_time.push_back(rung.particle_time);
        evaluations.push_back(rung.evaluations);
        targets.push_back(rung.targets);
    }
    archive("blocks/rungs", exponents);
    archive("blocks/particle_steps", particle_steps);
    archive("blocks/particle_time", particle_time);
    archive("blocks/evaluations", evaluations);
    archive("blocks/targets", targets);
    const std::size_t n = exponents.size();
    if (particle_steps.size() != n || particle_time.size() != n || evaluations.size() != n ||
        targets.size() != n)
        throw Error(Fault::restart, "blocks: arrays of different lengths");
    if (!archive.is_reading())
        return;
    report.rungs.clear();
    for (std::size_t k = 0; k < n; ++k) {
        BlockReport::Rung& rung = report.rungs[exponents[k]];
        rung.particle_steps = particle_steps[k];
        rung.particle_time = particle_time[k];
        rung.evaluations = evaluations[k];
        rung.targets = targets[k];
    }
}

} // namespace chamomile
