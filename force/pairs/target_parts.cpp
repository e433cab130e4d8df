#include "chamomile/force/pairs/target_parts.hpp"

#include "chamomile/core/error.hpp"

namespace chamomile {
namespace {

PairTask targets_of(const PairTask& task, std::size_t width, std::size_t begin, std::size_t count)
{
    PairTask part = task;
    part.targets = task.targets.subspan(begin * width, count * width);
    if (!task.self.empty())
        part.self = task.self.subspan(begin, count);
    if (!task.excluded.begin.empty())
        part.excluded.begin = task.excluded.begin.subspan(begin, count + 1);
    return part;
}

void add(PairStatistics& all, const PairStatistics& part)
{
    all.pairs += part.pairs;
    all.targets += part.targets;
    all.sources = part.sources;
    all.groups += part.groups;
    all.device_busy += part.device_busy;
    for (const Profile::Phase& phase : part.profile.phases())
        all.profile.add(phase.name, phase.seconds);
}

} // namespace

PairStatistics TargetParts::sum(const LawShape& shape, const PairTask& task, std::span<double> sums,
                                const Sum& at_once)
{
    const std::size_t width = std::size_t(shape.target), values = std::size_t(shape.sum),
                      targets = task.targets.size() / width;
    if (max_ == 0 || targets <= max_)
        try {
            return at_once(task, sums);
        } catch (const OutOfDeviceMemory&) {
            if (targets < 2 * min)
                throw;
            max_ = (targets + 1) / 2;
        }
    PairStatistics all;
    for (std::size_t begin : {std::size_t(0), (targets + 1) / 2}) {
        const std::size_t count = begin == 0 ? (targets + 1) / 2 : targets / 2;
        add(all, sum(shape, targets_of(task, width, begin, count),
                     sums.subspan(begin * values, count * values), at_once));
    }
    return all;
}

} // namespace chamomile
