#include "chamomile/tree/domain/exported_cells.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "chamomile/core/first_exception.hpp"
#include "chamomile/core/resize_discarding.hpp"
#include "chamomile/tree/domain/memory_use.hpp"

namespace chamomile {
namespace {

/// Collects the daughters and particles of all cells, from one leaf down, that regions of a remote
/// rank open. Omits the leaf's own cell, since every rank has the coarse tree.
class CellExporter {
public:
    CellExporter(const LocalCells& local, const OpeningRule& rule,
                 std::span<const ImportRegion> regions, ExportedCells& into)
        : local_(local), rule_(rule), regions_(regions), into_(into)
    {}

    /// Adds the cells below leaf `root`. Returns whether any region opens the leaf.
    bool gather(Index root)
    {
        looking_.resize(regions_.size());
        for (std::size_t r = 0; r < looking_.size(); ++r)
            looking_[r] = Index(r);
        const bool has_particles = find_openings(root, 0);
        if (has_particles)
            add_particles(local_.octree.cells[root]);
        add_daughters(root, regions_.size());
        return has_particles || !into_.cells.empty();
    }

private:
    /// Appends to looking_ the regions in looking_[first ...] that need daughters of cell c.
    /// Returns whether any needs its particles, which only leaves have.
    bool find_openings(Index c, std::size_t first)
    {
        const RemoteOpeningTest opening(rule_, local_.moments.multipole[c].center, local_.reach[c]);
        const std::size_t last = looking_.size();
        if (local_.octree.is_leaf(c)) {
            const auto needs_particles = [&](Index r) { return opening.by(regions_[r]).particles; };
            return std::any_of(looking_.begin() + std::ptrdiff_t(first), looking_.end(),
                               needs_particles);
        }
        for (std::size_t k = first; k < last; ++k)
            if (opening.by(regions_[looking_[k]]).daughters)
                looking_.push_back(looking_[k]);
        return false;
    }

    /// Adds cell c and, if regions in looking_[first ...] open it, its particles or daughters.
    void add(Index c, std::size_t first)
    {
        const Cell& cell = local_.octree.cells[c];
        const Moments& moments = local_.moments;
        const std::size_t last = looking_.size(), self = into_.cells.size();
        const bool has_particles = find_openings(c, first);
        into_.cells.push_back({moments.multipole[c], moments.bounds[c], cell.count, 0, cell.octant,
                               Index(has_particles)});
        if (!moments.higher.empty())
            into_.higher.push_back(moments.higher[c]);
        if (!moments.softening.empty())
            into_.softening.push_back(moments.softening[c]);
        if (has_particles)
            add_particles(cell);
        add_daughters(c, last);
        looking_.resize(last);
        into_.cells[self].next = Index(into_.cells.size() - self);
    }

    /// Adds the daughters of cell c if there are regions in looking_[first ...].
    void add_daughters(Index c, std::size_t first)
    {
        const auto& cells = local_.octree.cells;
        if (looking_.size() > first)
            for (Index d = c + 1; d < cells[c].next; d = cells[d].next)
                add(d, first);
    }

    void add_particles(const Cell& cell)
    {
        const auto add = [&cell](auto& to, const auto& from) {
            const auto of_cell = from.begin() + cell.begin;
            to.insert(to.end(), of_cell, of_cell + cell.count);
        };
        add(into_.particles, local_.octree.sources);
        if (!local_.octree.softening.empty())
            add(into_.particle_softening, local_.octree.softening);
    }

