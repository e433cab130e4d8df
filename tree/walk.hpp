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

    /// Returns the factor of CellReach::relative with which the cluster's lists are made; 0 for a
    /// criterion that compares with no acceleration.
    double relative_factor(const Cluster& cluster) const;

    /// Returns within which distance of a cluster's centre of mass, at least, that estimate looks
    /// into a cell with this reach, or of a place as far from it as the cluster's extent.
    static double estimate_reach(const CellReach& reach, const AcceptanceCriterion& criterion);

private:
    void walk(const TargetGroups& groups, const Cluster& cluster, bool finishes,
              WalkScratch& scratch) const;
    void append_rows(InteractionLists& lists, const TargetGroups& groups, const Cluster& cluster,
                     WalkScratch& scratch) const;
    void append_open_rows(InteractionLists& lists, const TargetGroups& groups,
                          const Cluster& cluster, const WalkScratch& scratch) const;
    double scaled_acceleration(const Cluster& cluster, WalkScratch& scratch) const;
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
