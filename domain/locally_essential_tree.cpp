#include "chamomile/domain/locally_essential_tree.hpp"

#include <algorithm>
#include <span>

#include "chamomile/core/threads.hpp"

namespace chamomile {
namespace {

/// Place of a coarse leaf and the cells below it in the forest.
struct Plot {
    enum class Kind { own, arrived, absent };
    Kind kind;
    Index coarse;    ///< the leaf's cell in the coarse tree
    Index begin;     ///< the leaf's place in the forest
    Index from;      ///< own: the leaf in the local trees; arrived: first imported cell below it
    Index count;     ///< number of cells, with the leaf
    Index particles; ///< where its imported particles begin among the sources
};

/// Copies from[at] to to[c], unless `to` is unused (empty).
void put(auto& to, Index c, const auto& from, std::size_t at)
{
    if (!to.empty())
        to[c] = from[at];
}

/// Fills the forest. Several threads may plant different plots.
class Planting {
public:
    Planting(Tree& tree, LocallyEssentialTree& forest, const CoarseTree& coarse,
             const LocalTrees& local, const ImportedCells& essential)
        : tree_(tree), reach_(forest.reach), coarse_(coarse), local_(local), essential_(essential)
    {}

    const TreeReach* of_tree = nullptr; ///< null: reaches are not wanted

    void plant(const Plot& plot)
    {
        if (plot.kind == Plot::Kind::own)
            for (Index k = 0; k < plot.count; ++k)
                plant_own(plot, k);
        else if (plot.kind == Plot::Kind::arrived)
            plant_arrived(plot);
        else
            plant_coarse(plot.coarse, plot.begin,
                         {LocallyEssentialTree::absent, 0, plot.begin + 1, 0});
    }

    /// Copies cell c of the coarse tree to place `at`, with begin and next from `cell`.
    void plant_coarse(Index c, Index at, Cell cell)
    {
        const Cell& coarse = coarse_.octree.cells[c];
        tree_.octree.cells[at] = {cell.begin, coarse.count, cell.next, coarse.octant};
        plant_moments(at, coarse_.moments, c);
        find_reach(at);
    }

private:
    void plant_moments(Index at, const Moments& from, Index c)
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

    void plant_own(const Plot& plot, Index k)
    {
        Cell cell = local_.octree.cells[plot.from + k];
        cell.next = cell.next - plot.from + plot.begin;
        tree_.octree.cells[plot.begin + k] = cell;
        plant_moments(plot.begin + k, local_.moments, plot.from + k);
        if (of_tree)
            reach_[plot.begin + k] = local_.reach[plot.from + k];
    }

    void plant_arrived(const Plot& plot)
    {
        Index particle = plot.particles;
        const Index below = plot.count - 1;
        plant_coarse(
            plot.coarse, plot.begin,
            {below == 0 ? particle : LocallyEssentialTree::absent, 0, plot.begin + plot.count, 0});
        for (Index k = 0; k < below; ++k) {
            const EssentialCell& other = essential_.cells[plot.from + k];
            const Index at = plot.begin + 1 + k;
            tree_.octree.cells[at] = {other.has_particles ? particle : LocallyEssentialTree::absent,
                                      other.count, at + other.next, other.octant};
            tree_.moments.multipole[at] = other.multipole;
            tree_.moments.bounds[at] = other.bounds;
            put(tree_.moments.higher, at, essential_.higher, plot.from + k);
            put(tree_.moments.softening, at, essential_.softening, plot.from + k);
            find_reach(at);
            particle += other.has_particles ? other.count : 0;
        }
    }

