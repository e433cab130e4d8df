/// \file  Accelerations and potentials in double, the reference for `accuracy` and `bench`.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/options/options.hpp"
#include "chamomile/force/reference_sum.hpp"
#include "chamomile/force/solver.hpp"

namespace chamomile::app {

/// Device for long reference sums. Automatic: a GPU if available.
enum class ReferenceDevice { automatic, cpu, gpu };

/// Returns the device as in SolverOptions.
const char* device_word(ReferenceDevice device);

/// ReferenceRequest states which sums are compared with direct ones.
struct ReferenceRequest {
    int sample; ///< particles that are compared; 0: none
    ReferenceDevice device = ReferenceDevice::automatic;
};

/// Returns --sample and --reference.
std::vector<OptionRow<ReferenceRequest>> reference_rows(Range sample_range);

/// Throws Error(usage) if a GPU is requested for sums in a periodic box.
void require_reference(const Options& options, ReferenceDevice device, bool in_box);

/// A Reference holds direct sums over all particles for sampled targets, computed once per
/// softening. reference_sum() sums up to 2e9 pairs. Above, the direct solver sums in double; it
/// returns accelerations and potentials only. reference_sum() then also sums up to 1000 evenly
/// spread targets, which checks the solver and gives the scale of Dehnen's error.
class Reference {
public:
    /// Keeps a reference to the particles; sums() overwrites their accelerations and potentials. If
    /// `box` > 0, the periodic direct solver sums by Ewald's method in a box with this side; 0:
    /// isolated.
    Reference(Particles& particles, std::vector<Index> targets, double gravitational_constant,
              ReferenceDevice device, double box = 0);

    const std::vector<Index>& targets() const { return targets_; }
    ReferenceDevice device() const { return device_; }

    /// Returns the sums for a softening. Throws Error(device) if the GPU is absent, Error(numeric)
    /// if the solver differs from reference_sum() by more than 1e-12 relative to sum_j G m_j /
    /// r_ij^2, or to the potential.
    const ReferenceSums& sums(Softening softening);

    /// Returns a text such as "5000 targets pair by pair in double". Call sums() first.
    const std::string& text() const { return text_; }

private:
    ReferenceSums by_solver(Softening softening);

    Particles& particles_;
    std::vector<Index> targets_;
    double gravitational_constant_;
    ReferenceDevice device_;
    double box_;
    std::string text_;
    std::map<std::pair<SofteningKind, double>, ReferenceSums> sums_;
};

} // namespace chamomile::app
