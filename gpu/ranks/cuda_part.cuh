/// \file  A rank's particles and tree on its GPU.
#pragma once

#include <utility>
#include <vector>

#include "chamomile/gpu/ranks/essential_cells.cuh"
#include "chamomile/gpu/ranks/field_estimates.cuh"
#include "chamomile/gpu/ranks/returned_sums.cuh"
#include "chamomile/gpu/ranks/top_of_tree.cuh"
#include "chamomile/gpu/tree/device_tree_steps.cuh"

namespace chamomile {

/// A PartRows holds the rows' device arrays outside DeviceTree. Received particles follow the rows.
struct PartRows {
    TreeParticles particles; ///< the caller's arrays
    DeviceBuffer<GlobalIndex> number;
    std::pair<std::uint64_t, std::size_t> numbered = {}; ///< arrangement and rows at upload
    DeviceBuffer<std::uint8_t> is_target;
    DeviceBuffer<Index> targets, flag;
    PinnedBuffer<Index> host_flag;
    RowWork work;
    bool received_have_lengths = false;
    RootCube cube; ///< of the last sort
};

/// Host copies of the rows, for recomputed sums and error messages.
struct HostRows {
    std::vector<Vec3<double>> position;
    std::vector<double> mass, softening;
};

/// A CudaPart keeps a rank's rows, received particles and tree on its GPU. Cells of the coarse tree
/// and of this rank are numbered in the order of the tree. Imported cells and nodes follow.
class CudaPart final : public DomainPart, DeviceTreeSteps {
public:
    CudaPart(std::shared_ptr<DeviceTree> tree, std::shared_ptr<PinnedMemory> pinned)
        : DeviceTreeSteps(std::move(tree), std::move(pinned)), arriving_(*tree_, scratch_),
          top_(*tree_), staged_(pinned_.get()), essential_(*tree_, scratch_),
          sums_(*tree_, arriving_)
    {}
    ~CudaPart() override { synchronize_device(tree_->device); }

    void take(const TreeParticles& particles, bool keeps_cells) override;
    RowsSeen look() override;
    void sort(const RootCube& cube, std::uint64_t first) override;
    void count(std::span<const KeyRange> cells, std::span<OctantCounts> counts) override;
    LeafSums leaf_sums(const CoarseTree& coarse) override;
    void receive(Tree&, const DistributedTree& distributed, const TreePlan& plan,
                 Communicator& ranks) override
    {
        receive_rows(distributed, plan, ranks);
    }
    void receive_moved(const DistributedTree& distributed, const TreePlan& plan,
                       Communicator& ranks) override
    {
        use_device();
        if (has_lengths_ && !rows_.received_have_lengths)
            return receive_rows(distributed, plan, ranks);
        arriving_.exchange_moved(make_room(n() + arriving_.received()), ranks);
        gather(nullptr);
    }
    Moments sum_moments(const TreePlan& plan) override
    {
        use_device();
        if (own_.cells == 0)
            return Moments();
        if (!has_new_cells_) // drops imported cells
            top_.plant_cells();
        DeviceTreeSteps::sum_moments(own_.cells, plan.criterion->order);
        Moments roots = top_.moments_of_roots(plan.criterion->order);
        send_moments(own_.cells, staged_.moments, plan); // while ranks share the roots' moments
        return roots;
    }
    void make_tree(Tree& tree, const DistributedTree& distributed, const TreePlan& plan) override;
    std::span<const Index> cell_of() const override { return top_.numbered().cell_of(); }

    bool cut_groups(TargetGroups& groups, const Tree& tree, const GroupSizes& sizes) override
    {
        return size() > 0 &&
               DeviceTreeSteps::cut_groups(
                   groups, sizes,
                   {own_.cells, own_.roots.front(), tree.octree.cells[own_.roots.back()].next});
    }
    void find_targets(TargetGroups& groups) override
    {
        groups.found.clear();
        if (size() == 0)
            return;
        targets_.find(groups, rows_.is_target.data(), 1);
        groups.found.assign(groups.targets.begin(), groups.targets.end());
    }
    void find_boxes(TargetGroups& groups, double) override
    {
        if (!groups.groups.empty())
            targets_.find_boxes(groups);
    }
    void find_softenings(TargetGroups& groups) override
    {
        DeviceTreeSteps::find_softenings(groups);
    }