    const LocalCells& local_;
    const OpeningRule& rule_;
    std::span<const ImportRegion> regions_;
    ExportedCells& into_;
    std::vector<Index> looking_; // stack: regions that open each ancestor of the current cell
};

/// Finds the local cells that the regions of a remote rank open, below each leaf.
void find_exports(std::span<const ImportRegion> regions, const ImportRequests& asked,
                  const LocalCells& local, std::vector<ExportedCells>& of_leaf)
{
    const std::size_t n = regions.empty() ? 0 : local.own.roots.size();
    const OpeningRule rule(asked.criterion);
    of_leaf.resize(std::max(of_leaf.size(), n));
    for (ExportedCells& cells : of_leaf)
        ExportedCells::for_each_array(cells, [](int, auto& array) { array.clear(); });
    FirstException failure;
#pragma omp parallel for if (n > 1) schedule(dynamic, 1)
    for (std::size_t k = 0; k < n; ++k)
        failure.run([&] {
            ExportedCells cells = std::move(of_leaf[k]); // apart from its neighbors' cache lines
            if (CellExporter(local, rule, regions, cells).gather(local.own.roots[k]))
                cells.leaves = {{Index(local.own.first_leaf + k), Index(cells.cells.size()),
                                 Index(cells.particles.size())}};
            of_leaf[k] = std::move(cells);
        });
    if (failure.caught())
        failure.rethrow();
}

/// Packs the sizes of the arrays in bytes, then the arrays, into one message.
void pack(std::span<const ExportedCells> of_leaf, UnsetArray<std::byte>& message)
{
    std::array<std::uint64_t, 6> sizes = {}, next;
    for (const ExportedCells& cells : of_leaf)
        ExportedCells::for_each_array(cells, [&](int k, const auto& array) {
            sizes[std::size_t(k)] += std::as_bytes(std::span(array)).size();
        });
    std::exclusive_scan(sizes.begin(), sizes.end(), next.begin(), sizeof sizes);
    resize_discarding(message, next.back() + sizes.back());
    std::ranges::copy(std::as_bytes(std::span(sizes)), message.begin());
    for (const ExportedCells& cells : of_leaf)
        ExportedCells::for_each_array(cells, [&](int k, const auto& array) {
            const auto bytes = std::as_bytes(std::span(array));
            std::ranges::copy(bytes, message.data() + next[std::size_t(k)]);
            next[std::size_t(k)] += bytes.size();
        });
}

std::vector<CoarseOpening> coarse_openings(const AcceptanceCriterion& criterion,
                                           const TreeReach& reach, const DistributedTree& tree)
{
    const CoarseTree& coarse = tree.coarse;
    const auto& cells = coarse.octree.cells;
    const OpeningRule rule(criterion);
    std::vector<CoarseOpening> openings;
    for (std::size_t c = 0; c < cells.size(); ++c)
        openings.push_back(
            {{rule, coarse.moments.multipole[c].center, reach.of(coarse.moments, Index(c))},
             cells[c].next,
             -1,
             0});
    for (std::size_t leaf = 0; leaf < coarse.leaves.size(); ++leaf)
        if (const int owner = tree.domains.owner(leaf); owner != tree.rank)
            openings[coarse.leaves[leaf]].owner = owner;
    for (std::size_t c = cells.size(); c-- > 0;) { // daughters come later
        openings[c].has_remote = openings[c].owner >= 0;
        for (Index d = Index(c) + 1; d < cells[c].next; d = cells[d].next)
            openings[c].has_remote |= openings[d].has_remote;
    }
    return openings;
}

} // namespace

void find_owners_on_host(std::span<const CoarseOpening> coarse,
                         std::span<const ImportRegion> regions, int ranks, std::span<char> owners)
{
#pragma omp parallel for schedule(dynamic, 64) if (regions.size() > 256)
    for (std::size_t r = 0; r < regions.size(); ++r)
        CoarseOpening::find(coarse.data(), coarse.size(), regions[r], ranks - 1, [&](int rank) {
            return !std::exchange(owners[r * std::size_t(ranks) + std::size_t(rank)], char(1));
        });
}

void RegionExchange::exchange(const AcceptanceCriterion& criterion, const TreeReach& reach,
                              const DistributedTree& tree, DomainPart& part,
                              Communicator& communicator)
{
    const std::uint64_t before = communicator.traffic().bytes;
    const std::size_t n = regions.size(), ranks = std::size_t(communicator.size());
    wanted_.assign(n * ranks, 0);
    part.find_owners(coarse_openings(criterion, reach, tree), regions, int(ranks), wanted_);
    to_.resize(ranks);
    partners = 0;
    std::vector<std::span<const ImportRegion>> messages;
    for (std::size_t k = 0; k < ranks; ++k) {
        to_[k].clear();
        for (std::size_t r = 0; r < n; ++r)
            if (wanted_[r * ranks + k])
                to_[k].push_back(regions[r]);
        partners += !to_[k].empty();
        messages.push_back(to_[k]);
    }
    communicator.all_to_all<ImportRegion>(messages, asked);
    bytes += communicator.traffic().bytes - before;
}

MessageOfCells::MessageOfCells(std::span<const std::byte> message)
{
    if (message.empty())
        return;
    std::array<std::uint64_t, 6> sizes;
    std::memcpy(sizes.data(), message.data(), sizeof sizes);
    std::size_t begin = sizeof sizes;
    for (std::size_t k = 0; k < sizes.size(); ++k) {
        array[k] = message.subspan(begin, sizes[k]);
        begin += sizes[k];
    }
}

std::vector<std::span<const std::byte>> CellExports::answer(const ImportRequests& asked,
                                                            const LocalCells& local, int ranks)
{
    messages_.resize(std::size_t(ranks));
    std::vector<std::span<const std::byte>> answers;
    for (int r = 0; r < ranks; ++r) {
        find_exports(asked.regions.from<ImportRegion>(r), asked, local, of_leaf_);
        UnsetArray<std::byte>& message = messages_[std::size_t(r)];
        message.clear();
        if (std::ranges::any_of(of_leaf_, [](const auto& leaf) { return !leaf.leaves.empty(); }))
            pack(of_leaf_, message);
        answers.push_back(message);
    }
    return answers;
}

std::size_t CellExports::held_bytes() const
{
    std::size_t bytes = 0;
    for (const ExportedCells& cells : of_leaf_)
        ExportedCells::for_each_array(
            cells, [&](int, const auto& array) { bytes += chamomile::held_bytes(array); });
    for (const auto& message : messages_)
        bytes += message.capacity();
    return bytes;
}

} // namespace chamomile
