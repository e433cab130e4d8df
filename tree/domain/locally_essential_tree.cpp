#include "chamomile/tree/domain/locally_essential_tree.hpp"

#include <algorithm>
#include <span>

#include "chamomile/core/resize_discarding.hpp"
#include "chamomile/core/threads.hpp"

namespace chamomile {
namespace {

/// Place of a coarse leaf and the cells below it in the tree to fill.
struct LeafSlot {
    enum class Kind { own, imported, absent };
    Kind kind;
    Index coarse;    ///< the leaf's cell in the coarse tree
    Index begin;     ///< the leaf's place in the tree
    Index from;      ///< own: the leaf in the local trees; imported: first imported cell below it
    Index count;     ///< number of cells, with the leaf
    Index particles; ///< where its imported particles begin among the sources
};

/// Copies from[at] to to[c], unless `to` is unused (empty).
void put(auto& to, Index c, const auto& from, std::size_t at)
{
    if (!to.empty())
        to[c] = from[at];
}

/// Fills a tree's cells and moments. Several threads may fill different slots.
class TreeFiller {
public:
    TreeFiller(Tree& tree, LocallyEssentialTree& essential, const CoarseTree& coarse,
               const LocalTrees& local, const ImportedCells& imported)
        : tree_(tree), reach_(essential.reach), coarse_(coarse), local_(local), imported_(imported)
    {}

    const TreeReach* of_tree = nullptr; ///< null: opening radii are not needed

    void fill(const LeafSlot& slot)
    {
        if (slot.kind == LeafSlot::Kind::own)
            for (Index k = 0; k < slot.count; ++k)
                fill_own(slot, k);
        else if (slot.kind == LeafSlot::Kind::imported)
            fill_imported(slot);
        else
            fill_coarse(slot.coarse, slot.begin,
                        {LocallyEssentialTree::absent, 0, slot.begin + 1, 0});
    }

    /// Copies cell c of the coarse tree to place `at`, with begin and next from `cell`.
    void fill_coarse(Index c, Index at, Cell cell)
    {
        const Cell& coarse = coarse_.octree.cells[c];
        tree_.octree.cells[at] = {cell.begin, coarse.count, cell.next, coarse.octant};
        fill_moments(at, coarse_.moments, c);
        find_reach(at);
    }

private:
    void fill_moments(Index at, const Moments& from, Index c)
    {
        tree_.moments.multipole[at] = from.multipole[c];
        tree_.moments.bounds[at] = from.bounds[c];
        put(tree_.moments.higher, at, from.higher, c);
        put(tree_.moments.softening, at, from.softening, c);
    }

    void find_reach(Index at)
    {
        if (of_tree)
            reach_[at] = of_tree->of(tree_.moments, at);
    }

    void fill_own(const LeafSlot& slot, Index k)
    {
        Cell cell = local_.octree.cells[slot.from + k];
        cell.next = cell.next - slot.from + slot.begin;
        tree_.octree.cells[slot.begin + k] = cell;
        fill_moments(slot.begin + k, local_.moments, slot.from + k);
        if (of_tree)
            reach_[slot.begin + k] = local_.reach[slot.from + k];
    }

    void fill_imported(const LeafSlot& slot)
    {
        Index particle = slot.particles;
        const Index below = slot.count - 1;
        fill_coarse(
            slot.coarse, slot.begin,
            {below == 0 ? particle : LocallyEssentialTree::absent, 0, slot.begin + slot.count, 0});
        for (Index k = 0; k < below; ++k) {
            const EssentialCell& other = imported_.cells[slot.from + k];
            const Index at = slot.begin + 1 + k;
            tree_.octree.cells[at] = {other.has_particles ? particle : LocallyEssentialTree::absent,
                                      other.count, at + other.next, other.octant};
            tree_.moments.multipole[at] = other.multipole;
            tree_.moments.bounds[at] = other.bounds;
            put(tree_.moments.higher, at, imported_.higher, slot.from + k);
            put(tree_.moments.softening, at, imported_.softening, slot.from + k);
            find_reach(at);
            particle += other.has_particles ? other.count : 0;
        }
    }

