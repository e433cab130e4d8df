#include "chamomile/force/pairs/coincident_sources.hpp"

#include "chamomile/core/error.hpp"
#include "chamomile/core/interruption.hpp"
#include "chamomile/core/parallel_loop.hpp"
#include "chamomile/force/pairs/sources_within.hpp"

namespace chamomile {

FieldCopy copy_of(ListField& lists)
{
    look_for_interruption();
    Particles all = lists.sources().all();
    return {std::move(all.position), {}, std::move(all.mass), std::move(all.softening)};
}

Coincident find_coincident(ListField& lists, const PairTargets& targets)
{
    Coincident at;
    const bool per_particle = lists.has_own_softenings();
    if (lists.softening().length > 0 && !per_particle)
        return at;
    const Octree& octree = lists.sources().octree();
    const Moments& moments = lists.sources().moments();
    const std::vector<double> own = copy_of(lists).softening;
    std::vector<std::vector<Index>> found(targets.self.size());
    parallel_loop(found.size(), 64, [&](std::size_t i) {
        if (per_particle && targets.softening[i] > 0)
            return;
        const double* x = &targets.position[3 * i];
        found[i] = sources_within(octree, moments, {x[0], x[1], x[2]}, 0);
        std::erase_if(found[i], [&](Index j) {
            return j == targets.self[i] || (per_particle && own[j] > 0);
        });
    });
    at.begin.push_back(0);
    for (const std::vector<Index>& row : found) {
        at.sources.insert(at.sources.end(), row.begin(), row.end());
        at.begin.push_back(at.sources.size());
    }
    return at;
}

void refuse_coincident(ListField& lists, const PairTargets& targets)
{
    if (!find_coincident(lists, targets).sources.empty())
        throw Error(Fault::input,
                    "sources: two at the same position: coincident particles need a softening > 0");
}

} // namespace chamomile
