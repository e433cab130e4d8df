#include "chamomile/tree/domain/coarse_tree.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <numeric>
#include <string>

#include "chamomile/core/ranks/agreement.hpp"
#include "chamomile/core/resize_discarding.hpp"
#include "chamomile/core/threads.hpp"

namespace chamomile {
namespace {

/// A cell of the global tree.
struct CoarseCell {
    KeyRange keys;
    std::uint64_t count = 0;
    Index octant = 0; // of its mother
    std::array<Index, 8> daughters{};
    int daughter_count = 0;
};

/// Divides cells level by level, by counts over all ranks.
class Refinement {
public:
    Refinement(const CountOctants& count, std::uint64_t max, Communicator& communicator)
        : count_(count), max_(max), communicator_(communicator)
    {}

    /// Counts the rows of all ranks in each cell's octants, in one reduction.
    void count(const std::vector<KeyRange>& cells)
    {
        if (cells.empty())
            return;
        std::vector<OctantCounts> counts(cells.size());
        count_(cells, counts);
        communicator_.sum(std::span(&counts[0][0], 8 * counts.size()));
        for (std::size_t k = 0; k < cells.size(); ++k)
            counts_.emplace(cells[k], counts[k]);
    }

    std::vector<CoarseCell> run(std::uint64_t all)
    {
        if (all == 0)
            return {};
        cells_.emplace_back().count = all;
        std::vector<Index> open{0};
        while (true) {
            std::erase_if(open, [&](Index c) {
                return cells_[c].count <= max_ || cells_[c].keys.level == key_levels;
            });
            if (open.empty())
                return std::move(cells_);
            open = divide(open);
        }
    }

    std::vector<KeyRange> divided() const { return divided_; }

private:
    /// Divides these cells. Returns their daughters, candidates for the next division.
    std::vector<Index> divide(const std::vector<Index>& open)
    {
        std::vector<KeyRange> unknown;
        for (const Index c : open) {
            divided_.push_back(cells_[c].keys);
            if (!counts_.contains(cells_[c].keys))
                unknown.push_back(cells_[c].keys);
        }
        count(unknown);
        std::vector<Index> next;
        for (const Index c : open)
            add_daughters(c, counts_.at(cells_[c].keys), next);
        return next;
    }

    /// Adds the occupied octants as daughters. A single occupied octant replaces the cell instead.
    void add_daughters(Index c, const OctantCounts& counts, std::vector<Index>& next)
    {
        const Key width = cells_[c].keys.width() / 8;
        const auto occupied = std::count_if(counts.begin(), counts.end(), [](auto n) { return n; });
        for (Index octant = 0; octant < 8; ++octant) {
            if (counts[octant] == 0)
                continue;
            const Key first = cells_[c].keys.first + octant * width;
            if (occupied == 1) {
                cells_[c].keys = {first, cells_[c].keys.level + 1};
                next.push_back(c);
                return;
            }
            CoarseCell& mother = cells_[c];
            mother.daughters[std::size_t(mother.daughter_count++)] = Index(cells_.size());
            next.push_back(Index(cells_.size()));
            cells_.push_back({{first, mother.keys.level + 1}, counts[octant], octant, {}, 0});
        }
    }