    Tree& tree_;
    std::pmr::vector<OpeningRadius>& reach_;
    const CoarseTree& coarse_;
    const LocalTrees& local_;
    const ImportedCells& imported_;
};

/// Copies `from` to to[first ...].
template <class T>
void copy(std::span<const T> from, auto& to, std::size_t first = 0)
{
    copy_bytes(std::as_bytes(from), reinterpret_cast<std::byte*>(to.data() + first));
}

} // namespace

void LocallyEssentialTree::grow(Tree& tree, const DistributedTree& distributed,
                                const LocalTrees& local, const ImportedCells& imported,
                                const TreeReach* of_tree)
{
    const CoarseTree& coarse = distributed.coarse;
    const std::size_t own = local.octree.sources.size(), n = coarse.octree.cells.size();
    Octree& octree = tree.octree;
    octree.size = own + imported.particles.size();
    check_number(octree.size);
    const std::size_t first = distributed.first_leaf(), last = distributed.end_leaf();
    std::vector<LeafSlot> slots; // one per leaf
    std::size_t next_import = 0;
    Index end = 0, e = 0, particle = Index(own); // next cell, imported cell, imported particle
    cell_of.resize(n);
    for (Index c = 0; c < n; ++c) {
        cell_of[c] = end;
        if (!coarse.octree.is_leaf(c)) {
            ++end;
            continue;
        }
        const std::size_t leaf = slots.size();
        LeafSlot slot{LeafSlot::Kind::absent, c, end, 0, 1, 0};
        if (leaf >= first && leaf < last) {
            slot.kind = LeafSlot::Kind::own;
            slot.from = local.roots[leaf - first];
            slot.count = local.roots[leaf - first + 1] - slot.from;
        } else if (next_import < imported.leaves.size() &&
                   imported.leaves[next_import].leaf == leaf) {
            const EssentialLeaf& other = imported.leaves[next_import++];
            slot = {LeafSlot::Kind::imported, c, end, e, other.cells + 1, particle};
            e += other.cells;
            particle += other.particles;
        }
        end += slot.count;
        slots.push_back(slot);
    }
    resize_discarding(octree.cells, end);
    resize_discarding(tree.moments.multipole, end);
    resize_discarding(tree.moments.bounds, end);
    resize_discarding(tree.moments.higher, coarse.moments.higher.empty() ? 0 : end);
    resize_discarding(tree.moments.softening, coarse.moments.softening.empty() ? 0 : end);
    if (of_tree) // else keep the memory
        resize_discarding(reach, end);
    TreeFiller filler(tree, *this, coarse, local, imported);
    filler.of_tree = of_tree;
#pragma omp parallel for if (end > worth_threads) schedule(dynamic, 1)
    for (std::size_t k = 0; k < slots.size(); ++k)
        filler.fill(slots[k]);
    for (Index c = 0; c < n; ++c)
        if (!coarse.octree.is_leaf(c)) {
            const Index next = coarse.octree.cells[c].next;
            filler.fill_coarse(
                c, cell_of[c],
                {LocallyEssentialTree::absent, 0, next < n ? cell_of[next] : end, 0});
        }
    std::size_t divided = 0;
#pragma omp parallel for if (end > worth_threads) schedule(static) reduction(+ : divided)
    for (Index c = 0; c < end; ++c)
        divided += octree.cells[c].next > c + 1;
    octree.divided = divided;
}

void LocallyEssentialTree::copy_particles(Tree& tree, const LocalTrees& local,
                                          const ImportedCells& imported)
{
    Octree& octree = tree.octree;
    const std::size_t own = local.octree.sources.size();
    resize_discarding(octree.order, own);
    resize_discarding(octree.sources, octree.size);
    copy<Index>(local.octree.order, octree.order);
    copy<Source>(local.octree.sources, octree.sources);
    copy<Source>(imported.particles, octree.sources, own);
    resize_discarding(octree.softening, tree.moments.softening.empty() ? 0 : octree.size);
    if (octree.softening.empty())
        return;
    copy<double>(local.octree.softening, octree.softening);
    copy<double>(imported.particle_softening, octree.softening, own);
}

bool has_absent(const InteractionLists& lists)
{
    return std::any_of(lists.ranges.begin(), lists.ranges.end(), [](const ParticleRange& range) {
        return range.first == LocallyEssentialTree::absent;
    });
}

} // namespace chamomile
