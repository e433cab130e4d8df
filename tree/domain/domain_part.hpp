/// \file  One rank's work on its particles and their cells.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "chamomile/tree/domain/arrival_sums.hpp"
#include "chamomile/tree/domain/coarse_tree.hpp"
#include "chamomile/tree/domain/domains.hpp"
#include "chamomile/tree/domain/region.hpp"
#include "chamomile/tree/interaction_lists.hpp"
#include "chamomile/tree/tree_builder.hpp"
#include "chamomile/tree/walk.hpp"

namespace chamomile {

/// Finds owners of remote leaves with host threads (DomainPart::find_owners()).
void find_owners_on_host(std::span<const CoarseOpening> coarse,
                         std::span<const ImportRegion> regions, int ranks, std::span<char> owners);

/// The coarse tree, the domains cut from it, and this rank.
struct DistributedTree {
    const CoarseTree& coarse;
    const Domains& domains;
    int rank;

    std::size_t first_leaf() const { return domains.first_leaf[std::size_t(rank)]; }
    std::size_t end_leaf() const { return domains.first_leaf[std::size_t(rank) + 1]; }
    /// Returns this rank's leaves of the coarse tree. Cell::begin is an index into its sorted
    /// arrivals.
    std::vector<Cell> own_leaves() const;
};

/// Requests from remote ranks for cells of the local trees.
struct ImportRequests {
    const Inbox& regions; ///< ImportRegion records, by sending rank
    const AcceptanceCriterion& criterion;
    const WalkUnits& units; ///< of the tree
};

/// Numbers of imported particles and cells.
struct Imported {
    std::size_t particles = 0, cells = 0;
};

/// A DomainPart holds a rank's particles before the exchange (rows) and after it (arrivals: the
/// particles in the rank's domain), in host or GPU memory. DomainTreeBuilder calls the functions in
/// the order below.
class DomainPart {
public:
    virtual ~DomainPart() = default;

    /// Sets the rows. `keeps_cells`: they are the rows of the last call at new positions, for a
    /// tree that keeps its cells. Keeps references to arrays.
    virtual void take(const TreeParticles& particles, bool keeps_cells) = 0;
    /// Scans the rows for their bounding box and bad values.
    virtual RowsSeen look() = 0;
    /// Sorts the rows by key. `first`: number of rows on lower ranks.
    virtual void sort(const RootCube& cube, std::uint64_t first) = 0;
    /// Counts the rows in the octants of each cell.
    virtual void count(std::span<const KeyRange> cells, std::span<OctantCounts> counts) = 0;
    /// Sums work, target counts and boxes of the rows in each leaf.
    virtual LeafSums leaf_sums(const CoarseTree& coarse) = 0;

    /// Sends each row to the rank whose domain contains it, receives the arrivals and makes their
    /// cells, on the host in `tree`. Later calls up to the next receive() must name the same tree.
    virtual void receive(Tree& tree, const DistributedTree& distributed, const TreePlan& plan,
                         Communicator& ranks) = 0;
    /// Like receive() for the same rows, but sends only current positions and target marks.
    virtual void receive_moved(const DistributedTree& distributed, const TreePlan& plan,
                               Communicator& ranks) = 0;
    /// Drops imports and sums the moments of local cells. Returns the moments at this rank's coarse
    /// leaves, without bounds.
    virtual Moments sum_moments(const TreePlan& plan) = 0;
    /// Fills `tree` with the coarse tree, whose moments are complete, and the local cells.
    virtual void make_tree(Tree& tree, const DistributedTree& distributed,
                           const TreePlan& plan) = 0;

    /// Returns for each coarse cell its index in the tree.
    virtual std::span<const Index> cell_of() const = 0;
    /// Cuts and finishes the groups of all arrivals. Returns false without groups if the host is
    /// faster.
    virtual bool cut_groups(TargetGroups&, const Tree&, const GroupSizes&) { return false; }
    /// Fills TargetGroups::found with the sorted places of target arrivals.
    virtual void find_targets(TargetGroups& groups) = 0;
    /// Makes group boxes tight around their targets.
    virtual void find_boxes(TargetGroups& groups, double longest_side) = 0;
    /// Fills the softening of groups and clusters.
    virtual void find_softenings(TargetGroups& groups) = 0;

