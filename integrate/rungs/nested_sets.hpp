/// \file  The nested sets of particles of a hierarchical step.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "chamomile/force/solver.hpp"
#include "chamomile/integrate/external/term.hpp"
#include "chamomile/integrate/rungs/block_levels.hpp"

namespace chamomile {

class Communicator;
class CrossingFinder;

/// The drifts of due particles over their own steps, by level.
struct LevelDrifts {
    LevelFactors factor{};
    std::array<std::optional<FrameTurn>, BlockLevels::deepest + 1> turn{}; ///< of a rotating frame
    CrossingFinder* crossings = nullptr; ///< looks at each particle, on the host only
};

/// NestedSets splits the Hamiltonian of gravity by level (Pelupessy et al. 2012, Springel et al.
/// 2021). A set holds the particles of one level and of all deeper levels. Its accelerations are
/// those among its members alone. With K(l) half a step of level l, the due sets of levels l0 < l1
/// < ... kick their members by K(l0) a(l0) + (K(l1) - K(l0)) a(l1) + ...: each pair is kicked both
/// ways by the step of its slower particle, and momentum is conserved. Between its kicks a particle
/// drifts by its own step.
///
/// Accelerations and potentials of due particles include all particles, for step criteria: what
/// slower particles add is held since the set was opened. Members are kept where the store keeps
/// its particles; a processor and a GPU give the same bits. On several ranks each has its part of
/// every set, and results of open() and drift() are those of all ranks.
class NestedSets {
public:
    virtual ~NestedSets() = default;

    /// Sets the ranks that share the sets.
    void share(Communicator& ranks) { ranks_ = &ranks; }

    std::size_t count() const { return heads_.size(); }
    /// Returns the set of all due particles, if `level` has the longest step due.
    std::size_t first_due(int level) const;
    std::size_t size(std::size_t set) const { return heads_[set].size; }
    int level(std::size_t set) const { return heads_[set].level; }
    bool is_whole(std::size_t set) const { return set == 0; }

    /// Makes the sets within `first` again, one for each of `levels`, ascending; the first of them
    /// is the new level of `first`.
    void open(std::size_t first, std::span<const int> levels);
    /// True if a set with the same members was evaluated at this time.
    bool is_known(std::size_t set) const { return heads_[set].is_known; }
    /// Returns the members in host memory, ascending; empty: all particles, or on a GPU.
    virtual std::span<const Index> members(std::size_t) const { return {}; }
    /// Returns a request for the accelerations, and optionally potentials, of the members alone.
    virtual Request request(std::size_t set, bool potentials) = 0;
    /// Returns the members' ids, where the request has none.
    virtual std::vector<std::uint64_t> ids(std::size_t set) = 0;
    /// Marks an opened set as evaluated. Holds what other particles add to its accelerations.
    void hold(std::size_t set);
    /// Sets the members' accelerations and potentials: this set's, plus those held.
    void add_held(std::size_t set, bool potentials);

    /// Drifts the members. Returns false if a position is not finite, on any rank.
    bool drift(std::size_t set, const LevelDrifts& drifts);
    /// Kicks the members of `first` and of the sets within. Returns false if an acceleration is not
    /// finite on this rank.
    bool kick(std::size_t first, const LevelFactors& factors);

protected:
    /// Begins a whole step with the set of all `particles`, at their present accelerations.
    void begin(std::size_t particles) { heads_.assign(1, {0, particles, true}); }

private:
    struct Head {
        int level = 0;
        std::size_t size = 0;
        bool is_known = true;
    };

    /// Ends all sets from number `first` on, for append().
    virtual void end_sets(std::size_t first) = 0;
    /// Selects the last set's members of `level` and deeper. Returns a number for each ended set: 0
    /// if its members are these, else 1.
    virtual std::vector<std::uint64_t> select(int level) = 0;
    /// Makes a set of the selected members, from the ended set `same` if given. Returns its size.
    virtual std::size_t append(std::optional<std::size_t> same) = 0;
    virtual void drop_ended() = 0;
    virtual void hold_others(std::size_t set) = 0;
    virtual void add_others(std::size_t set, bool potentials) = 0;
    /// Drifts the members. Returns false if a position is not finite.
    virtual bool drift_members(std::size_t set, const LevelDrifts& drifts) = 0;
    /// Kicks the members by the set's accelerations. Returns false if one is not finite.
    virtual bool kick_members(std::size_t set, double factor) = 0;

    std::vector<Head> heads_;
    Communicator* ranks_ = nullptr;
};

} // namespace chamomile
