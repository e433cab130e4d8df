/// \file  What one rank of several does with its own particles and their cells.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "chamomile/domain/arrival_sums.hpp"
#include "chamomile/domain/coarse_tree.hpp"
#include "chamomile/domain/domains.hpp"
#include "chamomile/domain/region.hpp"
#include "chamomile/tree/interaction_lists.hpp"
#include "chamomile/tree/tree_builder.hpp"
#include "chamomile/tree/walk.hpp"

namespace chamomile {

/// A DealtTree refers to the top of the tree of all ranks and to the domains.
struct DealtTree {
    const CoarseTree& coarse;
    const Domains& domains;
    int rank;

    std::size_t first_leaf() const { return domains.first_leaf[std::size_t(rank)]; }
    std::size_t end_leaf() const { return domains.first_leaf[std::size_t(rank) + 1]; }
    /// Returns the leaves of the coarse tree that this rank has, which count its arrivals.
    std::vector<Cell> own_leaves() const;
};

/// Asked is what other ranks ask of this rank's trees.
struct Asked {
    const Inbox& regions; ///< Region records of each rank
    const AcceptanceCriterion& criterion;
    const TreeReach& reach; ///< of the whole tree
};

/// Imported counts what has come from other ranks.
struct Imported {
    std::size_t particles = 0, cells = 0;
};

/// A DomainPart has the particles that a rank brings (rows) and those of its domain (arrivals), on
/// the rank's processor or GPU. DomainTreeBuilder calls it in the order of the functions here.
class DomainPart {
public:
    virtual ~DomainPart() = default;

    /// Takes rows, new ones or those of before that have moved, and looks through them. Keeps
    /// references to arrays.
    virtual RowsSeen take(const TreeParticles& particles, bool keeps_cells) = 0;
    /// Sorts the rows by key. `first` is the number of rows of the ranks before.
    virtual void sort(const RootCube& cube, std::uint64_t first) = 0;
    /// Counts the rows in the octants of these cells.
    virtual void count(std::span<const KeyRange> cells, std::span<OctantCounts> counts) = 0;
    /// Measures the rows in each leaf of the coarse tree.
    virtual LeafSums measure(const CoarseTree& coarse) = 0;

    /// Sends each row to the rank of its domain, takes those of this rank and makes their cells.
    virtual void receive(const DealtTree& dealt, const TreePlan& plan, Communicator& ranks) = 0;
    /// Sends where the same rows are now, and whether they are targets.
    virtual void receive_moved(const DealtTree& dealt, const TreePlan& plan,
                               Communicator& ranks) = 0;
    /// Sums the moments of this rank's cells. Returns those of its leaves of the coarse tree.
    virtual Moments sum_moments(const TreePlan& plan) = 0;
    /// Fills the tree with the coarse tree, whose moments are complete, and this rank's cells.
    virtual void make_tree(Tree& tree, const DealtTree& dealt, const TreePlan& plan) = 0;

    /// Returns the tree's cell of each cell of the coarse tree.
    virtual std::span<const Index> cell_of() const = 0;
    /// Cuts and finishes the groups of all arrivals and returns true; false if the host is faster.
    virtual bool cut_groups(TargetGroups&, const Tree&, const GroupSizes&) { return false; }
    /// Fills TargetGroups::found with the sorted places of the arrivals that are targets.
    virtual void find_targets(TargetGroups& groups) = 0;
    /// Makes boxes of groups tight around their targets.
    virtual void find_boxes(TargetGroups& groups, double longest_side) = 0;
    /// Fills the softenings of groups and clusters.
    virtual void find_softenings(TargetGroups& groups) = 0;

    /// Prepares this rank's trees for what other ranks ask.
    virtual void start_imports(const TreeReach&) {}
    /// Answers what other ranks ask, and gives the tree what comes in answer to this rank's.
    virtual void import(Tree& tree, const Asked& asked, const DealtTree& dealt,
                        Communicator& ranks) = 0;
    /// Makes the nodes of the tree.
    virtual void make_nodes(Tree& tree, const AcceptanceCriterion& criterion) = 0;
    /// Estimates the scaled accelerations of all clusters.
    virtual void estimate(const Walk& walk, const TargetGroups& groups,
                          std::span<double> accelerations) = 0;
    /// Tells whether estimates have the bits of the walk's; a GPU rounds otherwise.
    virtual bool estimates_as_walk() const { return false; }
    /// Gives the tree the particles that lists need.
    virtual void finish(Tree& tree) = 0;
    virtual Imported imported() const = 0;

    virtual std::size_t size() const = 0;  ///< arrivals
    virtual std::size_t cells() const = 0; ///< of the arrivals
    /// Returns the arrivals and their cells if they are on the host; null: they are on a GPU.
    virtual const Octree* octree() const { return nullptr; }
    /// Returns the arrivals that are targets, in their order; none if all are.
    virtual std::span<const Index> active() const = 0;

    /// Returns where the sums of arrivals go on their way to arrays of the rows.
    virtual ArrivalSums begin_sums(const SumArrays& to, std::size_t targets,
                                   bool with_potentials) = 0;
    /// Returns where an evaluator that finishes lists puts the work of each target, on this part's
    /// device.
    virtual std::span<float> work_of_targets() = 0;
    /// Finds the work of targets from whole lists. Several threads may call it.
    virtual void note_work(const TargetGroups& groups, const InteractionLists& lists,
                           int groups_per_cluster) = 0;
    /// Brings sums and work to the ranks that have the rows. Returns the work of all targets here.
    virtual std::uint64_t send_home(const TargetGroups& groups, bool has_work_of_targets,
                                    Communicator& ranks) = 0;

    /// Returns the rows in the order of the tree.
    virtual std::vector<Index> leaving() = 0;
    /// Returns which arrival each of this rank's sorted particles is, by numbers that count those
    /// of rank 0 first, then those of rank 1 and so on, each in the order of the tree.
    virtual std::vector<Index> arriving() = 0;
    /// Returns where the rows of each rank's domain begin in the order of the tree, and after them
    /// all.
    virtual std::vector<std::size_t> leaving_begins(const DealtTree& dealt) const = 0;
    /// Returns the rows on the host.
    virtual Rows rows() = 0;
    virtual std::size_t held_bytes() const = 0;

    /// Bring what a builder leaves with its device (TreeBuilder).
    virtual void fetch_order(Octree&) {}
    virtual void fetch_sources(Octree&) {}
    virtual void fetch_bounds(Moments&) {}
    virtual std::pmr::memory_resource* memory() = 0;
};

/// Estimates the accelerations of all clusters with all threads (DomainPart::estimate()).
void estimate_on_host(const Walk& walk, const TargetGroups& groups,
                      std::span<double> accelerations);

/// Makes the part of a rank whose particles are on its processor.
std::unique_ptr<DomainPart> make_host_part();

} // namespace chamomile
