#include "chamomile/tree/octree.hpp"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cstring>

#include <omp.h>

#include "chamomile/core/error.hpp"
#include "chamomile/core/interruption.hpp"
#include "chamomile/core/resize_discarding.hpp"
#include "chamomile/core/threads.hpp"
#include "chamomile/tree/radix_sort.hpp"

namespace chamomile {
namespace {

/// Particles in a leaf below this size count as coincident.
constexpr double smallest_extent = 1e-280;

/// Divides ranges of sorted particles into cells.
class Divider {
public:
    Divider(Octree& octree, std::span<const Vec3<double>> positions, Index leaf_size,
            std::span<const GlobalIndex> number = {})
        : octree_(octree), positions_(positions), leaf_size_(leaf_size), number_(number)
    {}

    /// Appends the cell begin .. end and all cells below it; `next` counts within `cells`.
    void append(std::vector<Cell>& cells, Index begin, Index end, Index octant)
    {
        assert(begin < end && octant < 8);
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
        return end - begin > leaf_size_ &&
               (min_level(begin, end) < key_levels || refine_keys(begin, end));
    }

    /// Calls visit(from, to, octant) for each occupied octant in the smallest cell around the
    /// range.
    template <class Visit>
    void for_each_daughter(Index begin, Index end, Visit visit)
    {
        const Boundaries& between = octree_.boundaries;
        const std::uint8_t level = min_level(begin, end);
        Index from = begin;
        Index cut = next_at_level(level, begin, end);
        Index octant = between.octants[cut] >> 3;
        for (; cut + 1 < end; cut = next_at_level(level, from, end)) {
            assert(octant == between.octants[cut] >> 3 && octant < (between.octants[cut] & 7u));
            visit(from, cut + 1, octant);
            octant = between.octants[cut] & 7;
            from = cut + 1;
        }
        visit(from, end, octant);
    }

private:
    /// Returns the lowest level among the boundaries within begin .. end.
    std::uint8_t min_level(Index begin, Index end) const
    {
        const Boundaries& between = octree_.boundaries;
        constexpr Index block = Index(Boundaries::block);
        const Index last = end - 1; // boundaries begin .. last
        const Index whole_begin = (begin + block - 1) / block, whole_end = last / block;
        if (whole_begin >= whole_end)
            return min(between.level, begin, last);
        return std::min({min(between.level, begin, whole_begin * block),
                         min(between.block_min, whole_begin, whole_end),
                         min(between.level, whole_end * block, last)});
    }

    static std::uint8_t min(const std::pmr::vector<std::uint8_t>& levels, Index begin, Index end)
    {
        std::uint8_t min = key_levels;
        for (Index k = begin; k < end; ++k)
            min = std::min(min, levels[k]);
        return min;
    }

    /// Returns the first boundary with this level at or after `from`, or end - 1 if none is before
    /// it.
    Index next_at_level(std::uint8_t level, Index from, Index end) const
    {
        const Boundaries& between = octree_.boundaries;
        constexpr Index block = Index(Boundaries::block);
        const Index last = end - 1;
        while (from < last) {
            if (from % block == 0) { // skips blocks without such a boundary
                while (from + block <= last && between.block_min[from / block] > level)
                    from += block;
            }
            const Index stop = std::min(last, (from / block + 1) * block);
            const void* found =
                std::memchr(between.level.data() + from, level, std::size_t(stop - from));
            if (found)
                return Index(static_cast<const std::uint8_t*>(found) - between.level.data());
            from = stop;
        }
        return last;
    }

    /// Sorts particles that share a key by finer keys, within the cube around them. Returns false
    /// if they coincide.
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
        std::vector<Key> keys;
        keys.reserve(end - begin);
        for (Index k = begin; k < end; ++k)
            keys.push_back(morton_key(positions_[octree_.order[k]], cube));
        RadixScratch scratch;
        radix_sort(keys, std::span(octree_.order.data() + begin, end - begin), scratch, number_);
        Boundaries& between = octree_.boundaries;
        for (Index k = begin; k + 1 < end; ++k) {
            const Boundary b = boundary_between(keys[k - begin], keys[k + 1 - begin]);
            between.level[k] = b.level;
            between.octants[k] = b.octants;
            // A block may overlap a range that another thread refines.
            std::atomic_ref<std::uint8_t> min(between.block_min[k / Boundaries::block]);
            if (b.level < min.load(std::memory_order_relaxed))
                min.store(b.level, std::memory_order_relaxed);
        }
        return true;
    }

    Octree& octree_;
    std::span<const Vec3<double>> positions_;
    Index leaf_size_;
    std::span<const GlobalIndex> number_; // orders coincident particles; empty: they keep order
};

/// Builds the top of the tree first, down to subtrees small enough to share among threads, then the
/// subtrees, and joins them in depth-first order.
class ParallelBuild {
public:
    ParallelBuild(Octree& octree, Divider& divider) : octree_(octree), divider_(divider) {}

