// Rows, received particles and cells of a rank on its GPU. Contraction: none, so that the tree
// matches a single rank's bitwise.
#include <algorithm>

#include "chamomile/force/gpu.hpp"
#include "chamomile/gpu/device/device_arrays.cuh"
#include "chamomile/gpu/lists/cuda_evaluator.cuh"
#include "chamomile/gpu/ranks/cuda_part.cuh"
#include "chamomile/gpu/ranks/item_threads.cuh"
#include "chamomile/tree/domain/domain_tree_builder.hpp"

namespace chamomile {
namespace {

__global__ void count_from(GlobalIndex first, std::size_t n, GlobalIndex* number)
{
    const std::size_t i = thread_number();
    if (i < n)
        number[i] = first + i;
}

__global__ void mark_targets(const Index* targets, std::size_t n, std::uint8_t* is_target)
{
    const std::size_t k = thread_number();
    if (k < n)
        is_target[targets[k]] = 1;
}

__global__ void mark_due(const std::uint8_t* rung, int first, std::size_t n,
                         std::uint8_t* is_target)
{
    const std::size_t i = thread_number();
    if (i < n)
        is_target[i] = rung[i] >= first;
}

__global__ void wrap_positions(const Vec3<double>* given, std::size_t n, Periodicity box,
                               Vec3<double>* position)
{
    const std::size_t i = thread_number();
    if (i < n)
        position[i] = box.wrapped(given[i]);
}

/// Finds the images of positions nearest to the places of their keys.
__global__ void find_images(const Vec3<double>* given, const Key* keys, const Index* order,
                            std::size_t n, RootCube cube, Periodicity box, Vec3<double>* position)
{
    const std::size_t k = thread_number();
    if (k < n)
        position[order[k]] = box.nearest_to(place_of_key(keys[k], cube), given[order[k]]);
}

__global__ void find_bad_mass(const double* mass, std::size_t n, Index* found)
{
    const std::size_t i = thread_number();
    if (i < n && !(mass[i] >= 0 && isfinite(mass[i])))
        *found = 1;
}

} // namespace

void CudaPart::take(const TreeParticles& particles, bool keeps_cells)
{
    begin(); // all ranks have read the last mesh
    DeviceTree& t = *tree_;
    const std::size_t had = n(), count = particles.count;
    rows_.particles = particles;
    const RowsOfRank& of_rank = *particles.ranks;
    check_number(count);
    const bool is_same = keeps_cells && had == count;
    if (count > 0) {
        place_rows(is_same);
        upload_masses(particles, false); // receive() may need them
        if (of_rank.per_particle && (!is_same || !has_lengths_))
            upload_softenings(particles);
    }
    has_lengths_ = of_rank.per_particle;
    rows_.work.begin(count, of_rank.arrangement);
    copy_targets();
}

RowsSeen CudaPart::look()
{
    use_device();
    const std::size_t count = n();
    RowsSeen seen{{}, count, count, count};
    if (count > 0 && !are_finite(seen.box))
        return RowsSeen::of(rows());
    return seen;
}

/// Copies the positions of the rows. In a box, cells that are kept stay small when particles leave
/// it.
void CudaPart::place_rows(bool keeps_cells)
{
    DeviceTree& t = *tree_;
    const Periodicity box = rows_.particles.ranks->box;
    upload_positions(rows_.particles, bool(box)); // always copies: rows of other ranks follow
    if (!box)
        return;
    Vec3<double>* const position = t.positions.reserve(n());
    if (keeps_cells)
        find_images<<<blocks_of(n()), block_size, 0, t.stream>>>(
            here_.position, arriving_.keys(), arriving_.order(), n(), rows_.cube, box, position);
    else
        wrap_positions<<<blocks_of(n()), block_size, 0, t.stream>>>(here_.position, n(), box,
                                                                    position);
    check(cudaGetLastError(), "launch the images of positions");
}

/// Adds the rows to `box`. Returns false if a position or mass is invalid.
bool CudaPart::are_finite(Box& box)
{
    DeviceTree& t = *tree_;
    keys_.start_extent(t.positions.data(), n(), t.stream);
    check(cudaStreamWaitEvent(t.stream, masses_uploaded_), "wait for the masses");
    Index* const flag = rows_.flag.reserve(1);
    check(cudaMemsetAsync(flag, 0, sizeof *flag, t.stream), "clear a flag");
    find_bad_mass<<<blocks_of(n()), block_size, 0, t.stream>>>(t.masses.data(), n(), flag);
    check(cudaGetLastError(), "launch the check of masses");
    download(rows_.host_flag.reserve(1), flag, 1, t.stream);
    t.stream.wait();
    return keys_.add_extent(box) && *rows_.host_flag.data() == 0;
}

void CudaPart::copy_targets()
{
    const RowsOfRank& of_rank = *rows_.particles.ranks;
    if (!of_rank.has_targets)
        return;
    DeviceTree& t = *tree_;
    std::uint8_t* const is_target = rows_.is_target.reserve(n());
    if (n() == 0)
        return;
    if (of_rank.rung) {
        mark_due<<<blocks_of(n()), block_size, 0, t.stream>>>(of_rank.rung, of_rank.first_rung, n(),
                                                              is_target);
    } else {
        check(cudaMemsetAsync(is_target, 0, n(), t.stream), "clear marks of targets");
        const std::span<const Index> targets = of_rank.targets;
        if (targets.empty())
            return;
        t.staging.upload(rows_.targets, targets.data(), targets.size(), t.stream);
        mark_targets<<<blocks_of(targets.size()), block_size, 0, t.stream>>>(
            rows_.targets.data(), targets.size(), is_target);
    }
    check(cudaGetLastError(), "launch the marks of targets");
}

void CudaPart::sort(const RootCube& cube, std::uint64_t first)
{
    use_device();
    DeviceTree& t = *tree_;
    arriving_.begin(n());
    rows_.cube = cube;
    keys_.start_sort(t.positions.data(), n(), cube, arriving_.keys(), arriving_.order(), t.stream);
    const RowsOfRank& of_rank = *rows_.particles.ranks;
    rows_.number.reserve(n());
    if (n() == 0)
        return;
    if (of_rank.number.empty()) {
        rows_.numbered = {};
        count_from<<<blocks_of(n()), block_size, 0, t.stream>>>(first, n(), rows_.number.data());
    } else if (const std::pair now(of_rank.arrangement, n());
               std::exchange(rows_.numbered, now) != now)
        t.staging.upload(rows_.number, of_rank.number.data(), n(), t.stream);
    check(cudaGetLastError(), "launch the numbers of rows");
}

void CudaPart::count(std::span<const KeyRange> cells, std::span<OctantCounts> counts)
{
    use_device();
    std::vector<Key> keys;
    for (const KeyRange& cell : cells)
        for (Key octant = 0; octant <= 8; ++octant)
            keys.push_back(cell.first + octant * (cell.width() / 8));
    const std::vector<std::size_t> places = arriving_.places(keys);
    for (std::size_t k = 0; k < cells.size(); ++k)
        for (std::size_t octant = 0; octant < 8; ++octant)
            counts[k][octant] = places[9 * k + octant + 1] - places[9 * k + octant];
}

LeafSums CudaPart::leaf_sums(const CoarseTree& coarse)
{
    use_device();
    leaf_begins_ = arriving_.places(coarse.first);
    leaf_begins_.push_back(n());
    return arriving_.measure(leaf_begins_, has_targets() ? rows_.is_target.data() : nullptr,
                             rows_.work.data());
}

RowColumns CudaPart::make_room(std::size_t all)
{
    DeviceTree& t = *tree_;
    t.positions.extend(all, n(), t.stream);
    t.masses.extend(all, n(), t.stream);
    if (has_lengths_)
        lengths_.extend(all, n(), t.stream);
    rows_.number.extend(all, n(), t.stream);
    if (has_targets())
        rows_.is_target.extend(all, n(), t.stream);
    return columns();
}

void CudaPart::receive_rows(const DistributedTree& distributed, const TreePlan& plan,
                            Communicator& ranks)
{
    use_device();
    DeviceTree& t = *tree_;
    check(cudaStreamWaitEvent(t.stream, masses_uploaded_), "wait for the masses");
    arriving_.exchange(leaving_begins(distributed), columns(), ranks,
                       [&](std::size_t all) { return make_room(all); });
    rows_.received_have_lengths = has_lengths_;
    arriving_.merge(rows_.number.data());
    t.particles = size();
    divide(distributed, plan);
    has_new_cells_ = true;
    gather(t.masses.data());
}

/// Divides the domain's particles into cells and numbers them together with the coarse tree's.
void CudaPart::divide(const DistributedTree& distributed, const TreePlan& plan)
{
    DeviceTree& t = *tree_;
    own_.first_leaf = distributed.first_leaf();
    own_.sources = Index(size());
    const std::vector<CellRoot> roots = top_.roots(distributed);
    const Index tops = Index(distributed.coarse.octree.cells.size() - roots.size());
    if (roots.empty()) {
        top_.number(distributed, {}, 0);
        own_.cells = tops;
        t.cells.reserve(own_.cells);
        divided_ = top_.numbered().divided();
    } else {
        cells_.start(Index(plan.leaf_size), roots);
        if (!cells_.are_counted())
            return divide_on_host(distributed, plan);
        top_.number(distributed, cells_.before_roots(), cells_.cells());
        own_.cells = cells_.cells() + tops;
        cells_.make(tops);
        divided_ = cells_.divided() + top_.numbered().divided();
    }
    send_cells();
}

/// Adds the coarse tree's cells to this rank's cells, and queues the copy of all to the host.
void CudaPart::send_cells()
{
    DeviceTree& t = *tree_;
    top_.plant_cells();
    own_.roots.assign(top_.numbered().own_roots().begin(), top_.numbered().own_roots().end());
    filled_.record(t.stream);
    auto& cells = staged_.octree.cells;
    if (cells.capacity() < own_.cells) { // leaves room for imports
        cells.clear();
        cells.reserve(own_.cells + own_.cells / 4);
    }
    if (cells.size() < own_.cells)
        cells.resize(own_.cells);
    check(cudaStreamWaitEvent(down_, filled_), "wait for the cells");
    download(cells.data(), t.cells.data(), own_.cells, down_);
    cells_here_.record(down_);
    t.bytes_down += own_.cells * sizeof(Cell);
}

/// Divides cells on the host when particles share a key; refines the order of particles.
void CudaPart::divide_on_host(const DistributedTree& distributed, const TreePlan& plan)
{
    DeviceTree& t = *tree_;
    const std::size_t all = n() + arriving_.received();
    Octree& octree = host_octree_;
    octree.size = size();
    find_boundaries(octree.boundaries, size());
    fetch_order(octree); // waits
    std::vector<Vec3<double>> position(all);
    std::vector<GlobalIndex> number(all);
    t.staging.download(position.data(), t.positions.data(), all, t.stream);
    t.staging.download(number.data(), rows_.number.data(), all, t.stream);
    std::vector<std::vector<Cell>> trees;
    std::vector<Index> before;
    Index cells = 0;
    std::size_t divided = 0;
    for (const Cell& leaf : distributed.own_leaves()) {
        before.push_back(cells);
        append_cells(trees.emplace_back(), octree, leaf, position, plan.leaf_size, number);
        cells += Index(trees.back().size());
    }
    top_.number(distributed, before, cells);
    own_.cells = Index(cells + top_.numbered().tops().size());
    std::vector<Cell> tree(own_.cells);
    for (std::size_t k = 0; k < trees.size(); ++k)
        for (std::size_t c = 0; c < trees[k].size(); ++c) {
            Cell cell = trees[k][c];
            divided += cell.next > c + 1;
            cell.next += top_.numbered().own_roots()[k];
            tree[top_.numbered().own_roots()[k] + c] = cell;
        }
    t.staging.upload(t.order, octree.order.data(), size(), t.stream);
    t.staging.upload(t.cells, tree.data(), tree.size(), t.stream);
    divided_ = divided + top_.numbered().divided();
    send_cells();
}

Rows CudaPart::rows()
{
    use_device();
    DeviceTree& t = *tree_;
    const TreeParticles& from = rows_.particles;
    Rows rows;
    const auto fetch = [&](auto& to, auto& all) {
        to.resize(n());
        t.staging.download(to.data(), all.data(), n(), t.stream);
    };
    if (n() > 0) { // the mesh may have acquired their memory
        place_rows(false);
        upload_masses(from, false);
        check(cudaStreamWaitEvent(t.stream, masses_uploaded_), "wait for the masses");
    }
    fetch(host_.position, t.positions);
    fetch(host_.mass, t.masses);
    rows.position = host_.position;
    rows.mass = host_.mass;
    rows.has_targets = has_targets();
    rows.has_numbers = from.ranks->arrangement > 0;
    rows.number = from.ranks->number;
    if (has_lengths_) {
        fetch(host_.softening, lengths_);
        rows.longest_softening = from.longest_softening;
        rows.softening = host_.softening;
    }
    return rows;
}

SolverParts make_cuda_domain_parts(int device, Precision precision, Communicator& ranks,
                                   const std::string& instruction_set)
{
    check(cudaSetDevice(device), "choose the device");
    auto tree =
        std::make_shared<DeviceTree>(device, Priority::high); // imports are many small kernels
    auto part = std::make_unique<CudaPart>(tree, std::make_shared<PinnedMemory>());
    auto builder = std::make_unique<DomainTreeBuilder>(ranks, instruction_set, std::move(part));
    SolverParts parts;
    parts.domains = builder.get();
    parts.builder = std::move(builder);
    parts.evaluator = make_tree_evaluator(tree, nullptr, precision, TreeFrom::builder);
    return parts;
}

} // namespace chamomile
