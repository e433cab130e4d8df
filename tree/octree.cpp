#include "tree/octree.hpp"

#include <algorithm>
#include <bit>

#include <omp.h>

#include "core/error.hpp"
#include "core/threads.hpp"
#include "tree/radix_sort.hpp"

namespace chamomile {
namespace {

/// Below this size of a leaf its particles count as coincident.
constexpr double smallest_extent = 1e-280;

/// Divides ranges of sorted keys into cells.
class Divider {
public:
    Divider(Octree& octree, std::span<const Vec3<double>> positions, Index leaf_size)
        : octree_(octree), positions_(positions), leaf_size_(leaf_size)
    {}

    /// Appends the cell of begin .. end and all below it; `next` counts within `cells`.
    void append(std::vector<Cell>& cells, Index begin, Index end, Index octant)
    {
        const std::size_t self = cells.size();
        cells.push_back({begin, end - begin, 0, octant});
        if (is_divisible(begin, end))
            for_each_daughter(begin, end, [&](Index from, Index to, Index daughter) {
                append(cells, from, to, daughter);
            });
        cells[self].next = Index(cells.size());
    }

    bool is_divisible(Index begin, Index end)
    {
        return end - begin > leaf_size_ && (key(begin) != key(end - 1) || refine_keys(begin, end));
    }

    /// Calls visit(from, to, octant) for each occupied octant of the lowest cell that holds the
    /// range.
    template <class Visit>
    void for_each_daughter(Index begin, Index end, Visit visit)
    {
        const int highest_bit = 63 - std::countl_zero(key(begin) ^ key(end - 1));
        const int shift = highest_bit / 3 * 3;
        for (Index from = begin; from < end;) {
            const Key limit = ((key(from) >> shift) + 1) << shift;
            const Index octant = Index(key(from) >> shift) & 7;
            const Index to = first_at_or_above(limit, from + 1, end);
            visit(from, to, octant);
            from = to;
        }
    }

private:
    Key key(Index k) const { return octree_.keys[k]; }

    /// Gallops, because neighbouring daughters are small more often than not.
    Index first_at_or_above(Key limit, Index begin, Index end) const
    {
        Index step = 1, low = begin;
        while (low + step < end && key(low + step) < limit) {
            low += step;
            step *= 2;
        }
        const auto keys = octree_.keys.begin();
        return Index(std::lower_bound(keys + low, keys + std::min(end, low + step + 1), limit) -
                     keys);
    }

    /// Gives particles that share one key (they are closer than a key of the present cube can
    /// tell) new keys within the cube around them. False if they coincide.
    bool refine_keys(Index begin, Index end)
    {
        if (octree_.order.empty())
            return false;
        Box box;
        for (Index k = begin; k < end; ++k)
            box.add(positions_[octree_.order[k]]);
        if (!(box.longest_side() > smallest_extent))
            return false;
        const RootCube cube{box.low, box.longest_side() * (1 + 1e-12)};
        const std::span keys(octree_.keys.data() + begin, end - begin);
        const std::span order(octree_.order.data() + begin, end - begin);
        for (std::size_t k = 0; k < keys.size(); ++k)
            keys[k] = morton_key(positions_[order[k]], cube);
        RadixScratch scratch;
        radix_sort(keys, order, scratch);
        return true;
    }

    Octree& octree_;
    std::span<const Vec3<double>> positions_;
    Index leaf_size_;
};

/// Builds the top of the tree first, down to subtrees small enough to share among threads, then
/// the subtrees, and joins them in depth-first order.
class ParallelBuild {
public:
    ParallelBuild(Octree& octree, Divider& divider) : octree_(octree), divider_(divider) {}

