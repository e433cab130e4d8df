/// \file  The accelerations and potentials in double that `accuracy` and `bench` compare with.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/options/options.hpp"
#include "chamomile/force/reference_sum.hpp"
#include "chamomile/force/solver.hpp"

namespace chamomile::app {

/// Where long ones are summed. Automatic: on a GPU if there is one.
enum class ReferenceDevice { automatic, cpu, gpu };

/// Adds --sample and --reference.
void add_reference(Options& options, int& sample, ReferenceDevice& device, Range sample_range);

/// Throws Error(usage) for a GPU asked for where the sums are those of a periodic box.
void require_reference(const Options& options, ReferenceDevice device, bool in_box);

/// Direct sums over all particles for a sample of them, made once for each softening. Up to 2e9
/// pairs by reference_sum(). Longer ones by the direct solver in double, which knows accelerations
/// and potentials alone: up to 1000 targets, evenly spread, are then summed by reference_sum() too,
/// as a check of the solver and for the scale of Dehnen's error.
class Reference {
public:
    /// Keeps a reference to the particles, whose accelerations and potentials sums()
    /// overwrites.
    /// `box`: the side of their periodic box, where sums are those of Ewald by the periodic direct
    /// solver; 0: isolated.
    Reference(Particles& particles, std::size_t sample, double gravitational_constant,
              ReferenceDevice device, double box = 0);

    const std::vector<Index>& targets() const { return targets_; }

    /// Throws Error(device) for a GPU that is absent, Error(numeric) for a solver that is more than
    /// 1e-12 of sum_j G m_j / r_ij^2, or of the potential, away from reference_sum().
    const ReferenceSums& sums(Softening softening);

    /// Such as "5000 targets pair by pair in double", after the first sums().
    const std::string& text() const { return text_; }

private:
    ReferenceSums by_solver(Softening softening);
    ReferenceSums in_box(Softening softening);
    /// What a solver makes of the targets, without the scale of Dehnen's error.
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