    /// Drops imports and prepares the local cells for remote requests.
    virtual void start_imports(const TreeReach&) {}
    /// Makes the walk nodes of the coarse tree and the local cells.
    virtual void make_nodes(Tree& tree, const AcceptanceCriterion& criterion) = 0;
    /// Estimates the scaled acceleration of every cluster.
    virtual void estimate(const Walk& walk, const TargetGroups& groups,
                          std::span<double> accelerations) = 0;
    /// Returns whether estimates equal the walk's bit for bit; a GPU rounds differently.
    virtual bool estimates_as_walk() const { return false; }
    /// Sets entry r * ranks + k of `owners` to 1 if region r opens a leaf of the remote rank k;
    /// other entries are 0.
    virtual void find_owners(std::span<const CoarseOpening> coarse,
                             std::span<const ImportRegion> regions, int ranks,
                             std::span<char> owners)
    {
        find_owners_on_host(coarse, regions, ranks, owners);
    }
    /// Sends the cells that remote ranks requested, and adds the cells that this rank requested to
    /// the tree, with their walk nodes. Replaces earlier imports, which must not have opened other
    /// leaves if start_imports() was not called in between.
    virtual void import(Tree& tree, const ImportRequests& asked, const DistributedTree& distributed,
                        Communicator& ranks) = 0;
    /// Completes the tree on the host.
    virtual void finish() {}
    virtual Imported imported() const = 0;

    virtual std::size_t size() const = 0;  ///< number of arrivals
    virtual std::size_t cells() const = 0; ///< number of local cells
    /// Returns the target arrivals in rising order; empty: all, or the part is on a GPU.
    virtual std::span<const Index> active() const = 0;

    /// Returns where an evaluator writes the sums of arrivals. return_results() then completes
    /// `to`, the arrays of the rows.
    virtual ArrivalSums begin_sums(const SumArrays& to, std::size_t targets,
                                   bool with_potentials) = 0;
    /// Returns where an evaluator that finishes lists writes the work of each target, in memory of
    /// this part's device.
    virtual std::span<float> work_of_targets() = 0;
    /// Computes the work of targets (row_work()) from complete lists. Several threads may call it.
    virtual void record_work(const TargetGroups& groups, const InteractionLists& lists,
                             int groups_per_cluster) = 0;
    /// Sends sums and work back to the ranks that brought the rows. Returns the total work for
    /// local targets.
    virtual std::uint64_t return_results(const TargetGroups& groups, bool has_work_of_targets,
                                         Communicator& ranks) = 0;

    /// Returns the row of each sorted row: rows in tree order, as they are sent to ranks.
    virtual std::vector<Index> leaving() = 0;
    /// Returns the arrival of each sorted local particle. ReceivedParticles are numbered by sending
    /// rank, then in tree order.
    virtual std::vector<Index> arriving() = 0;
    /// Returns where the rows sent to each rank begin in leaving(); last entry: number of rows.
    virtual std::vector<std::size_t> leaving_begins(const DistributedTree& distributed) const = 0;
    /// Returns the rows on the host.
    virtual Rows rows() = 0;
    virtual std::size_t held_bytes() const = 0;

    /// As in TreeBuilder: fetch arrays to the host.
    virtual void fetch_order(Octree&) {}
    virtual void fetch_sources(Octree&) {}
    virtual void fetch_bounds(Moments&) {}
    virtual std::pmr::memory_resource* memory() = 0;
};

/// Estimates every cluster's acceleration with host threads (DomainPart::estimate()).
void estimate_on_host(const Walk& walk, const TargetGroups& groups,
                      std::span<double> accelerations);

/// Makes a part for particles in host memory.
std::unique_ptr<DomainPart> make_host_part();

} // namespace chamomile
