/// \file  The steps by which a tree is built on a device, for one rank alone and for one of
/// several.
#pragma once

#include <utility>
#include <vector>

#include "chamomile/gpu/device/caching_allocator.cuh"
#include "chamomile/gpu/tree/device_cells.cuh"
#include "chamomile/gpu/tree/device_groups.cuh"
#include "chamomile/gpu/tree/device_keys.cuh"
#include "chamomile/gpu/tree/device_targets.cuh"
#include "chamomile/tree/own_softenings.hpp"

namespace chamomile {

/// NodePlan is what reaches of cells depend on.
struct NodePlan {
    AcceptanceCriterion criterion;
    Multipole root; ///< read only with per-particle softening
};

/// DeviceTreeSteps queue the steps of a tree's build in its stream. A builder calls them in the
/// order of the functions here.
class DeviceTreeSteps {
protected:
    DeviceTreeSteps(std::shared_ptr<DeviceTree> tree, std::shared_ptr<PinnedMemory> pinned)
        : tree_(std::move(tree)), pinned_(std::move(pinned)), targets_(*tree_), keys_(scratch_),
          cells_(*tree_, scratch_), groups_(*tree_, scratch_)
    {}
    ~DeviceTreeSteps() = default;

    void use_device() const { check(cudaSetDevice(tree_->device), "choose the device"); }

    /// Upload what particles have, masses and softening lengths while keys are sorted.
    void upload_positions(const TreeParticles& particles);
    void upload_masses(const TreeParticles& particles);
    void upload_softenings(const TreeParticles& particles);

    /// Returns the positions where they lie, if that will do, or a copy.
    std::span<const Vec3<double>> host_positions(const TreeParticles& particles);

    /// Finds the boundaries between n sorted keys, for the host, when the stream has come so far.
    void find_boundaries(Boundaries& between, std::size_t n);
    /// Gathers the sources. In a box those of the last build or refit are there, and say which
    /// images are wanted.
    void gather_sources(Periodicity box = {});
    /// Gathers the softenings of the sources, which are there; `longest` cuts them.
    void gather_softenings(bool has_lengths, double longest);

    /// Sums moments of n cells up to that order, and their softenings.
    void sum_moments(Index n, int order);
    /// Queues the copy of those moments of n cells to the host that its groups need.
    void send_moments(Index n, Moments& moments, const TreePlan& plan);

    /// Makes the nodes of the first n cells, of which `divided` have daughters, and queues their
    /// copy to the host.
    void start_nodes(WalkNodes& nodes, const NodePlan& plan, Index n, std::size_t divided);
    /// Cuts groups of the cells from `first` to `end`, of n cells, if the plan was for all
    /// particles and they are many; else returns false.
    bool cut_groups(TargetGroups& groups, const GroupSizes& sizes, Index n, Index first, Index end);

    void fetch_order(Octree& octree);
    void fetch_sources(Octree& octree);
    void fetch_bounds(Moments& moments);
    void find_softenings(TargetGroups& groups);

    std::shared_ptr<DeviceTree> tree_; // its device is the current one when the streams are made
    std::shared_ptr<PinnedMemory> pinned_;
    DeviceTargets targets_;
    CachingAllocator scratch_;
    DeviceKeys keys_;
    DeviceCells cells_;
    DeviceBuffer<std::uint8_t> levels_, octants_, least_; // of particles that share keys
    DeviceBuffer<Index> mothers_, missing_;
    DeviceBuffer<double> lengths_; // the caller's order
    bool has_lengths_ = false;     // of the last build or refit that uploaded them
    Stream masses_stream_;         // masses come while the keys are sorted
    Stream down_;                  // what the host reads goes down while the tree is built on
    Event masses_uploaded_, cells_here_, moments_here_, filled_;
    PinnedBuffer<CellSoftening> host_softening_; // of the root
    PinnedBuffer<unsigned long long> host_sent_; // numbers of moments that the host gets

private:
    void upload_numbers(const ArrayView& numbers, const TreeParticles& particles,
                        DeviceBuffer<double>& to, std::vector<double>& memory);
    template <class Moment>
    void send(Index n, const PieceLimits& limits, const Moment* moments, Moment* host);

    std::vector<Vec3<double>> host_positions_; // of callers whose arrays are not dense
    std::vector<double> host_masses_, host_lengths_;
    DeviceBuffer<unsigned long long> sent_;
    DeviceGroups groups_;
    bool cuts_groups_ = false; // of the tree that was planned last
};

} // namespace chamomile
