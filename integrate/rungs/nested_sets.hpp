/// \file  The nested sets of particles of a hierarchical step.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "chamomile/core/particles.hpp"
#include "chamomile/core/periodic.hpp"
#include "chamomile/force/solver.hpp"
#include "chamomile/integrate/external/term.hpp"
#include "chamomile/integrate/rungs/block_levels.hpp"

namespace chamomile {

/// The drifts of due particles over their own steps, by level.
struct LevelDrifts {
    LevelFactors factor{};
    std::array<std::optional<FrameTurn>, BlockLevels::deepest + 1> turn{}; ///< of a rotating frame
};

/// NestedSets splits the Hamiltonian of gravity by level (Pelupessy et al. 2012, Springel et al.
/// 2021). A set holds the particles of one level and of all deeper levels. Its accelerations are
/// those among its members alone. With K(l) half a step of level l, the due sets of levels l0 < l1
/// < ... kick their members by K(l0) a(l0) + (K(l1) - K(l0)) a(l1) + ...: each pair is kicked both
/// ways by the step of its slower particle, and momentum is conserved. Between its kicks a particle
/// drifts by its own step.
///
/// Particles::acceleration and potential of due particles include all particles, for step criteria:
/// what slower particles add is held since the set was opened.
class NestedSets {
public:
    /// The store's arrays, which must outlive the calls.
    struct Rows {
        Particles& particles;
        const std::vector<std::uint8_t>& level;
        /// Accelerations and potentials of an external field at due particles, or empty.
        const std::vector<Vec3<double>>& external;
        const std::vector<double>& external_potential;
        Periodicity box;
    };

    /// Begins a whole step with the set of all particles, at their present accelerations.
    void begin(const Rows& rows);

    std::size_t count() const { return sets_.size(); }
    /// Returns the set of all due particles, if `level` has the longest step due.
    std::size_t first_due(int level) const;
    std::size_t size(std::size_t set) const;
    int level(std::size_t set) const { return sets_[set].level; }
    /// Returns the members, ascending; empty: all particles.
    std::span<const Index> members(std::size_t set) const { return sets_[set].members; }
    bool is_whole(std::size_t set) const { return set == 0; }

    /// Makes the sets within `first` again, one for each of `levels`, ascending; the first of them
    /// is the new level of `first`.
    void open(std::size_t first, std::span<const int> levels);
    /// True if a set with the same members was evaluated at this time.
    bool is_known(std::size_t set) const { return sets_[set].is_known; }
    /// Returns a request for the accelerations, and optionally potentials, of the members alone.
    Request request(std::size_t set, bool potentials);
    /// Marks an opened set as evaluated. Holds what other particles add to its accelerations.
    void hold(std::size_t set);
    /// Sets the members' accelerations and potentials: this set's, plus those held.
    void add_held(std::size_t set, bool potentials);

    /// Drifts the members. Returns false if a position is not finite.
    bool drift(std::size_t set, const LevelDrifts& drifts);
    /// Kicks the members of `first` and of the sets within. Returns false if an acceleration is not
    /// finite.
    bool kick(std::size_t first, const LevelFactors& factors);

private:
    struct Set {
        int level = 0;
        bool is_known = true;
        std::vector<Index> members; ///< ascending; empty in the set of all
        std::vector<std::uint64_t> id;
        std::vector<double> mass, softening, potential, held_potential;
        std::vector<Vec3<double>> position, acceleration, held;
    };

    void gather(Set& set) const;
    Vec3<double> external(std::size_t i) const
    {
        return rows_->external.empty() ? Vec3<double>{} : rows_->external[i];
    }

    std::optional<Rows> rows_;
    std::vector<Set> sets_;
};

} // namespace chamomile