    const CountOctants& count_;
    std::uint64_t max_;
    Communicator& communicator_;
    std::vector<CoarseCell> cells_;
    std::vector<KeyRange> divided_;
    std::map<KeyRange, OctantCounts> counts_;
};

/// Appends a cell and its subtree in depth-first order.
void append(CoarseTree& tree, const std::vector<CoarseCell>& cells, Index c)
{
    const CoarseCell& cell = cells[c];
    const std::size_t self = tree.octree.cells.size();
    tree.octree.cells.push_back({absent_particles,
                                 Index(std::min<std::uint64_t>(cell.count, largest_number)), 0,
                                 cell.octant});
    tree.leaves_before.push_back(Index(tree.leaves.size()));
    if (cell.daughter_count == 0) {
        tree.leaves.push_back(Index(self));
        tree.first.push_back(cell.keys.first);
        tree.particles_before.push_back(tree.particles_before.back() + cell.count);
    } else {
        ++tree.octree.divided;
    }
    for (int d = 0; d < cell.daughter_count; ++d)
        append(tree, cells, cell.daughters[std::size_t(d)]);
    tree.octree.cells[self].next = Index(tree.octree.cells.size());
}

} // namespace

RowsSeen RowsSeen::of(const Rows& rows)
{
    const std::size_t n = rows.size();
    RowsSeen seen{{}, n, n, n};
#pragma omp parallel if (n > worth_threads)
    {
        Box own;
        std::size_t position = n, mass = n;
#pragma omp for schedule(static) nowait
        for (std::size_t i = 0; i < n; ++i) {
            const Vec3<double>& x = rows.position[i];
            if (!std::isfinite(x.x) || !std::isfinite(x.y) || !std::isfinite(x.z))
                position = std::min(position, i);
            if (!(rows.mass[i] >= 0 && std::isfinite(rows.mass[i])))
                mass = std::min(mass, i);
            own.add(x);
        }
#pragma omp critical(rows_seen)
        {
            seen.box.add(own);
            seen.bad_position = std::min<std::uint64_t>(seen.bad_position, position);
            seen.bad_mass = std::min<std::uint64_t>(seen.bad_mass, mass);
        }
    }
    if (seen.bad_mass < n)
        seen.mass = rows.mass[seen.bad_mass];
    return seen;
}

CommonCube common_cube(const RowsSeen& rows, const char* word, Communicator& communicator)
{
    Box all;
    CommonCube common;
    int rank = 0;
    // Errors name the first bad row by its number among the rows of all ranks.
    for (const RowsSeen& one : communicator.all_gather(rows)) {
        const auto refuse = [&](std::uint64_t row, const std::string& what) {
            throw CollectiveError(Fault::input,
                                  std::string(word) + " " + item(common.rows + row) + what);
        };
        if (one.bad_position < one.rows)
            refuse(one.bad_position, ": position: must be finite");
        if (one.bad_mass < one.rows)
            refuse(one.bad_mass,
                   ": mass: " + std::to_string(one.mass) + ": must be finite and 0 or more");
        if (rank++ == communicator.rank())
            common.before = common.rows;
        all.add(one.box);
        common.rows += one.rows;
        agreed([&] { check_number(one.rows); });
    }
    if (all.low.x <= all.high.x)
        common.cube = cube_around(all.low, all.high);
    return common;
}

void KeyedRows::sort(const Rows& rows, const RootCube& cube)
{
    resize_discarding(keys, rows.size());
    resize_discarding(order, rows.size());
    compute_keys(rows.position, cube, keys);
#pragma omp parallel for if (rows.size() > worth_threads)
    for (std::size_t k = 0; k < rows.size(); ++k)
        order[k] = Index(k);
    radix_sort(keys, order, scratch);
}

void KeyedRows::count(std::span<const KeyRange> cells, std::span<OctantCounts> counts) const
{
    const auto place = [&](Key key) { return std::lower_bound(keys.begin(), keys.end(), key); };
#pragma omp parallel for if (keys.size() > worth_threads)
    for (std::size_t k = 0; k < cells.size(); ++k) {
        const Key width = cells[k].width() / 8;
        auto from = place(cells[k].first);
        for (Key octant = 0; octant < 8; ++octant) {
            const auto to = place(cells[k].first + (octant + 1) * width);
            counts[k][octant] = std::uint64_t(to - from);
            from = to;
        }
    }
}

std::vector<std::size_t> CoarseTree::begins(const KeyedRows& sorted) const
{
    std::vector<std::size_t> begins;
    for (const Key key : first)
        begins.push_back(std::size_t(std::lower_bound(sorted.keys.begin(), sorted.keys.end(), key) -
                                     sorted.keys.begin()));
    begins.push_back(sorted.keys.size());
    return begins;
}

LeafSums CoarseTree::leaf_sums(const Rows& rows, const KeyedRows& sorted) const
{
    const std::size_t n = leaves.size();
    const std::vector<std::size_t> begin = begins(sorted);
    LeafSums sums{std::vector<Box>(n), std::vector<std::uint64_t>(n),
                  std::vector<std::uint64_t>(n)};
#pragma omp parallel for if (rows.size() > worth_threads) schedule(dynamic, 16)
    for (std::size_t leaf = 0; leaf < n; ++leaf) {
        Box box;
        std::uint64_t work = 0, targets = 0;
        for (std::size_t k = begin[leaf]; k < begin[leaf + 1]; ++k) {
            const Index row = sorted.order[k];
            box.add(rows.position[row]);
            if (rows.has_targets && !rows.is_target[row])
                continue;
            work += rows.work.empty() ? 1 : std::uint64_t(std::ceil(rows.work[row]));
            ++targets;
        }
        sums.box[leaf] = box;
        sums.work[leaf] = work;
        sums.targets[leaf] = targets;
    }
    return sums;
}

void CoarseTree::reduce(LeafSums sums, bool has_targets, Communicator& communicator)
{
    const std::size_t n = leaves.size();
    work = std::move(sums.work);
    // With `high` negated, a single reduction finds low and high.
    for (Box& box : sums.box)
        box.high = -1.0 * box.high;
    static_assert(sizeof(Box) == 6 * sizeof(double));
    communicator.min(std::span(&sums.box.data()->low.x, 6 * n));
    if (has_targets)
        work.insert(work.end(), sums.targets.begin(), sums.targets.end());
    communicator.sum(work);
    if (has_targets)
        sums.targets.assign(work.begin() + std::ptrdiff_t(n), work.end());
    work.resize(n);
    targets_before = particles_before;
    if (has_targets)
        std::inclusive_scan(sums.targets.begin(), sums.targets.end(), targets_before.begin() + 1);
    moments.bounds.resize(octree.cells.size());
    for (std::size_t leaf = 0; leaf < n; ++leaf)
        moments.bounds[leaves[leaf]] = {sums.box[leaf].low, -1.0 * sums.box[leaf].high};
    for (Index c = Index(octree.cells.size()); c-- > 0;)
        for (Index d = c + 1; d < octree.cells[c].next; d = octree.cells[d].next)
            moments.bounds[c].add(moments.bounds[d]);
}

void CoarseTree::gather_moments(const Moments& own, int order, bool per_particle,
                                Communicator& communicator)
{
    const std::size_t n = octree.cells.size();
    std::vector<std::byte> mine;
    const auto put = [&](const auto& values, bool is_used) {
        const auto bytes = std::as_bytes(std::span(values));
        mine.insert(mine.end(), bytes.begin(), is_used ? bytes.end() : bytes.begin());
    };
    put(own.multipole, true);
    put(own.higher, order > 2);
    put(own.softening, per_particle);
    Inbox inbox;
    communicator.gather(mine, Communicator::Sizes::any, inbox);
    moments.multipole.resize(n);
    moments.higher.resize(order > 2 ? n : 0);
    moments.softening.resize(per_particle ? n : 0);
    const std::size_t width = sizeof moments.multipole[0] +
                              (order > 2 ? sizeof moments.higher[0] : 0) +
                              (per_particle ? sizeof moments.softening[0] : 0);
    std::size_t first = 0; // rank r + 1 owns the leaves after the leaves of rank r
    for (int r = 0; r < communicator.size(); ++r) {
        const std::byte* next = inbox.from<std::byte>(r).data();
        const std::size_t count = inbox.from<std::byte>(r).size() / width;
        const auto take = [&](auto& to) {
            for (std::size_t leaf = first; !to.empty() && leaf < first + count; ++leaf) {
                std::memcpy(&to[leaves[leaf]], next, sizeof to[0]);
                next += sizeof to[0];
            }
        };
        take(moments.multipole);
        take(moments.higher);
        take(moments.softening);
        first += count;
    }
    assert(first == leaves.size());
    for (Index c = Index(n); c-- > 0;)
        if (!octree.is_leaf(c))
            compute_moments(moments, octree, order, c, c + 1);
}

CoarseTree CoarseTreeMaker::make(const CountOctants& count, std::uint64_t all, std::uint64_t max,
                                 Communicator& communicator)
{
    CoarseTree tree;
    Refinement refinement(count, max, communicator);
    refinement.count(divided_);
    const std::vector<CoarseCell> cells = refinement.run(all);
    divided_ = refinement.divided();
    if (cells.empty())
        return tree;
    tree.particles_before = {0};
    append(tree, cells, 0);
    tree.leaves_before.push_back(Index(tree.leaves.size()));
    return tree;
}

} // namespace chamomile
