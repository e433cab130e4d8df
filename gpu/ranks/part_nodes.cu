// The tree on a rank's GPU, joined from coarse tree and local cells. Contraction: none, so
// that nodes match a single rank's bitwise.
#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/scan.h>

#include "chamomile/gpu/ranks/cuda_part.cuh"
#include "chamomile/gpu/ranks/item_threads.cuh"
#include "chamomile/gpu/tree/node_kernels.cuh"

namespace chamomile {
namespace {

template <class Reach>
__global__ void fill_leaf_nodes(NodeTask task, const LeafLink* links, std::size_t n, Reach reach_of)
{
    const std::size_t k = thread_number();
    if (k < n)
        task.fill(links[k].node, links[k].first_cell, links[k].end_cell, reach_of);
}

} // namespace

void CudaPart::make_tree(Tree& tree, const DistributedTree& distributed, const TreePlan& plan)
{
    use_device();
    DeviceTree& t = *tree_;
    essential_.clear();
    Octree& octree = tree.octree;
    octree.size = own_.sources;
    octree.divided = divided_;
    const std::size_t n = own_.cells;
    if (n == 0) {
        octree.cells.clear();
        tree.moments.multipole.clear();
        tree.moments.bounds.clear();
        return;
    }
    const Moments& top = distributed.coarse.moments;
    if (std::exchange(has_new_cells_, false)) {
        check(status_when_done(cells_here_), "copy the cells");
        octree.cells.swap(staged_.octree.cells);
    } else
        top_.numbered().plant_cells(octree);
    top_.plant_moments(distributed.coarse);
    tree.nodes.units = WalkUnits::of(top.multipole[0], top.bounds[0]);
    tree.moments.softening.assign(t.has_softenings ? 1 : 0, {});
    start_walk_nodes(tree.nodes, {*plan.criterion, top.multipole[0]}, Index(n), divided_);
    own_.nodes = Index(1 + divided_);
    essential_.set_roots(own_.roots, mothers_.data());
    check(status_when_done(moments_here_), "sum the moments");
    t.bytes_down += *host_sent_.data() * sizeof(double);
    tree.moments.multipole.swap(staged_.moments.multipole);
    tree.moments.bounds.swap(staged_.moments.bounds);
    top_.numbered().plant_moments(distributed.coarse, tree.moments, cuts_groups() ? 1 : n);
}

/// Adds the nodes of imported cells.
void CudaPart::add_nodes(Tree& tree, const CoarseTree& coarse, const AcceptanceCriterion& criterion)
{
    DeviceTree& t = *tree_;
    const Imported imported = essential_.imported();
    tree.octree.size = own_.sources + imported.particles;
    tree.octree.divided = divided_;
    if (essential_.leaves().empty())
        return;
    down_.wait();
    const std::span<const LeafLink> links =
        top_.link(tree, coarse, essential_.leaves(), own_.nodes);
    const std::size_t cells = imported.cells, of_leaves = links.size(),
                      nodes = of_leaves + essential_.divided(), all = own_.nodes + nodes;
    tree.octree.divided += nodes;
    if (cells == 0)
        return;
    t.nodes.extend(all, own_.nodes, t.stream);
    WalkNode* const first = t.nodes.data() + own_.nodes;
    check(cudaMemsetAsync(first, 0, nodes * sizeof(WalkNode), t.stream), "clear the nodes");
    Index* const node_of = mothers_.reserve(cells);
    const auto is_divided = thrust::make_transform_iterator(
        thrust::make_counting_iterator(Index(0)), IsDivided{t.cells.data(), own_.cells});
    call_thrust("launch the count of nodes", [&] {
        thrust::exclusive_scan(thrust::cuda::par_nosync(scratch_).on(t.stream), is_divided,
                               is_divided + std::ptrdiff_t(cells), node_of,
                               Index(own_.nodes + of_leaves));
    });
    const NodeTask task{t.cells.data(),  node_of,        t.multipoles.data(),
                        t.bounds.data(), t.nodes.data(), own_.cells};
    with_reach(
        t, criterion, tree.moments.multipole[0], tree.nodes.units, [&](const auto& reach_of) {
            fill_nodes<<<blocks_of(cells), block_size, 0, t.stream>>>(task, Index(cells), reach_of);
            fill_leaf_nodes<<<blocks_of(of_leaves), block_size, 0, t.stream>>>(task, top_.links(),
                                                                               of_leaves, reach_of);
        });
    check(cudaGetLastError(), "launch the nodes");
    if (tree.nodes.nodes.size() < all)
        tree.nodes.nodes.resize(all + all / 8);
    if (tree.octree.cells.size() < own_.cells + cells)
        tree.octree.cells.resize(own_.cells + cells + cells / 4);
    download(tree.nodes.nodes.data() + own_.nodes, first, nodes, t.stream);
    download(tree.octree.cells.data() + own_.cells, t.cells.data() + own_.cells, cells, t.stream);
    t.bytes_down += nodes * sizeof(WalkNode) + cells * sizeof(Cell);
    t.stream.wait();
}

} // namespace chamomile
