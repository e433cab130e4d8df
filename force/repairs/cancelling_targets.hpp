/// \file  Direct sums in float, made once more in double where forces cancel or pairs are too close
/// (force/repairs/cancellation.hpp).
#pragma once

#include "chamomile/force/evaluator.hpp"
#include "chamomile/force/simd/host_kernel.hpp"

namespace chamomile {

/// Finds and repairs the sums of cancelling targets on the processor. Memory is kept between calls.
class CancellingTargets {
public:
    /// Takes the softening and the instruction set from these options.
    explicit CancellingTargets(const SolverOptions& options);

    /// `output` holds the sums in float of all `groups` over all particles of `octree`; those that
    /// cancel are overwritten. Returns how many did. No bit depends on the number of threads.
    std::size_t sum_again(const Octree& octree, const TargetGroups& groups,
                          const InternalScale& scale, const ForceOutput& output);

private:
    void take_sources(const Octree& octree, const InternalScale& scale);
    void find(const Octree& octree, const TargetGroups& groups, const ForceOutput& output);
    void find_blurred(const TargetGroups& groups, const InternalScale& scale);
    FewTargets some(const Index* targets, std::size_t count) const;

    Softening softening_;
    double scatter_;
    AbsoluteForceKernel absolute_force_;
    PreciseKernel precise_[2][2];       // by lengths of their own and potential wanted
    double softening_length_ = 0;       // the least
    std::vector<double> own_softening_; // eps^2 of particles with lengths of their own
    std::vector<Source> sources_;       // in internal units
    std::vector<Clump> clumps_;
    std::vector<char> cancels_;  // or is blurred, by target
    std::vector<Index> targets_; // of these: sorted particles
};

} // namespace chamomile
