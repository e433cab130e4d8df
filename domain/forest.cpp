#include "chamomile/domain/forest.hpp"

#include <algorithm>

namespace chamomile {
namespace {

/// A Grafting appends cells with their moments.
class Grafting {
public:
    explicit Grafting(Tree& tree) : octree_(tree.octree), moments_(tree.moments) {}

    /// Appends a cell with its subtree of `cells` cells; `next` counts from 0 at the cell.
    void add(Cell cell, const Multipole& multipole, const Box& bounds, const HigherMoments* higher)
    {
        cell.next += Index(octree_.cells.size());
        octree_.divided += cell.next > octree_.cells.size() + 1;
        octree_.cells.push_back(cell);
        moments_.multipole.push_back(multipole);
        moments_.bounds.push_back(bounds);
        if (higher)
            moments_.higher.push_back(*higher);
    }

private:
    Octree& octree_;
    Moments& moments_;
};

} // namespace

void Forest::grow(const DealtTree& dealt, const EssentialTrees& essential, int rank)
{
    const CoarseTree& coarse = dealt.coarse;
    const LocalTrees& local = dealt.local;
    Octree& octree = tree.octree;
    octree.cells.clear();
    octree.divided = 0;
    const std::size_t most =
        coarse.octree.cells.size() + local.octree.cells.size() + essential.cells.size();
    octree.cells.reserve(most);
    tree.moments.multipole.clear();
    tree.moments.multipole.reserve(most);
    tree.moments.bounds.clear();
    tree.moments.bounds.reserve(most);
    tree.moments.higher.clear();
    octree.order.assign(local.octree.order.begin(), local.octree.order.end());
    octree.sources.assign(local.octree.sources.begin(), local.octree.sources.end());
    octree.sources.insert(octree.sources.end(), essential.particles.begin(),
                          essential.particles.end());
    octree.size = octree.sources.size();
    check_number(octree.size);

    Grafting grafting(tree);
    const auto higher_of = [](const auto& higher, std::size_t c) {
        return higher.empty() ? nullptr : &higher[c];
    };
    const std::size_t first = dealt.domains.first_leaf[std::size_t(rank)],
                      last = dealt.domains.first_leaf[std::size_t(rank) + 1];
    std::size_t leaf = 0, arrived = 0, e = 0; // leaves of the coarse tree, of others, their cells
    Index particle = Index(local.octree.sources.size());
    cell_of.resize(coarse.octree.cells.size());
    for (Index c = 0; c < coarse.octree.cells.size(); ++c) {
        cell_of[c] = Index(octree.cells.size());
        Cell cell = coarse.octree.cells[c];
        if (!coarse.octree.is_leaf(c)) {
            cell.next = 0; // known when all below it are there
            grafting.add(cell, coarse.moments.multipole[c], coarse.moments.bounds[c],
                         higher_of(coarse.moments.higher, c));
            continue;
        }
        if (leaf >= first && leaf < last) {
            const Index root = local.roots[leaf - first], end = local.roots[leaf - first + 1];
            for (Index k = root; k < end; ++k) {
                Cell own = local.octree.cells[k];
                own.next -= k;
                grafting.add(own, local.moments.multipole[k], local.moments.bounds[k],
                             higher_of(local.moments.higher, k));
            }
        } else if (arrived < essential.leaves.size() && essential.leaves[arrived].leaf == leaf) {
            for (Index k = 0; k < essential.leaves[arrived].cells; ++k, ++e) {
                const EssentialCell& other = essential.cells[e];
                grafting.add({other.has_particles ? particle : absent, other.count, other.next,
                              other.octant},
                             other.multipole, other.bounds, higher_of(essential.higher, e));
                particle += other.has_particles ? other.count : 0;
            }
            ++arrived;
        } else {
            grafting.add({absent, cell.count, 1, cell.octant}, coarse.moments.multipole[c],
                         coarse.moments.bounds[c], higher_of(coarse.moments.higher, c));
        }
        ++leaf;
    }
    for (Index c = 0; c < coarse.octree.cells.size(); ++c)
        if (!coarse.octree.is_leaf(c)) {
            const Index next = coarse.octree.cells[c].next;
            octree.cells[cell_of[c]].next =
                next < cell_of.size() ? cell_of[next] : Index(octree.cells.size());
            ++octree.divided;
        }
}

bool has_absent(const InteractionLists& lists)
{
    return std::any_of(lists.ranges.begin(), lists.ranges.end(),
                       [](const ParticleRange& range) { return range.first == Forest::absent; });
}

} // namespace chamomile
