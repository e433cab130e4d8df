#include "tree/groups.hpp"

#include <algorithm>
#include <string>

#include "core/error.hpp"
#include "core/threads.hpp"

namespace chamomile {
namespace {

/// The sorted places of the active particles, ascending.
void find_targets(TargetGroups& groups, const Octree& octree, std::span<const Index> active)
{
    groups.targets.clear();
    groups.target_count = octree.size;
    if (active.empty())
        return;
    std::vector<char> is_active(octree.order.size());
    for (Index i : active) {
        if (i >= is_active.size())
            throw Error(Fault::input, "active particles: index: " + std::to_string(i) +
                                          ": must be below " + std::to_string(is_active.size()));
        is_active[i] = 1;
    }
    for (std::size_t k = 0; k < octree.order.size(); ++k)
        if (is_active[octree.order[k]])
            groups.targets.push_back(Index(k));
    groups.target_count = groups.targets.size();
}

/// Cuts the sorted order into groups, one cell after the other.
class GroupCutter {
public:
    GroupCutter(TargetGroups& groups, const Octree& octree, const Moments& moments,
                Index group_size)
        : groups_(groups), octree_(octree), moments_(moments), group_size_(group_size)
    {}

    void cut_cell(Index c)
    {
        const Range targets = targets_of(c);
        if (targets.count() <= group_size_)
            add(targets, moments_.bounds[c]);
        else if (octree_.is_leaf(c))
            divide(targets, moments_.bounds[c]);
        else
            cut_block(c, 0, 8);
    }

private:
    struct Range {
        Index begin, end;
        Index count() const { return end - begin; }
    };

    /// The daughters of a cell in octants first .. last: one group if they fit, else halves. A
    /// block halved along x, then y, then z is a box that no other sister reaches into.
    void cut_block(Index mother, Index first, Index last)
    {
        Range joint{0, 0};
        Box box;
        double smallest_side = Box::infinity;
        Index daughter = 0;
        for (Index d = mother + 1; d < octree_.cells[mother].next; d = octree_.cells[d].next) {
            const Index octant = octree_.cells[d].octant;
            const Range targets = targets_of(d);
            if (octant < first || octant >= last || targets.count() == 0)
                continue;
            joint = {joint.count() == 0 ? targets.begin : joint.begin, targets.end};
            box.add(moments_.bounds[d]);
            if (targets.count() > 1)
                smallest_side = std::min(smallest_side, moments_.bounds[d].longest_side());
            daughter = d;
        }
        if (joint.count() == 0)
            return;
        // None may be so small in the group that coordinates about its centre would blur it.
        const bool sharp = box.longest_side() <= 8 * smallest_side;
        if (joint.count() <= group_size_ && sharp) {
            add(joint, box);
        } else if (last - first == 1) {
            cut_cell(daughter);
        } else {
            const Index middle = (first + last) / 2;
            cut_block(mother, first, middle);
            cut_block(mother, middle, last);
        }
    }

    void add(Range targets, const Box& box)
    {
        if (targets.count() > 0)
            groups_.groups.push_back({targets.begin, targets.end, {}, box});
    }

    /// Coincident particles, more than a group holds, in parts as even as can be.
    void divide(Range targets, const Box& box)
    {
        const Index parts = (targets.count() + group_size_ - 1) / group_size_;
        const auto cut = [&](Index part) {
            return targets.begin + Index(std::uint64_t(targets.count()) * part / parts);
        };
        for (Index p = 0; p < parts; ++p)
            add({cut(p), cut(p + 1)}, box);
    }

    Range targets_of(Index c) const
    {
        const Cell& cell = octree_.cells[c];
        return {targets_before(cell.begin), targets_before(cell.begin + cell.count)};
    }

    /// Number of targets among the sorted particles before k.
    Index targets_before(Index k) const
    {
        if (groups_.targets.empty())
            return k;
        return Index(std::lower_bound(groups_.targets.begin(), groups_.targets.end(), k) -
                     groups_.targets.begin());
    }

    TargetGroups& groups_;
    const Octree& octree_;
    const Moments& moments_;
    Index group_size_;
};

} // namespace

void make_groups(TargetGroups& groups, const Octree& octree, const Moments& moments,
                 std::span<const Index> active, int group_size)
{
    find_targets(groups, octree, active);
    groups.groups.clear();
    if (!octree.cells.empty())
        GroupCutter(groups, octree, moments, Index(group_size)).cut_cell(0);
#pragma omp parallel for if (groups.target_count > worth_threads)
    for (std::size_t g = 0; g < groups.groups.size(); ++g) {
        Group& group = groups.groups[g];
        if (!groups.targets.empty()) { // the cells hold others too
            group.box = {};
            for (Index t = group.begin; t < group.end; ++t)
                group.box.add(octree.sources[groups.targets[t]].position);
        }
        group.center = group.box.center();
    }
}

} // namespace chamomile
