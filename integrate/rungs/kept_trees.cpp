#include "chamomile/integrate/rungs/kept_trees.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "chamomile/core/error.hpp"
#include "chamomile/core/files/archive.hpp"

namespace chamomile {

bool KeptTrees::keeps(int rung, double now) const
{
    const auto found = rungs_.find(rung);
    if (!has_tree_ || found == rungs_.end() || found->second.pairs == 0)
        return false;
    const Rung& r = found->second;
    return r.kept_in_row < renewal && (now - built_at_ <= r.longest || r.built_in_row >= r.wait);
}

void KeptTrees::note(int rung, double now, const ForceStatistics& statistics,
                     std::uint64_t particles)
{
    if (statistics.targets == 0 || particles == 0)
        return;
    Rung& r = rungs_[rung];
    const double targets = double(statistics.targets),
                 pairs = double(statistics.particle_particle + statistics.particle_cell) / targets;
    if (!statistics.kept_tree) {
        r.pairs = pairs;
        r.kept_in_row = 0;
        ++r.built_in_row;
        built_at_ = now;
        has_tree_ = true;
        return;
    }
    ++r.kept_in_row;
    r.built_in_row = 0;
    const double added = (pairs - r.pairs) * targets / double(particles), age = now - built_at_;
    if (added > build_cost_) {
        r.longest = std::min(r.longest, age / 2);
        r.wait = std::min(2 * r.wait, max_wait);
        return;
    }
    // Cells that grow in all three directions have eight times as many neighbors at twice the age.
    r.longest =
        std::max(r.longest, age * std::cbrt(build_cost_ / std::max(added, build_cost_ / 8)));
    r.wait = min_wait;
}

void KeptTrees::exchange(Archive& archive)
{
    std::vector<std::int32_t> rungs;
    std::vector<double> pairs, longest;
    std::vector<std::uint64_t> kept, built, wait;
    for (const auto& [rung, r] : rungs_) {
        rungs.push_back(rung);
        pairs.push_back(r.pairs);
        longest.push_back(r.longest);
        kept.push_back(r.kept_in_row);
        built.push_back(r.built_in_row);
        wait.push_back(r.wait);
    }
    archive("kept_trees/rungs", rungs);
    archive("kept_trees/pairs", pairs);
    archive("kept_trees/longest", longest);
    archive("kept_trees/kept", kept);
    archive("kept_trees/built", built);
    archive("kept_trees/wait", wait);
    const std::size_t n = rungs.size();
    for (const std::size_t size :
         {pairs.size(), longest.size(), kept.size(), built.size(), wait.size()})
        if (size != n)
            throw Error(Fault::restart, "kept trees: arrays of different lengths");
    if (!archive.is_reading())
        return;
    rungs_.clear();
    for (std::size_t k = 0; k < n; ++k)
        rungs_[rungs[k]] = {pairs[k], longest[k], kept[k], built[k], wait[k]};
}

} // namespace chamomile