    Tree& tree_;
    std::pmr::vector<OpeningRadius>& reach_;
    const CoarseTree& coarse_;
    const LocalTrees& local_;
    const ImportedCells& essential_;
};

/// Copies `from` to to[first ...].
template <class T>
void copy(std::span<const T> from, auto& to, std::size_t first = 0)
{
    copy_bytes(std::as_bytes(from), reinterpret_cast<std::byte*>(to.data() + first));
}

} // namespace

void LocallyEssentialTree::grow(Tree& tree, const DistributedTree& distributed,
                                const LocalTrees& local, const ImportedCells& essential,
                                const TreeReach* of_tree)
{
    const CoarseTree& coarse = distributed.coarse;
    const std::size_t own = local.octree.sources.size(), n = coarse.octree.cells.size();
    Octree& octree = tree.octree;
    octree.size = own + essential.particles.size();
    check_number(octree.size);
    const std::size_t first = distributed.first_leaf(), last = distributed.end_leaf();
    std::vector<Plot> plots; // one per leaf
    std::size_t arrived = 0;
    Index end = 0, e = 0, particle = Index(own); // next cell, imported cell, imported particle
    cell_of.resize(n);
    for (Index c = 0; c < n; ++c) {
        cell_of[c] = end;
        if (!coarse.octree.is_leaf(c)) {
            ++end;
            continue;
        }
        const std::size_t leaf = plots.size();
        Plot plot{Plot::Kind::absent, c, end, 0, 1, 0};
        if (leaf >= first && leaf < last) {
            plot.kind = Plot::Kind::own;
            plot.from = local.roots[leaf - first];
            plot.count = local.roots[leaf - first + 1] - plot.from;
        } else if (arrived < essential.leaves.size() && essential.leaves[arrived].leaf == leaf) {
            const EssentialLeaf& other = essential.leaves[arrived++];
            plot = {Plot::Kind::arrived, c, end, e, other.cells + 1, particle};
            e += other.cells;
            particle += other.particles;
        }
        end += plot.count;
        plots.push_back(plot);
    }
    octree.cells.resize(end);
    tree.moments.multipole.resize(end);
    tree.moments.bounds.resize(end);
    tree.moments.higher.resize(coarse.moments.higher.empty() ? 0 : end);
    tree.moments.softening.resize(coarse.moments.softening.empty() ? 0 : end);
    if (of_tree) // else keep the memory
        reach.resize(end);
    Planting planting(tree, *this, coarse, local, essential);
    planting.of_tree = of_tree;
#pragma omp parallel for if (end > worth_threads) schedule(dynamic, 1)
    for (std::size_t k = 0; k < plots.size(); ++k)
        planting.plant(plots[k]);
    for (Index c = 0; c < n; ++c)
        if (!coarse.octree.is_leaf(c)) {
            const Index next = coarse.octree.cells[c].next;
            planting.plant_coarse(
                c, cell_of[c],
                {coarse.octree.cells[c].begin, 0, next < n ? cell_of[next] : end, 0});
        }
    std::size_t divided = 0;
#pragma omp parallel for if (end > worth_threads) schedule(static) reduction(+ : divided)
    for (Index c = 0; c < end; ++c)
        divided += octree.cells[c].next > c + 1;
    octree.divided = divided;
}

void LocallyEssentialTree::copy_particles(Tree& tree, const LocalTrees& local,
                                          const ImportedCells& essential)
{
    Octree& octree = tree.octree;
    const std::size_t own = local.octree.sources.size();
    octree.order.resize(own);
    octree.sources.resize(octree.size);
    copy<Index>(local.octree.order, octree.order);
    copy<Source>(local.octree.sources, octree.sources);
    copy<Source>(essential.particles, octree.sources, own);
    octree.softening.resize(tree.moments.softening.empty() ? 0 : octree.size);
    if (octree.softening.empty())
        return;
    copy<double>(local.octree.softening, octree.softening);
    copy<double>(essential.lengths, octree.softening, own);
}

bool has_absent(const InteractionLists& lists)
{
    return std::any_of(lists.ranges.begin(), lists.ranges.end(), [](const ParticleRange& range) {
        return range.first == LocallyEssentialTree::absent;
    });
}

} // namespace chamomile