    void find_owners(std::span<const CoarseOpening> coarse, std::span<const ImportRegion> regions,
                     int ranks, std::span<char> owners) override
    {
        constexpr std::size_t worth_a_kernel = 64;
        if (regions.size() < worth_a_kernel)
            return find_owners_on_host(coarse, regions, ranks, owners);
        use_device();
        essential_.find_owners(coarse, regions, ranks, owners);
    }
    void make_nodes(Tree&, const AcceptanceCriterion&) override {} // make_tree() does
    void import(Tree& tree, const ImportRequests& asked, const DistributedTree& distributed,
                Communicator& ranks) override
    {
        use_device();
        essential_.import(own_, asked, tree.moments.multipole[0], ranks);
        add_nodes(tree, distributed.coarse, asked.criterion);
    }
    void estimate(const Walk& walk, const TargetGroups& groups,
                  std::span<double> accelerations) override
    {
        use_device();
        if (!has_targets())
            return estimates_.find(*tree_, down_, walk, groups, accelerations);
        down_.wait(); // for few clusters the host is faster
        estimate_on_host(walk, groups, accelerations);
    }
    void finish() override { down_.wait(); }
    Imported imported() const override { return essential_.imported(); }

    std::size_t size() const override { return arriving_.arrivals(); }
    std::size_t cells() const override { return own_.cells - top_.numbered().tops().size(); }
    std::span<const Index> active() const override { return {}; }

    ArrivalSums begin_sums(const SumArrays& to, std::size_t targets, bool with_potentials) override
    {
        use_device();
        return sums_.begin(to, !has_targets(), targets, with_potentials, rows_.work);
    }
    std::span<float> work_of_targets() override { return sums_.work_of_targets(); }
    void record_work(const TargetGroups&, const InteractionLists&, int) override {}
    std::uint64_t return_results(const TargetGroups&, bool, Communicator& ranks) override
    {
        use_device();
        return sums_.send(has_targets() ? rows_.is_target.data() : nullptr,
                          rows_.particles.ranks->targets, ranks);
    }

    std::vector<Index> leaving() override
    {
        use_device();
        return arriving_.order_on_host();
    }
    std::vector<Index> arriving() override
    {
        use_device();
        return arriving_.arriving_on_host();
    }
    std::vector<std::size_t> leaving_begins(const DistributedTree& distributed) const override
    {
        std::vector<std::size_t> begins;
        for (const std::size_t leaf : distributed.domains.first_leaf)
            begins.push_back(leaf_begins_[leaf]);
        return begins;
    }
    Rows rows() override;
    /// Returns the bytes of particles, cells and nodes on the GPU.
    std::size_t held_bytes() const override
    {
        const std::size_t with_received = n() + arriving_.received(),
                          cells = own_.cells + essential_.imported().cells,
                          nodes = own_.nodes + essential_.divided(),
                          particles = size() + essential_.imported().particles;
        return with_received * (sizeof(Vec3<double>) + sizeof(double) + sizeof(GlobalIndex)) +
               (n() + size()) * (sizeof(Key) + sizeof(Index)) + particles * sizeof(Source) +
               cells * (sizeof(Cell) + sizeof(Multipole) + sizeof(Box)) + nodes * sizeof(WalkNode);
    }

    void fetch_order(Octree& octree) override { DeviceTreeSteps::fetch_order(octree); }
    void fetch_sources(Octree& octree) override { DeviceTreeSteps::fetch_sources(octree); }
    void fetch_bounds(Moments& moments) override { DeviceTreeSteps::fetch_bounds(moments); }
    std::pmr::memory_resource* memory() override { return pinned_.get(); }

private:
    std::size_t n() const { return rows_.particles.count; }
    bool has_targets() const { return rows_.particles.ranks->has_targets; }
    RowColumns columns()
    {
        return {tree_->positions.data(), tree_->masses.data(),
                has_lengths_ ? lengths_.data() : nullptr, rows_.number.data(),
                has_targets() ? rows_.is_target.data() : nullptr};
    }
    RowColumns make_room(std::size_t all);
    /// Gathers the sources. Null `masses`: they keep their masses.
    void gather(const double* masses)
    {
        tree_->particles = size();
        tree_->sources.reserve(size() + size() / 16); // for imports: extend() would hold two copies
        if (size() > 0)
            gather_sources({tree_->positions.data(), masses});
        gather_softenings(has_lengths_, rows_.particles.longest_softening);
    }
    void receive_rows(const DistributedTree& distributed, const TreePlan& plan,
                      Communicator& ranks);
    void place_rows(bool keeps_cells);
    void copy_targets();
    bool are_finite(Box& box);
    void divide(const DistributedTree& distributed, const TreePlan& plan);
    void send_cells();
    void divide_on_host(const DistributedTree& distributed, const TreePlan& plan);
    void add_nodes(Tree& tree, const CoarseTree& coarse, const AcceptanceCriterion& criterion);

    PartRows rows_;
    ArrivingRows arriving_;
    DeviceTop top_;
    OwnCells own_;
    Tree staged_;             // the next tree's data, copied to the host
    std::size_t divided_ = 0; // divided cells of the coarse tree and this rank
    EssentialCells essential_;
    FieldEstimates estimates_;
    ReturnedSums sums_;
    std::vector<std::size_t> leaf_begins_{0}; // first row of each coarse leaf
    bool has_new_cells_ = true;               // cells not yet moved to a tree on the host
    HostRows host_;
    Octree host_octree_; // cells divided on the host
};

} // namespace chamomile