    void run(Index n)
    {
        // The split of the work affects speed only, not the cells.
        subtree_size_ = std::max<Index>(1024, n / Index(16 * omp_get_max_threads()));
        append_top(0, n, 0);
        if (octree_.scratch.size() < subtrees_.size())
            octree_.scratch.resize(subtrees_.size());
        for (auto& cells : octree_.scratch)
            cells.clear();
#pragma omp parallel for if (octree_.size > worth_threads) schedule(dynamic, 1)
        for (std::size_t s = 0; s < subtrees_.size(); ++s) {
            // The vector is built apart from its neighbors, which share a cache line.
            std::vector<Cell> cells = std::move(octree_.scratch[s]);
            divider_.append(cells, subtrees_[s].begin, subtrees_[s].end, subtrees_[s].octant);
            octree_.scratch[s] = std::move(cells);
        }
        join();
    }

private:
    struct Subtree {
        Index begin, end, octant;
        std::size_t top_cell; // index of the subtree's root among the top cells
    };

    void append_top(Index begin, Index end, Index octant)
    {
        const std::size_t self = top_.size();
        top_.push_back({begin, end - begin, 0, octant});
        if (end - begin <= subtree_size_)
            subtrees_.push_back({begin, end, octant, self});
        else if (divider_.is_divisible(begin, end))
            divider_.for_each_daughter(begin, end, [&](Index from, Index to, Index daughter) {
                append_top(from, to, daughter);
            });
        top_[self].next = Index(top_.size());
    }

    void join()
    {
        // Each top cell moves back by the cells of earlier subtrees below their roots.
        std::vector<Index> place(top_.size() + 1);
        Index pushed = 0;
        std::size_t s = 0;
        for (std::size_t k = 0; k < top_.size(); ++k) {
            place[k] = Index(k) + pushed;
            if (s < subtrees_.size() && subtrees_[s].top_cell == k)
                pushed += Index(octree_.scratch[s++].size()) - 1;
        }
        assert(s == subtrees_.size());
        place[top_.size()] = Index(top_.size()) + pushed;

        resize_discarding(octree_.cells, place[top_.size()]);
        for (std::size_t k = 0; k < top_.size(); ++k)
            octree_.cells[place[k]] = {top_[k].begin, top_[k].count, place[top_[k].next],
                                       top_[k].octant};
        std::size_t divided = 0;
        for (std::size_t k = 0; k < top_.size(); ++k)
            divided += top_[k].next > k + 1;
#pragma omp parallel for if (octree_.size > worth_threads) schedule(dynamic, 1) reduction(+ : divided)
        for (std::size_t t = 0; t < subtrees_.size(); ++t) {
            const Index root = place[subtrees_[t].top_cell];
            assert(octree_.scratch[t][0].next == octree_.scratch[t].size());
            for (std::size_t k = 0; k < octree_.scratch[t].size(); ++k) {
                Cell cell = octree_.scratch[t][k];
                divided += cell.next > k + 1;
                cell.next += root;
                octree_.cells[root + k] = cell;
            }
        }
        octree_.divided = divided;
    }

    Octree& octree_;
    Divider& divider_;
    Index subtree_size_ = 0;
    std::vector<Cell> top_;
    std::vector<Subtree> subtrees_;
};

} // namespace

void divide_into_cells(Octree& octree, std::span<const Vec3<double>> positions, int leaf_size)
{
    if (octree.size == 0) {
        octree.cells.clear();
        octree.divided = 0;
        return;
    }
    Divider divider(octree, positions, Index(leaf_size));
    ParallelBuild(octree, divider).run(Index(octree.size));
    assert(octree.cells[0].count == octree.size && octree.cells[0].next == octree.cells.size());
}

void append_cells(std::vector<Cell>& cells, Octree& octree, const Cell& whole,
                  std::span<const Vec3<double>> positions, int leaf_size,
                  std::span<const GlobalIndex> number)
{
    Divider(octree, positions, Index(leaf_size), number)
        .append(cells, whole.begin, whole.begin + whole.count, whole.octant);
}

void gather_sources(Octree& octree, std::span<const Vec3<double>> positions,
                    std::span<const double> masses)
{
    constexpr std::size_t ahead = 32; // enough to keep several cache lines under way
    const std::size_t n = positions.size();
    assert(masses.size() == n && octree.order.size() == n);
    resize_discarding(octree.sources, n);
#pragma omp parallel for if (n > worth_threads)
    for (std::size_t k = 0; k < n; ++k) {
        const Index soon = octree.order[std::min(k + ahead, n - 1)];
        __builtin_prefetch(&positions[soon].x);
        __builtin_prefetch(&positions[soon].z);
        __builtin_prefetch(&masses[soon]);
        octree.sources[k] = {positions[octree.order[k]], masses[octree.order[k]]};
    }
}

void check_number(std::size_t n)
{
    if (n > largest_number)
        throw Error(Fault::input, "particles: number: " + std::to_string(n) + ": must be at most " +
                                      std::to_string(largest_number));
}

void build_octree(Octree& octree, std::span<const Vec3<double>> positions,
                  std::span<const double> masses, const OctreePlan& plan, KeySorter& sorter)
{
    check_number(positions.size());
    octree.size = positions.size();
    sorter.sort(positions, placed(bounding_cube(positions, plan.word), plan.placement),
                octree.boundaries, octree.order);
    look_for_interruption();
    divide_into_cells(octree, positions, plan.leaf_size);
    look_for_interruption();
    gather_sources(octree, positions, masses);
}

} // namespace chamomile
