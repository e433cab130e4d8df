#include "chamomile/force/lists/group_partition.hpp"

#include <algorithm>

namespace chamomile {

void keep_part(TargetGroups& groups, int part, int parts)
{
    const auto first_group = [&](int k) {
        const std::uint64_t target =
            std::uint64_t(groups.target_count) * std::uint64_t(k) / std::uint64_t(parts);
        const auto at = std::partition_point(groups.groups.begin(), groups.groups.end(),
                                             [&](const Group& g) { return g.begin < target; });
        return Index(at - groups.groups.begin());
    };
    const auto first_target = [&](Index group) {
        return group < groups.groups.size() ? groups.groups[group].begin
                                            : Index(groups.target_count);
    };
    const Index first = first_group(part), last = first_group(part + 1);
    const Index begin = first_target(first), end = first_target(last);
    std::vector<Index> kept;
    for (Index t = begin; t < end; ++t)
        kept.push_back(groups.target(t));
    const auto keep_run = [](auto& all, std::size_t from, std::size_t to) {
        if (!all.empty())
            all = {all.begin() + std::ptrdiff_t(from), all.begin() + std::ptrdiff_t(to)};
    };
    std::size_t first_cluster = 0, last_cluster = groups.clusters.size();
    while (first_cluster < last_cluster && groups.clusters[first_cluster].last_group <= first)
        ++first_cluster;
    while (last_cluster > first_cluster && groups.clusters[last_cluster - 1].first_group >= last)
        --last_cluster;
    keep_run(groups.groups, first, last);
    keep_run(groups.group_softening, first, last);
    keep_run(groups.clusters, first_cluster, last_cluster);
    keep_run(groups.cluster_softening, first_cluster, last_cluster);
    for (Group& group : groups.groups) {
        group.begin -= begin;
        group.end -= begin;
    }
    for (Cluster& cluster : groups.clusters) {
        cluster.first_group = std::max(cluster.first_group, first) - first;
        cluster.last_group = std::min(cluster.last_group, last) - first;
    }
    groups.found = std::move(kept);
    groups.take(groups.found);
}

} // namespace chamomile
