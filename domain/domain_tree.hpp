/// \file  One tree dealt to the ranks: from the rows of all ranks to the lists of each.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "chamomile/core/profile.hpp"
#include "chamomile/domain/forest.hpp"

namespace chamomile {

/// A DomainPlan states what a tree is built for.
struct DomainPlan {
    /// Without a criterion it is a tree of points, which pull at nothing and have no lists of their
    /// own.
    TreePlan tree;
    /// The shares of the work at which the domains are cut; empty: equal ones.
    std::vector<double> shares = {};
    bool has_lists = true; ///< of its own groups; else serve() says whose lists are made
};

/// A DomainTree is the tree of the rows of all ranks. Each rank has the particles of its domain and
/// makes the lists of their groups. Cells, groups and lists are those of one rank alone, whatever
/// the number of ranks and the cuts: a list has the same cells and particles in the same order.
/// All members but list() and open() are called by all ranks together.
class DomainTree {
public:
    DomainTree(Communicator& communicator, const std::string& instruction_set)
        : communicator_(communicator), walk_(instruction_set)
    {}
    DomainTree(const DomainTree&) = delete;
    DomainTree& operator=(const DomainTree&) = delete;

    /// Throws the same Error(input) on all ranks if a position or mass is not finite or a mass is
    /// negative, and Error(input) if there are too many particles.
    void build(const Rows& rows, const DomainPlan& plan, Profile& profile);
    /// Takes the same rows, which have moved since they were built: order and cells stay. Targets
    /// may be others, and domains are those of the build but for leaves at their ends. Throws as
    /// build().
    void refit(const Rows& rows, const DomainPlan& plan, Profile& profile);

    /// Has list() and open() make the lists of these groups of points beside the tree, until the
    /// next build or refit.
    void serve(const TargetGroups& points, const AcceptanceCriterion& criterion, Profile& profile);

    std::size_t total() const { return coarse_.octree.size; } ///< particles of all ranks
    std::size_t targets() const                               ///< of all ranks
    {
        return coarse_.targets_before.empty() ? 0 : coarse_.targets_before.back();
    }
    /// Returns this rank's rows in the order of the tree, and where those of each rank's domain
    /// begin, with their number after them.
    std::span<const Index> leaving() const { return sorted_.order; }
    std::vector<std::size_t> leaving_begins() const
    {
        return begins_of_ranks(sorted_, coarse_, domains_);
    }
    /// Returns the number of particles of this rank's domain, which hold its targets.
    std::size_t size() const { return arrivals_.size(); }

    /// Returns the tree as this rank sees it. The first size() entries of its order tell the
    /// number of each particle among this rank's arrivals.
    const Tree& tree() const { return forest_.tree; }
    const TargetGroups& groups() const { return groups_; }
    /// Returns the arrivals of this rank that are targets, in their order; none if all are.
    std::span<const Index> active() const { return arrivals_.targets(); }
    /// Returns this rank's particles and their cells, to which the groups refer.
    const Octree& own() const { return local_.octree; }
    const EssentialTrees& essential() const { return essential_; }
    std::size_t local_cells() const { return local_.octree.cells.size(); }
    /// Returns the bytes that this rank has sent for the imports of the last tree.
    std::uint64_t import_bytes() const { return import_bytes_; }
    /// Returns the bytes that this rank holds.
    std::size_t memory() const;

    /// Appends the lists of clusters first .. last. Several threads may call it.
    void list(InteractionLists& lists, std::size_t first, std::size_t last) const;
    /// Does the same for an evaluator that finishes the lists of groups.
    void open(InteractionLists& lists, std::size_t first, std::size_t last) const;

    /// Does what Arrivals::send_home() does.
    template <class T, class Store>
    void send_home(std::span<const T> arrivals, const Store& store)
    {
        arrivals_.send_home(arrivals, sorted_, communicator_, store);
    }

private:
    std::uint64_t most_in_leaf(const TreePlan& plan, std::uint64_t all) const;
    std::vector<Piece> pieces(const Rows& rows, const TreePlan& plan) const;
    void make_local(const Rows& rows, const TreePlan& plan, Profile& profile);
    void finish(const Rows& rows, const DomainPlan& plan, Profile& profile);
    void find_groups(const Rows& rows, const TreePlan& plan);
    std::vector<Cell> own_leaves() const;
    std::vector<Region> regions(const AcceptanceCriterion& criterion) const;

    Communicator& communicator_;
    RootCube cube_;
    KeyedRows sorted_;
    CoarseTree coarse_;
    Domains domains_, built_domains_; // of now, and of the build
    Arrivals arrivals_;
    LocalTrees local_;
    EssentialTrees essential_;
    Forest forest_;
    TargetGroups groups_;
    const TargetGroups* listed_ = &groups_; // those of the lists
    Walk walk_;
    std::uint64_t import_bytes_ = 0;
};

} // namespace chamomile
