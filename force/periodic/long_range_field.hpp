/// \file  The long range of a periodic box beside a tree's short range (TreePM: Bagla 2002,
/// Springel 2005).
#pragma once

#include <memory>
#include <vector>

#include "chamomile/core/periodic.hpp"
#include "chamomile/force/evaluator.hpp"
#include "chamomile/force/settings.hpp"
#include "chamomile/mesh/long_range.hpp"
#include "chamomile/tree/tree_builder.hpp"

namespace chamomile {

class Archive;

/// The cut radius may be this part of the side of a periodic cube: groups of targets need the rest.
inline constexpr double most_of_periodic_box = 0.45;

/// Returns the same options with the number of cells that is taken for so many particles, where it
/// is left open: two cells in the mean distance of particles.
PeriodicOptions with_mesh(PeriodicOptions periodic, double box, std::size_t particles);

/// Returns r_s, by which the ranges of the force part, for a mesh whose number of cells is known or
/// for modes.
double split_radius(const PeriodicOptions& periodic, double box);

/// This class has the options of a long range, a mesh or modes, which is made when the number of
/// particles is known, and its present field.
class LongRangeField {
public:
    /// `given` is taken in place of one made by the options.
    LongRangeField(const SolverOptions& resolved, std::unique_ptr<LongRange> given);

    /// Makes the long range, once; on a device it is that of the evaluator, whose field the
    /// evaluator adds to the sums itself. Returns the options with what was chosen.
    const PeriodicOptions& make(std::size_t particles, Evaluator& evaluator);

    double split() const { return long_range_->split_radius(); }
    double cut() const { return options_.periodic.cut * split(); }
    const LongRange* of_evaluator() const { return is_evaluators_ ? long_range_.get() : nullptr; }

    /// Makes the field of these sources, whose tree has been built.
    void prepare(const TreeParticles& sources, Profile& profile);

    /// Adds G times the last field.
    void add(std::size_t n, const ArrayView& position, std::span<const Index> active,
             const ArrayView& acceleration, const ArrayView& potential, Profile& profile) const;

    /// Returns what is missing in a potential that has both ranges: a source's own smooth part is
    /// taken off, and the mean of the cube becomes 0 (that of the short range is -4 pi r_s^2 M /
    /// V). For a target that is no source `mass` is 0.
    double potential_offset(double mass) const;

    /// Returns the acceleration that a tolerance is a part of where the target's own is less, G =
    /// 1: the root mean square of the last field at some particles. On a lattice, where there is
    /// none, it is a hundredth of what a neighbour's attraction would be.
    double typical_acceleration() const { return typical_; }

    void exchange(Archive& archive);

private:
    double find_typical(const TreeParticles& sources, Profile& profile) const;

    SolverOptions options_;
    Periodicity box_;
    std::unique_ptr<LongRange> long_range_;
    bool is_evaluators_ = false;
    double mass_ = 0; ///< of all sources of the last field
    double typical_ = 0;
};

} // namespace chamomile
