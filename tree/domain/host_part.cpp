#include <algorithm>

#include "chamomile/core/filter_indices.hpp"
#include "chamomile/core/resize_discarding.hpp"
#include "chamomile/core/threads.hpp"
#include "chamomile/tree/domain/domain_part.hpp"
#include "chamomile/tree/domain/imported_cells.hpp"
#include "chamomile/tree/domain/local_trees.hpp"
#include "chamomile/tree/domain/memory_use.hpp"
#include "chamomile/tree/domain/rank_rows.hpp"

namespace chamomile {
namespace {

/// The part of a rank in host memory.
class HostPart final : public DomainPart {
public:
    void take(const TreeParticles& particles, bool keeps_cells) override
    {
        rows_.take(particles, keeps_cells);
    }
    RowsSeen look() override { return RowsSeen::of(now()); }
    void sort(const RootCube& cube, std::uint64_t) override
    {
        cube_ = cube;
        sorted_.sort(now(), cube);
    }
    void count(std::span<const KeyRange> cells, std::span<OctantCounts> counts) override
    {
        sorted_.count(cells, counts);
    }
    LeafSums leaf_sums(const CoarseTree& coarse) override
    {
        return coarse.leaf_sums(now(), sorted_);
    }

    void receive(Tree& tree, const DistributedTree& distributed, const TreePlan& plan,
                 Communicator& ranks) override
    {
        tree_ = &tree;
        arrivals_.receive(now(), sorted_, distributed.coarse, distributed.domains, ranks);
        const std::vector<std::size_t> begins = leaving_begins(distributed);
        const std::size_t rank = std::size_t(distributed.rank), begin = begins[rank];
        const KeySorter::SortedRun run{
            arrivals_.first_from(distributed.rank),
            std::span<const Key>(sorted_.keys).subspan(begin, begins[rank + 1] - begin)};
        own_ = make_local_trees(tree.octree, top_, sorter_, arrivals_, run, cube_, plan.leaf_size,
                                distributed);
    }
    void receive_moved(const DistributedTree& distributed, const TreePlan& plan,
                       Communicator& ranks) override
    {
        if (now().longest_softening && !arrivals_.has_softenings()) // lengths were not sent yet
            receive(*tree_, distributed, plan, ranks);
        arrivals_.receive_moved(now(), sorted_, distributed.coarse, distributed.domains, ranks);
    }
    Moments sum_moments(const TreePlan& plan) override
    {
        imported_.clear(*tree_, top_, own_);
        chamomile::sum_moments(*tree_, arrivals_, now(), plan.criterion ? plan.criterion->order : 0,
                               own_.roots);
        return moments_of_roots(tree_->moments, own_.roots);
    }
    void make_tree(Tree& tree, const DistributedTree& distributed, const TreePlan&) override
    {
        top_.plant_moments(distributed.coarse, tree.moments, own_.cells);
    }
    std::span<const Index> cell_of() const override { return top_.cell_of(); }

    void find_targets(TargetGroups& groups) override
    {
        list_where(
            size(), [&](std::size_t k) { return arrivals_.is_target()[octree().order[k]]; },
            groups.found);
    }
    void find_boxes(TargetGroups& groups, double longest_side) override
    {
        chamomile::find_boxes(groups, octree(), longest_side);
    }
    void find_softenings(TargetGroups& groups) override
    {
        chamomile::find_softenings(groups, octree().softening);
    }

    void start_imports(const TreeReach& reach) override;
    void make_nodes(Tree& tree, const AcceptanceCriterion& criterion) override
    {
        make_walk_nodes(tree.nodes, tree.octree, tree.moments, criterion, reach_);
    }
    void estimate(const Walk& walk, const TargetGroups& groups,
                  std::span<double> accelerations) override
    {
        estimate_on_host(walk, groups, accelerations);
    }
    bool estimates_as_walk() const override { return true; }
    void import(Tree& tree, const ImportRequests& asked, const DistributedTree& distributed,
                Communicator& ranks) override
    {
        imported_.clear(tree, top_, own_);
        imported_.import(tree, asked, {tree.octree, tree.moments, own_, reach_}, ranks);
        imported_.add_nodes(tree, top_, own_, distributed.coarse, asked.criterion);
    }
    Imported imported() const override { return imported_.imported(); }

    std::size_t size() const override { return arrivals_.size(); }
    std::size_t cells() const override { return own_.cells - top_.tops().size(); }
    std::span<const Index> active() const override { return arrivals_.targets(); }

    ArrivalSums begin_sums(const SumArrays& to, std::size_t targets, bool with_potentials) override
    {
        const std::size_t n = size();
        to_ = to;
        has_potentials_ = with_potentials;
        resize_discarding(acceleration_, n);
        resize_discarding(potential_, with_potentials ? n : 0);
        resize_discarding(work_, n);
        if (now().has_targets) // no work for other particles
            std::fill(work_.begin(), work_.end(), 0.0F);
        resize_discarding(work_of_target_, targets);
        return {{view_of(std::span(acceleration_)),
                 with_potentials ? view_of(std::span(potential_)) : ArrayView{}},
                n,
                n};
    }
    std::span<float> work_of_targets() override { return work_of_target_; }
    void record_work(const TargetGroups& groups, const InteractionLists& lists,
                     int groups_per_cluster) override
    {
        for (const ListRow& row : lists.rows) {
            const ClusterRow* cluster =
                row.cluster == no_cluster ? nullptr : &lists.clusters[row.cluster];
            const double shared =
                cluster ? double(cluster->far_end - cluster->far_begin) / groups_per_cluster : 0;
            const float work =
                row_work(row.target_end - row.target_begin, row.particle_count,
                         row.cell_end - row.cell_begin, shared + row.far_end - row.far_begin);
            for (Index t = row.target_begin; t < row.target_end; ++t)
                work_[octree().order[groups.target(t)]] = work;
        }
    }
    std::uint64_t return_results(const TargetGroups& groups, bool has_work_of_targets,
                                 Communicator& ranks) override;

