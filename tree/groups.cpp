#include "tree/groups.hpp"

#include <algorithm>
#include <string>

#include "core/error.hpp"

namespace chamomile {
namespace {

/// The sorted places of the active particles, ascending.
void find_targets(TargetGroups& groups, const Octree& octree, std::span<const Index> active)
{
    groups.targets.clear();
    groups.target_count = octree.order.size();
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

    void run()
    {
        for (Index c = 0; c < octree_.cells.size();) {
            while (!mother_ends_.empty() && mother_ends_.back() == c) {
                mother_ends_.pop_back();
                close();
            }
            const Cell& cell = octree_.cells[c];
            const Index begin = targets_before(cell.begin);
            const Index end = targets_before(cell.begin + cell.count);
            if (end - begin <= group_size_) {
                add(begin, end, moments_.bounds[c]);
                c = cell.next;
            } else {
                close();
                if (octree_.is_leaf(c))
                    divide(begin, end, moments_.bounds[c]);
                else
                    mother_ends_.push_back(cell.next);
                ++c;
            }
        }
        close();
    }

private:
    /// Sisters share a group as long as they fit and none of them is so small in it that the
    /// single-precision coordinates about the group's centre would blur it.
    void add(Index begin, Index end, const Box& box)
    {
        if (begin == end)
            return;
        const double side = end - begin > 1 ? box.longest_side() : Box::infinity;
        Box joint = open_.box;
        joint.add(box);
        const bool fits = open_.end - open_.begin + end - begin <= group_size_;
        const bool sharp = joint.longest_side() <= 8 * std::min(side, smallest_side_);
        if (open_.begin == open_.end || !fits || !sharp) {
            close();
            open_ = {begin, end, {}, box};
            smallest_side_ = side;
        } else {
            open_.end = end;
            open_.box = joint;
            smallest_side_ = std::min(side, smallest_side_);
        }
    }

    void close()
    {
        if (open_.begin != open_.end)
            groups_.groups.push_back(open_);
        open_ = {};
    }

    /// Coincident particles, more than a group holds, in parts as even as can be.
    void divide(Index begin, Index end, const Box& box)
    {
        const Index count = end - begin, parts = (count + group_size_ - 1) / group_size_;
        const auto cut = [&](Index part) {
            return begin + Index(std::uint64_t(count) * part / parts);
        };
        for (Index p = 0; p < parts; ++p)
            groups_.groups.push_back({cut(p), cut(p + 1), {}, box});
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
    Group open_{};
    double smallest_side_ = 0;
    std::vector<Index> mother_ends_;
};

} // namespace

void make_groups(TargetGroups& groups, const Octree& octree, const Moments& moments,
                 std::span<const Index> active, int group_size)
{
    find_targets(groups, octree, active);
    groups.groups.clear();
    GroupCutter(groups, octree, moments, Index(group_size)).run();
#pragma omp parallel for
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
