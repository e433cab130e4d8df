#include "chamomile/tree/domain/imported_cells.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

#include "chamomile/core/first_exception.hpp"

namespace chamomile {
namespace {

/// Collects the daughters and particles of all cells, from one leaf down, that regions of a remote
/// rank open. Omits the leaf's own cell, since every rank has the coarse tree.
class CellExporter {
public:
    CellExporter(const LocalTrees& trees, const OpeningRule& rule,
                 std::span<const ImportRegion> regions)
        : trees_(trees), rule_(rule), regions_(regions)
    {}

    /// Adds the cells below leaf `root`. Returns whether any region opens the leaf.
    bool gather(Index root)
    {
        assert(trees_.reach.size() == trees_.octree.cells.size());
        looking_.resize(regions_.size());
        for (std::size_t r = 0; r < looking_.size(); ++r)
            looking_[r] = Index(r);
        add(root, 0);
        const bool is_opened = trees.cells.size() > 1 || trees.cells[0].has_particles;
        trees.cells.erase(trees.cells.begin());
        if (!trees.higher.empty())
            trees.higher.erase(trees.higher.begin());
        if (!trees.softening.empty())
            trees.softening.erase(trees.softening.begin());
        return is_opened;
    }

    ImportedCells trees; ///< collected below one leaf

private:
    /// Adds cell c. If regions in looking_[first ...] open it, also adds its particles or
    /// daughters.
    void add(Index c, std::size_t first)
    {
        const Octree& octree = trees_.octree;
        const Multipole& multipole = trees_.moments.multipole[c];
        const Cell& cell = octree.cells[c];
        const RemoteOpeningTest opening(rule_, multipole.center, trees_.reach[c]);
        const std::size_t last = looking_.size();
        bool has_particles = false;
        for (std::size_t k = first; k < last; ++k) {
            const auto [daughters, particles] = opening.by(regions_[looking_[k]]);
            has_particles = has_particles || particles;
            if (daughters)
                looking_.push_back(looking_[k]);
        }
        has_particles = has_particles && octree.is_leaf(c);
        const std::size_t self = trees.cells.size();
        trees.cells.push_back({multipole, trees_.moments.bounds[c], cell.count, 0, cell.octant,
                               Index(has_particles)});
        if (!trees_.moments.higher.empty())
            trees.higher.push_back(trees_.moments.higher[c]);
        if (!trees_.moments.softening.empty())
            trees.softening.push_back(trees_.moments.softening[c]);
        const auto add_particles = [&cell](auto& to, const auto& from) {
            const auto of_cell = from.begin() + cell.begin;
            to.insert(to.end(), of_cell, of_cell + cell.count);
        };
        if (has_particles)
            add_particles(trees.particles, octree.sources);
        if (has_particles && !octree.softening.empty())
            add_particles(trees.particle_softening, octree.softening);
        if (looking_.size() > last)
            for (Index d = c + 1; d < cell.next; d = octree.cells[d].next)
                add(d, last);
        looking_.resize(last);
        trees.cells[self].next = Index(trees.cells.size() - self);
    }

    const LocalTrees& trees_;
    const OpeningRule& rule_;
    std::span<const ImportRegion> regions_;
    std::vector<Index> looking_; // stack: regions that open each ancestor of the current cell
};

template <class T>
void append(std::vector<T>& to, std::span<const T> from)
{
    to.insert(to.end(), from.begin(), from.end());
}

void append(ImportedCells& to, const ImportedCells& from)
{
    append(to.leaves, std::span(from.leaves));
    append(to.cells, std::span(from.cells));
    append(to.higher, std::span(from.higher));
    append(to.particles, std::span(from.particles));
    append(to.softening, std::span(from.softening));
    append(to.particle_softening, std::span(from.particle_softening));
}

/// Returns the local cells and particles that the regions of a remote rank open.
ImportedCells exported(std::span<const ImportRegion> regions, const ImportRequests& asked,
                       const LocalTrees& local, std::size_t first_leaf)
{
    const std::size_t n = regions.empty() ? 0 : local.roots.size() - 1;
    const OpeningRule rule(asked.criterion);
    std::vector<ImportedCells> parts(n);
    FirstException failure;
#pragma omp parallel for if (n > 1) schedule(dynamic, 1)
    for (std::size_t k = 0; k < n; ++k)
        failure.run([&] {
            CellExporter exporter(local, rule, regions);
            if (!exporter.gather(local.roots[k]))
                return;
            exporter.trees.leaves = {{Index(first_leaf + k), Index(exporter.trees.cells.size()),
                                      Index(exporter.trees.particles.size())}};
            parts[k] = std::move(exporter.trees);
        });
    if (failure.caught())
        failure.rethrow();
    ImportedCells all;
    for (const ImportedCells& part : parts)
        append(all, part);
    return all;
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

template <class Visit>
void for_each_array(ImportedCells& trees, const Visit& visit)
{
    visit(trees.cells); // wide records first, for alignment
    visit(trees.higher);
    visit(trees.softening);
    visit(trees.particles);
    visit(trees.particle_softening);
    visit(trees.leaves);
}

/// Packs the array lengths, then the arrays, into one message.
std::vector<std::byte> packed(ImportedCells& trees)
{
    std::vector<std::byte> message;
    const auto put = [&](std::span<const std::byte> bytes) {
        message.insert(message.end(), bytes.begin(), bytes.end());
    };
    for_each_array(trees, [&](const auto& array) {
        const std::uint64_t count = array.size();
        put(std::as_bytes(std::span(&count, 1)));
    });
    for_each_array(trees, [&](const auto& array) { put(std::as_bytes(std::span(array))); });
    return message;
}

/// Appends the arrays in `message` to `trees`.
void unpack(std::span<const std::byte> message, ImportedCells& trees)
{
    std::vector<std::uint64_t> counts;
    const auto take = [&](std::size_t bytes) {
        const std::span<const std::byte> taken = message.first(bytes);
        message = message.subspan(bytes);
        return taken;
    };
    for_each_array(trees, [&](auto&) {
        std::memcpy(&counts.emplace_back(), take(sizeof(std::uint64_t)).data(),
                    sizeof(std::uint64_t));
    });
    auto count = counts.begin();
    for_each_array(trees, [&](auto& array) {
        const std::size_t before = array.size();
        array.resize(before + *count);
        const std::span<const std::byte> bytes = take(*count++ * sizeof array[0]);
        std::ranges::copy(bytes, reinterpret_cast<std::byte*>(array.data() + before));
    });
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

ImportedCells import_cells(const ImportRequests& asked, const LocalTrees& local,
                           std::size_t first_leaf, Communicator& communicator)
{
    std::vector<std::vector<std::byte>> answers;
    for (int r = 0; r < communicator.size(); ++r) {
        ImportedCells found =
            exported(asked.regions.from<ImportRegion>(r), asked, local, first_leaf);
        answers.push_back(found.leaves.empty() ? std::vector<std::byte>() : packed(found));
    }
    ImportedCells trees;
    Inbox inbox;
    communicator.exchange(std::vector<std::span<const std::byte>>(answers.begin(), answers.end()),
                          inbox);
    for (int r = 0; r < communicator.size(); ++r)
        if (const auto message = inbox.from<std::byte>(r); !message.empty())
            unpack(message, trees);
    return trees;
}

} // namespace chamomile