    void run(Index n)
    {
        // The cells do not depend on how the work is cut, only the speed does.
        subtree_size_ = std::max<Index>(1024, n / Index(32 * omp_get_max_threads()));
        append_top(0, n, 0);
#pragma omp parallel for if (octree_.size > worth_threads) schedule(dynamic, 1)
        for (std::size_t s = 0; s < subtrees_.size(); ++s)
            divider_.append(subtrees_[s].cells, subtrees_[s].begin, subtrees_[s].end,
                            subtrees_[s].octant);
        join();
    }

private:
    struct Subtree {
        Index begin, end, octant;
        std::size_t top_cell; // stands for the subtree's root among the top cells
        std::vector<Cell> cells;
    };

    void append_top(Index begin, Index end, Index octant)
    {
        const std::size_t self = top_.size();
        top_.push_back({begin, end - begin, 0, octant});
        if (end - begin <= subtree_size_)
            subtrees_.push_back({begin, end, octant, self, {}});
        else if (divider_.is_divisible(begin, end))
            divider_.for_each_daughter(begin, end, [&](Index from, Index to, Index daughter) {
                append_top(from, to, daughter);
            });
        top_[self].next = Index(top_.size());
    }

    void join()
    {
        // Where each top cell ends up: its subtrees' cells before it push it back.
        std::vector<Index> place(top_.size() + 1);
        Index pushed = 0;
        std::size_t s = 0;
        for (std::size_t k = 0; k < top_.size(); ++k) {
            place[k] = Index(k) + pushed;
            if (s < subtrees_.size() && subtrees_[s].top_cell == k)
                pushed += Index(subtrees_[s++].cells.size()) - 1;
        }
        place[top_.size()] = Index(top_.size()) + pushed;

        octree_.cells.resize(place[top_.size()]);
        for (std::size_t k = 0; k < top_.size(); ++k)
            octree_.cells[place[k]] = {top_[k].begin, top_[k].count, place[top_[k].next],
                                       top_[k].octant};
#pragma omp parallel for if (octree_.size > worth_threads) schedule(dynamic, 1)
        for (std::size_t t = 0; t < subtrees_.size(); ++t) {
            const Index root = place[subtrees_[t].top_cell];
            for (std::size_t k = 0; k < subtrees_[t].cells.size(); ++k) {
                Cell cell = subtrees_[t].cells[k];
                cell.next += root;
                octree_.cells[root + k] = cell;
            }
        }
    }

    Octree& octree_;
    Divider& divider_;
    Index subtree_size_ = 0;
    std::vector<Cell> top_;
    std::vector<Subtree> subtrees_;
};

void gather_sources(Octree& octree, std::span<const Vec3<double>> positions,
                    std::span<const double> masses)
{
    constexpr std::size_t ahead = 32; // enough to have several cache lines under way
    const std::size_t n = positions.size();
    octree.sources.resize(n);
#pragma omp parallel for if (n > worth_threads)
    for (std::size_t k = 0; k < n; ++k) {
        const Index soon = octree.order[std::min(k + ahead, n - 1)];
        __builtin_prefetch(&positions[soon].x);
        __builtin_prefetch(&positions[soon].z);
        __builtin_prefetch(&masses[soon]);
        octree.sources[k] = {positions[octree.order[k]], masses[octree.order[k]]};
    }
}

} // namespace

void divide_into_cells(Octree& octree, std::span<const Vec3<double>> positions, int leaf_size)
{
    octree.cells.clear();
    if (octree.size == 0)
        return;
    Divider divider(octree, positions, Index(leaf_size));
    ParallelBuild(octree, divider).run(Index(octree.size));
}

void check_number(std::size_t n)
{
    if (n >= 0xffffffffu)
        throw Error(Fault::input,
                    "particles: number: " + std::to_string(n) + ": at most 4294967294 are allowed");
}

void build_octree(Octree& octree, std::span<const Vec3<double>> positions,
                  std::span<const double> masses, int leaf_size, KeySorter& sorter)
{
    check_number(positions.size());
    octree.size = positions.size();
    sorter.sort(positions, bounding_cube(positions), octree.keys, octree.order);
    divide_into_cells(octree, positions, leaf_size);
    gather_sources(octree, positions, masses);
}

} // namespace chamomile
