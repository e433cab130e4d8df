/// \file  Repeats direct float sums in double where forces cancel or pairs are too close
/// (force/repairs/cancellation.hpp).
#pragma once

#include "chamomile/force/evaluator.hpp"
#include "chamomile/force/simd/host_kernel.hpp"

namespace chamomile {

/// Finds and repairs sums at cancelling targets on the CPU. Keeps memory between calls.
class CancellingTargets {
public:
    /// Reads the softening and the instruction set from `options`.
    explicit CancellingTargets(const SolverOptions& options);

    /// `output` holds float sums for all `groups` over all particles in `octree`; cancelling sums
    /// are overwritten. Returns how many. No bit depends on the number of threads.
    std::size_t sum_again(const Octree& octree, const TargetGroups& groups,
                          const InternalScale& scale, const ForceOutput& output);

private:
    void set_sources(const Octree& octree, const InternalScale& scale);
    void find(const Octree& octree, const TargetGroups& groups, const ForceOutput& output);
    void find_blurred(const TargetGroups& groups, const InternalScale& scale);
    FewTargets some(const Index* targets, std::size_t count) const;

    Softening softening_;
    double scatter_;
    AbsoluteForceKernel absolute_force_;
    DoubleKernel (*few_targets_)(const LawChoice&);
    double softening_length_ = 0;       // the min
    std::vector<double> own_softening_; // eps^2 for per-particle softening
    std::vector<Source> sources_;       // in internal units
    std::vector<PseudoParticle> clumps_;
    std::vector<char> cancels_;  // or is blurred, per target
    std::vector<Index> targets_; // to repair: sorted particles
};

} // namespace chamomile
