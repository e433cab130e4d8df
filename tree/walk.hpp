/// \file  The walk of the tree (Barnes & Hut 1986), once per cluster and continued for each group
/// (Barnes 1990).
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "chamomile/tree/interaction_lists.hpp"
#include "chamomile/tree/walk_nodes.hpp"

namespace chamomile {

struct WalkKernels;
struct WalkScratch;

/// A ClusterField says from what the acceleration of a cluster is estimated, in WalkUnits: from the
/// smoothed field of everything at its centre of mass, and from that of its own particles at their
/// mean distance from it, which cancels there.
struct ClusterField {
    Vec3<double> place; ///< in the units of the particles
    double softening_squared, own;

    /// Returns the acceleration, given the square of the field at the place.
    double acceleration(double field_squared, double least) const;
};

/// A Walk lists the interactions of groups, eight cells at a time. The lists depend on the tree,
/// the criterion and the clusters alone: not on batches, threads or the instruction set.
class Walk {
public:
    /// `instruction_set` is auto or one of instruction_sets(). Throws Error(device) if there is
    /// none such.
    explicit Walk(const std::string& instruction_set = "auto");
    ~Walk();

    /// Keeps references to the octree and its nodes, which were made for this criterion, until the
    /// next call.
    void prepare(const Octree& octree, const WalkNodes& nodes,
                 const AcceptanceCriterion& criterion);

    /// Appends the lists of clusters first .. last and of their groups. Several threads may call
    /// it.
    void list(InteractionLists& lists, const TargetGroups& groups, std::size_t first_cluster,
              std::size_t last_cluster) const;

    /// Appends the far cells of these clusters and the cells that they leave open, for an evaluator
    /// that finishes the lists of the groups. Several threads may call it.
    void open(InteractionLists& lists, const TargetGroups& groups, std::size_t first_cluster,
              std::size_t last_cluster) const;

    /// Returns an estimate of the acceleration of the cluster's particles, G = 1, in the units of
    /// the particles; the relative criterion compares with it. In a Plummer sphere it is within a
    /// factor of 1.6 of the acceleration of 98 % of them.
    double acceleration(const Cluster& cluster) const;

    /// Returns acceleration() in WalkUnits, in which squares neither overflow nor vanish.
    double scaled_acceleration(const Cluster& cluster) const;

    /// For those who sum fields elsewhere: what is summed for a cluster that has mass, and the
    /// scaled acceleration that follows from the square of the field.
    ClusterField field_of(const Cluster& cluster) const;
    double scaled_acceleration(const ClusterField& field, double squared) const
    {
        return field.acceleration(squared, least_acceleration());
    }
    /// Returns the distance that an estimate leaves out of CellReach::least.
    double clearance() const;
    const WalkUnits& units() const { return nodes_->units; }

private:
    void walk(const TargetGroups& groups, const Cluster& cluster, bool finishes,
              WalkScratch& scratch) const;
    void append_rows(InteractionLists& lists, const TargetGroups& groups, const Cluster& cluster,
                     WalkScratch& scratch) const;
    void append_open_rows(InteractionLists& lists, const TargetGroups& groups,
                          const Cluster& cluster, const WalkScratch& scratch) const;
    double scaled_acceleration(const Cluster& cluster, WalkScratch& scratch) const;
    double least_acceleration() const;
    std::unique_ptr<WalkScratch> take_scratch() const;
    void give_back(std::unique_ptr<WalkScratch> scratch) const;

    std::unique_ptr<const WalkKernels> kernels_;
    AcceptanceCriterion criterion_;
    const Octree* octree_ = nullptr;
    const WalkNodes* nodes_ = nullptr;
    mutable std::mutex mutex_;
    mutable std::vector<std::unique_ptr<WalkScratch>> idle_; // of threads that do not walk
};

} // namespace chamomile
