/// \file  The walk of the tree (Barnes & Hut 1986), once per cluster and continued for each group
/// (Barnes 1990).
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "chamomile/tree/interaction_lists.hpp"
#include "chamomile/tree/walk_nodes.hpp"
#include "chamomile/tree/walk_region.hpp"

namespace chamomile {

struct WalkKernels;
struct WalkScratch;

/// Parameters for a cluster's estimated acceleration, in WalkUnits. Two fields add in squares: the
/// smoothed field of all mass at the cluster's center of mass, and `own`. There the cluster's own
/// field cancels, so `own` is its field at the root mean square distance of its particles.
struct ClusterField {
    Vec3<double> place;       ///< center of mass, in the particles' units
    double softening_squared; ///< smooths the field of all mass
    double own;               ///< acceleration

    /// Returns the acceleration, given the square of the field at the place.
    double acceleration(double field_squared, double min) const;
};

/// Makes the interaction lists of groups, eight cells at a time. Lists depend only on the tree, the
/// criterion and the clusters, not on batches, threads or the instruction set.
class Walk {
public:
    /// `instruction_set`: auto or one of instruction_sets(). Throws Error(device) if unknown or not
    /// supported.
    explicit Walk(const std::string& instruction_set = "auto");
    ~Walk();

    /// Sets the octree and its nodes, made for this criterion. Keeps references until the next
    /// call.
    void prepare(const Octree& octree, const WalkNodes& nodes,
                 const AcceptanceCriterion& criterion);

    /// Appends the lists of clusters first .. last and of their groups. Several threads may call
    /// it.
    void list(InteractionLists& lists, const TargetGroups& groups, std::size_t first_cluster,
              std::size_t last_cluster) const;

    /// Appends only the clusters' far cells and the cells left to their groups
    /// (InteractionLists::open), for an evaluator that finishes the lists. Several threads may call
    /// it.
    void open(InteractionLists& lists, const TargetGroups& groups, std::size_t first_cluster,
              std::size_t last_cluster) const;

    /// Estimates the acceleration of the cluster's particles for the relative criterion, with G =
    /// 1, in the particles' units. In a Plummer sphere the estimate is within a factor of 1.6 for
    /// 98 % of the particles.
    double acceleration(const Cluster& cluster) const;

    /// Returns acceleration() in WalkUnits, where squares neither overflow nor vanish.
    double scaled_acceleration(const Cluster& cluster) const;

    /// For callers that sum fields elsewhere: the parameters for a cluster with mass, and the
    /// scaled acceleration from the squared field.
    ClusterField field_of(const Cluster& cluster) const;
    double scaled_acceleration(const ClusterField& field, double squared) const
    {
        return field.acceleration(squared, criterion_.scaled_min_acceleration(nodes_->units));
    }
    /// Returns the clearance in every cell's OpeningRadius::min. Estimates of the acceleration
    /// subtract it.
    double clearance() const;
    WalkPeriod period() const { return {criterion_.periodicity, criterion_.cut}; }
    const WalkUnits& units() const { return nodes_->units; }

private:
    void walk(const TargetGroups& groups, const Cluster& cluster, bool finishes,
              WalkScratch& scratch) const;
    void append_rows(InteractionLists& lists, const TargetGroups& groups, const Cluster& cluster,
                     WalkScratch& scratch) const;
    void append_open_rows(InteractionLists& lists, const TargetGroups& groups,
                          const Cluster& cluster, const WalkScratch& scratch) const;
    double scaled_acceleration(const Cluster& cluster, WalkScratch& scratch) const;
    std::unique_ptr<WalkScratch> acquire_scratch() const;
    void give_back(std::unique_ptr<WalkScratch> scratch) const;

    std::unique_ptr<const WalkKernels> kernels_;
    AcceptanceCriterion criterion_;
    const Octree* octree_ = nullptr;
    const WalkNodes* nodes_ = nullptr;
    mutable std::mutex mutex_;
    mutable std::vector<std::unique_ptr<WalkScratch>> idle_; // of threads that do not walk
};

} // namespace chamomile
