/// \file  Friends of friends of particles on ranks.
#pragma once

#include <vector>

#include "chamomile/analysis/halos/linking_cells.hpp"
#include "chamomile/analysis/halos/rank_halos.hpp"
#include "chamomile/core/ranks/column_exchange.hpp"

namespace chamomile {

/// RankFriends moves particles to slabs and finds the groups with most members on this rank.
/// Functions are collective.
class RankFriends {
public:
    /// Keeps references. Throws like halos_of_ranks().
    RankFriends(const RankMatter& matter, const RankHaloRequest& request, Communicator& ranks);

    /// Returns the groups of this rank. Members are indices in particles(), ascending by number.
    ParticleGroups find();

    /// Returns the particles of this rank's slab, then members of groups from other slabs. Ids are
    /// numbers.
    const Particles& particles() const { return own_; }
    SlabMatter slab() const { return {slabs_, ranks_, in_slab_}; }

private:
    /// A Piece is the part of a group that this rank sees.
    struct Piece {
        std::uint64_t label = 0; ///< smallest number of a member known so far, if shared
        std::size_t count = 0;   ///< of members in the slab, if shared
        bool is_shared = false;  ///< it may continue in another slab
    };

    /// Particles near the faces of slabs. Indices count the linked particles: those of the slab,
    /// then those from other slabs.
    struct Boundary {
        std::size_t first = 0;             ///< of the particles sent, the last ones of the slab
        std::size_t end = 0;               ///< first particle from another slab
        std::vector<Index> sent;           ///< by receiving rank
        std::vector<std::size_t> begin;    ///< first of `sent` per rank, and the end
        std::vector<std::size_t> from;     ///< first particle received per rank, and the end
        std::vector<std::uint64_t> number; ///< of particles received
        std::vector<Index> piece;          ///< of particles from `first` on
    };

    /// A Tally counts the members of a piece on a rank. An answer has all members of the group and
    /// the rank with most of them.
    struct Tally {
        std::uint64_t label, count;
        std::size_t rank;
    };

    /// A Member of a shared group.
    struct Member {
        std::size_t rank; ///< of the group
        std::uint64_t label;
        Index place; ///< in own_
    };

    void move_to_slabs(const RankMatter& matter);
    UnsetArray<Vec3<double>> exchange_boundary();
    ParticleGroups link(std::span<const Vec3<double>> position) const;
    void find_pieces(const ParticleGroups& linked);
    void agree_on_labels();
    std::vector<Tally> tallies() const;
    std::vector<Tally> judged(std::vector<Tally> own);
    std::vector<Member> shared_members(const ParticleGroups& linked,
                                       const std::vector<Tally>& groups) const;
    void receive_members(std::vector<Member>& members);
    ParticleGroups collected(const ParticleGroups& linked, std::vector<Member> members) const;

    const RankHaloRequest& request_;
    Communicator& ranks_;
    RankSlabs slabs_;
    Particles own_;
    std::size_t in_slab_ = 0;
    std::vector<Index> chosen_; ///< linked particles of the slab
    Boundary boundary_;
    std::vector<Piece> pieces_; ///< per linked group
    ExchangeMemory memory_;
};

} // namespace chamomile
