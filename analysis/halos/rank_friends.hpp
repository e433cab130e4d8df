/// \file  Friends of friends of particles on ranks.
#pragma once

#include <vector>

#include "chamomile/analysis/halos/rank_halos.hpp"
#include "chamomile/core/large_memory.hpp"
#include "chamomile/core/ranks/column_exchange.hpp"

namespace chamomile {

/// RankFriends sends particles outside this rank's slab to their ranks, and finds the groups with
/// most members on this rank. Functions are collective.
class RankFriends {
public:
    /// Keeps references and the views in `matter`. Throws like halos_of_ranks().
    RankFriends(const RankMatter& matter, const RankHaloRequest& request, Communicator& ranks);

    /// Returns the groups of this rank. Members are indices in particles(), ascending by number.
    ParticleGroups find();

    /// Returns the home particles of this rank, then arrivals from other ranks: particles in this
    /// slab, then members of groups. find() invalidates
    /// earlier results.
    HaloMatter particles() const;
    /// Returns the particle number of particles()[i], counted over all ranks.
    std::uint64_t number_of(std::size_t i) const
    {
        const std::size_t n = home_.position.size();
        return i < n ? home_.first + i : arrived_.number[i - n];
    }
    SlabMatter slab() const { return {slabs_, ranks_, in_slab_}; }

private:
    /// Particles of other ranks.
    struct Arrivals {
        UnsetArray<Vec3<double>> position, velocity;
        UnsetArray<double> mass;
        UnsetArray<std::uint64_t> number;
        UnsetArray<std::uint8_t> type;
    };

    /// A Piece is the part of a group that this rank sees.
    struct Piece {
        std::uint64_t label = 0; ///< smallest number of a member known so far, if shared
        std::size_t count = 0;   ///< of members in the slab, if shared
        bool is_shared = false;  ///< it may continue in another slab
    };

    /// Particles near the faces of slabs. Indices count the linked particles: those in in_slab_,
    /// then those from other slabs.
    struct Boundary {
        std::size_t first = 0;             ///< of the particles sent, the last linked ones
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
        Index place; ///< in particles()
    };

    void enter_slabs();
    void require_room() const;
    /// Calls visit(rank) for each slab below within a linking length of a place in this slab.
    template <class Visit>
    void for_receivers(const Vec3<double>& place, const Visit& visit) const
    {
        slabs_.for_slabs_below(place, ranks_.rank(), request_.rule.linking_length, visit);
    }
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
    RankMatter home_;
    RankSlabs slabs_;
    Arrivals arrived_;
    UnsetArray<Index> in_slab_; ///< particles in this slab, linked ones first
    Boundary boundary_;
    std::vector<Piece> pieces_; ///< per linked group
    ExchangeMemory memory_;
};

} // namespace chamomile
