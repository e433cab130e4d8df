/// \file  The accelerations and potentials in double with which `accuracy` and `bench` compare.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/options/options.hpp"
#include "chamomile/force/reference_sum.hpp"
#include "chamomile/force/solver.hpp"

namespace chamomile::app {

/// A ReferenceDevice sums long references. Automatic: on a GPU if there is one.
enum class ReferenceDevice { automatic, cpu, gpu };

/// ReferenceRequest states which sums are compared with direct ones.
struct ReferenceRequest {
    int sample; ///< particles that are compared; 0: none
    ReferenceDevice device = ReferenceDevice::automatic;
};

/// Returns --sample and --reference.
std::vector<OptionRow<ReferenceRequest>> reference_rows(Range sample_range);

/// Throws Error(usage) if a GPU is requested for the sums of a periodic box.
void require_reference(const Options& options, ReferenceDevice device, bool in_box);

/// A Reference holds direct sums over all particles for a sample of them, made once for each
/// softening. Up to 2e9 pairs are summed by reference_sum(). Longer sums are made by the direct
/// solver in double, which gives accelerations and potentials alone: up to 1000 targets, evenly
/// spread, are then summed by reference_sum() too, as a check of the solver and for the scale of
/// Dehnen's error.
class Reference {
public:
    /// Keeps a reference to the particles, whose accelerations and potentials sums() overwrites.
    /// `box` is the side of their periodic box, in which the sums are Ewald's by the periodic
    /// direct solver; 0: isolated.
    Reference(Particles& particles, std::size_t sample, double gravitational_constant,
              ReferenceDevice device, double box = 0);

    const std::vector<Index>& targets() const { return targets_; }

    /// Returns the sums for a softening. Throws Error(device) for a GPU that is absent,
    /// Error(numeric) for a solver that differs from reference_sum() by more than 1e-12 of sum_j G
    /// m_j / r_ij^2, or of the potential.
    const ReferenceSums& sums(Softening softening);

    /// Returns a text such as "5000 targets pair by pair in double", after the first sums().
    const std::string& text() const { return text_; }

private:
    ReferenceSums by_solver(Softening softening);
    ReferenceSums in_box(Softening softening);
    /// Returns a solver's results for the targets, without the scale of Dehnen's error.
    ReferenceSums taken_from(Solver& solver);

    Particles& particles_;
    std::vector<Index> targets_;
    double gravitational_constant_;
    ReferenceDevice device_;
    double box_;
    std::string text_;
    std::map<std::pair<SofteningKind, double>, ReferenceSums> sums_;
};

} // namespace chamomile::app
