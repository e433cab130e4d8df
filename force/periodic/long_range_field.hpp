/// \file  The long range of a periodic box, added to a tree's short range (TreePM: Bagla 2002,
/// Springel 2005).
#pragma once

#include <memory>
#include <vector>

#include "chamomile/core/periodic.hpp"
#include "chamomile/force/evaluator.hpp"
#include "chamomile/force/mesh/long_range.hpp"
#include "chamomile/force/settings.hpp"
#include "chamomile/tree/tree_builder.hpp"

namespace chamomile {

class Archive;
class Communicator;
struct RankSubset;

/// Max cutoff radius over a periodic cube's side; target groups need the rest.
inline constexpr double max_of_periodic_box = 0.45;

/// Returns the options; if the number of mesh cells is open, chooses about `cells` cells in the
/// mean particle distance.
PeriodicOptions with_mesh(PeriodicOptions periodic, double box, std::size_t particles,
                          double cells = 2);

/// Returns r_s, which splits the force into its ranges, for modes or a mesh with a known number of
/// cells.
double split_radius(const PeriodicOptions& periodic, double box);

/// The options for a long range (mesh or modes), made once the number of particles is known, and
/// its current field.
class LongRangeField {
public:
    /// `given`, if not null, replaces the long range made from the options.
    LongRangeField(const SolverOptions& resolved, std::unique_ptr<LongRange> given);

    /// Makes the long range, once. On a device it belongs to the evaluator, which adds its field to
    /// the sums. `ranks`, if not null, share the sources; `particles` are on all ranks. Returns the
    /// options with the values chosen.
    const PeriodicOptions& make(std::size_t particles, Evaluator& evaluator, Communicator* ranks);

    double split() const { return long_range_->split_radius(); }
    double cut() const { return options_.periodic.cut * split(); }
    const LongRange* of_evaluator() const { return is_evaluators_ ? long_range_.get() : nullptr; }

    /// Begins to compute the field of these sources after their tree was built. `mass` is of all
    /// sources, on all ranks. `has_potentials`: any rank will add potentials.
    void prepare(const TreeParticles& sources, double mass, bool has_potentials, Profile& profile);
    /// Finds typical_acceleration() of the last field, once. `count` is of the sources on all
    /// ranks.
    void find_typical(const TreeParticles& sources, std::size_t count, Profile& profile);

    /// Makes the field known at n places other than the sources. Collective.
    void cover(std::size_t n, const ArrayView& position) { long_range_->cover(n, position); }
    /// Adds G times the last field.
    void add(std::size_t n, const ArrayView& position, std::span<const Index> active,
             const ArrayView& acceleration, const ArrayView& potential, Profile& profile) const;

    /// Adds the gradient of a loss of both ranges' sums, apart from the short range's.
    void add_adjoint(const LongRangeLoss& loss, const ArrayView& position, const ArrayView& mass,
                     Profile& profile);

    PotentialOffset potential_offset() const { return potential_offset(mass_); }

    /// Returns the acceleration to which a tolerance refers if a target's acceleration is less, G =
    /// 1: the root mean square of the field at some particles in the last find_typical(). At least
    /// a hundredth of a neighbour's attraction, because on a lattice the field is 0.
    double typical_acceleration() const { return typical_; }

    void exchange(Archive& archive);

private:
    PotentialOffset potential_offset(double mass_of_all) const;
    double sampled_acceleration(const TreeParticles& sources, std::size_t count, Profile& profile);
    std::span<const Index> places_of(std::span<const std::uint64_t> numbers,
                                     const RankSubset& subset, std::size_t own);
    std::vector<double> gathered(std::span<const double> values, std::span<const Index> sample,
                                 std::span<const std::uint64_t> numbers,
                                 const RankSubset& subset) const;

    SolverOptions options_;
    Periodicity box_;
    std::unique_ptr<LongRange> long_range_;
    bool is_evaluators_ = false;
    Communicator* ranks_ = nullptr;
    double mass_ = 0; ///< of the sources of the last field
    double typical_ = 0;
    bool has_typical_ = false;   ///< of the last field
    std::vector<Index> sampled_; ///< local sources of the last sample, on ranks
};

} // namespace chamomile
