/// \file  The steps of a tree's build on a device, for one rank or several.
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

/// A NodePlan holds the inputs of opening radii.
struct NodePlan {
    AcceptanceCriterion criterion;
    Multipole root; ///< read only with per-particle softening
};

/// A DeviceTreeSteps queues the steps of a tree's build in the tree's stream. A builder calls the
/// functions in the order of declaration. Its many members are the buffers and events of these
/// steps, kept between builds.
class DeviceTreeSteps {
protected:
    DeviceTreeSteps(std::shared_ptr<DeviceTree> tree, std::shared_ptr<PinnedMemory> pinned)
        : tree_(std::move(tree)), pinned_(std::move(pinned)), targets_(*tree_),
          scratch_(tree_->phase_memory), keys_(scratch_), cells_(*tree_, scratch_),
          groups_(*tree_, scratch_)
    {}
    ~DeviceTreeSteps() = default;

    void use_device() const { check(cudaSetDevice(tree_->device), "choose the device"); }

    /// Begins a build. The streams wait until the memory of the last mesh can be used.
    void begin();
    /// Upload positions, and masses and softening lengths while the keys are sorted. If `in_place`,
    /// arrays packed on the device are read where they are.
    void upload_positions(const TreeParticles& particles, bool in_place);
    void upload_masses(const TreeParticles& particles, bool in_place);
    void upload_softenings(const TreeParticles& particles);

    /// The particles in the caller's order, in the caller's memory or in the tree's.
    struct Uploaded {
        const Vec3<double>* position;
        const double* mass;
    };

    /// Returns the caller's positions if they are dense on the host, or a copy.
    std::span<const Vec3<double>> host_positions(const TreeParticles& particles);

    /// Finds the boundaries between n sorted keys. The host may read them once the stream is done.
    void find_boundaries(Boundaries& between, std::size_t n);
    /// Gathers the sources. In a periodic box, `sources` must hold the last build or refit; each
    /// new position is the image nearest to the previous one.
    void gather_sources(const Uploaded& particles, Periodicity box = {});
    /// Gathers the sources' squared softening lengths; lengths are limited to `longest`.
    void gather_softenings(bool has_lengths, double longest);

    /// Sums the moments of n cells up to `order`, and their softenings.
    void sum_moments(Index n, int order);
    /// Queues the copy of the moments that the host's grouping needs, of n cells: of the root alone
    /// if the device cuts groups.
    void send_moments(Index n, Moments& moments, const TreePlan& plan);
    bool cuts_groups() const { return cuts_groups_; }

    /// Makes the nodes of the first n cells, `divided` of them with daughters, and queues their
    /// copy to the host.
    void start_walk_nodes(WalkNodes& nodes, const NodePlan& plan, Index n, std::size_t divided);
    /// Cuts groups of all particles, or of those of a rung. Returns false without cutting if the
    /// last plan said that targets may be listed, or if there are few particles.
    bool cut_groups(TargetGroups& groups, const GroupSizes& sizes, const CellRange& cells,
                    const SourceTargets& targets = {});

    void fetch_order(Octree& octree);
    void fetch_sources(Octree& octree);
    void fetch_bounds(Moments& moments);
    void find_softenings(TargetGroups& groups);

    std::shared_ptr<DeviceTree> tree_; // its device must be current when the streams are made
    std::shared_ptr<PinnedMemory> pinned_;
    DeviceTargets targets_;
    PhaseAllocator scratch_;
    DeviceKeys keys_;
    DeviceCells cells_;
    DeviceBuffer<std::uint8_t> levels_, octants_, min_; // boundaries, for division on the host
    DeviceBuffer<Index> mothers_, missing_;
    DeviceBuffer<double> lengths_; // in the caller's order
    Uploaded here_{};
    bool has_lengths_ = false; // `lengths_` is uploaded
    Stream masses_stream_;     // for uploads during the sort
    Stream down_;              // for copies to the host during the build
    Event begun_, masses_uploaded_, cells_here_, moments_here_, filled_;
    PinnedBuffer<CellSoftening> host_softening_; // of the root
    PinnedBuffer<unsigned long long> host_sent_; // count of doubles sent to the host

private:
    template <class Array>
    const double* upload_numbers(const ArrayView& numbers, const TreeParticles& particles,
                                 Array& to, std::vector<double>& memory, bool in_place);
    template <class Moment>
    void send(Index n, const PieceLimits& limits, const Moment* moments, Moment* host);

    std::vector<Vec3<double>> host_positions_; // copies of arrays that are not dense
    std::vector<double> host_masses_, host_lengths_;
    DeviceBuffer<unsigned long long> sent_;
    DeviceGroups groups_;
    bool cuts_groups_ = false; // in the last plan
    Index summed_ = 0;         // cells with moments
};

} // namespace chamomile