    std::vector<Index> leaving() override { return {sorted_.order.begin(), sorted_.order.end()}; }
    std::vector<Index> arriving() override
    {
        return {octree().order.begin(), octree().order.begin() + std::ptrdiff_t(size())};
    }
    std::vector<std::size_t> leaving_begins(const DistributedTree& distributed) const override
    {
        return begins_of_ranks(sorted_, distributed.coarse, distributed.domains);
    }
    Rows rows() override { return now(); }
    std::size_t held_bytes() const override
    {
        using chamomile::held_bytes;
        return rows_.held_bytes() +
               held_bytes(sorted_.keys, sorted_.order, sorted_.scratch.keys, sorted_.scratch.order,
                          sorted_.scratch.bucket) +
               arrivals_.memory() + tree_bytes() + imported_.held_bytes() +
               held_bytes(acceleration_, potential_, work_, work_of_target_);
    }
    std::pmr::memory_resource* memory() override { return large_memory(); }

private:
    template <class T>
    using Memory = std::pmr::vector<T>;

    const Rows& now() const { return rows_.now(); }
    const Octree& octree() const { return tree_->octree; }
    /// Returns the bytes of the tree, and of scratch to make it.
    std::size_t tree_bytes() const
    {
        constexpr std::size_t of_sorter = sizeof(Key) + 14; // bytes per particle (RadixScratch)
        std::size_t bytes = chamomile::held_bytes(reach_);
        if (!tree_)
            return bytes;
        bytes += memory_of(octree()) + memory_of(tree_->moments) +
                 chamomile::held_bytes(tree_->nodes.nodes, tree_->nodes.node_of) +
                 octree().order.capacity() * of_sorter;
        for (const std::vector<Cell>& cells : octree().scratch)
            bytes += chamomile::held_bytes(cells);
        return bytes;
    }

    RankRows rows_;
    RootCube cube_;
    KeyedRows sorted_;
    ReceivedParticles arrivals_;
    Tree* tree_ = nullptr; ///< of the last receive(): local cells among those of the coarse tree
    KeySorter sorter_;
    TopOfTree top_;
    OwnCells own_;
    Memory<OpeningRadius> reach_{large_memory()}; ///< per cell before imports; one rank: empty
    ImportedCells imported_;
    SumArrays to_; ///< of the rows
    bool has_potentials_ = false;
    Memory<Vec3<double>> acceleration_{large_memory()};
    Memory<double> potential_{large_memory()};
    Memory<float> work_{large_memory()}, work_of_target_{large_memory()};
};

void HostPart::start_imports(const TreeReach& reach)
{
    imported_.clear(*tree_, top_, own_);
    resize_discarding(reach_, own_.cells);
#pragma omp parallel for if (reach_.size() > worth_threads) schedule(static)
    for (std::size_t c = 0; c < reach_.size(); ++c)
        reach_[c] = reach.of(tree_->moments, Index(c));
}

std::uint64_t HostPart::return_results(const TargetGroups& groups, bool has_work_of_targets,
                                       Communicator& ranks)
{
    const auto& order = octree().order;
    if (has_work_of_targets) {
#pragma omp parallel for if (groups.target_count > worth_threads) schedule(static)
        for (std::size_t t = 0; t < groups.target_count; ++t)
            work_[order[groups.target(t)]] = work_of_target_[t];
    }
    std::vector<float> placed(now().has_targets ? 0 : size());
#pragma omp parallel for if (placed.size() > worth_threads) schedule(static)
    for (std::size_t k = 0; k < placed.size(); ++k)
        placed[k] = work_[order[k]];
    const std::span<float> of_rows = rows_.make_room_for_work(std::move(placed));
    const auto store_acceleration = [&](std::size_t i, const Vec3<double>& a) {
        to_.acceleration.store_vector(i, a);
    };
    const auto store_potential = [&](std::size_t i, double value) {
        to_.potential.store(i, 0, value);
    };
    const auto store_work = [of_rows](std::size_t i, float value) { of_rows[i] = value; };
    arrivals_.return_results(
        sorted_, ranks,
        ResultColumn<Vec3<double>, decltype(store_acceleration)>{acceleration_, store_acceleration},
        ResultColumn<double, decltype(store_potential)>{potential_, store_potential,
                                                        has_potentials_},
        ResultColumn<float, decltype(store_work)>{work_, store_work});
    std::uint64_t work = 0;
#pragma omp parallel for if (size() > worth_threads) schedule(static) reduction(+ : work)
    for (std::size_t i = 0; i < work_.size(); ++i)
        work += std::uint64_t(work_[i]);
    return work;
}

} // namespace

std::unique_ptr<DomainPart> make_host_part()
{
    return std::make_unique<HostPart>();
}

} // namespace chamomile
