/// \file  The inner loops of the host evaluator, as the rest of the library calls them.
///
/// Only plain structs and pointers cross this interface, because the loops are compiled once per
/// instruction set with flags that the caller's code must not share.
#pragma once

#include "chamomile/core/periodic.hpp"
#include "chamomile/core/softening.hpp"
#include "chamomile/force/expansions/softening_change.hpp"
#include "chamomile/force/law_choice.hpp"
#include "chamomile/force/repairs/cancellation.hpp"
#include "chamomile/force/simd/adjoint_kernels.hpp"
#include "chamomile/force/simd/kernel_scratch.hpp"
#include "chamomile/tree/interaction_lists.hpp"

namespace chamomile {

struct TargetSum;
struct ShortRangeForm;

inline constexpr int lowest_local_order = 3, highest_local_order = 6;

/// The field of far cells about a center; see force/expansions/local_expansion.hpp.
struct Expansion {
    Vec3<double> center;
    double unit; ///< length unit, in internal units
    double term[term_count(highest_local_order)];
    /// Span of eps^2 over targets with per-particle softening, in the caller's units. `term` is for
    /// the smallest value. `change` is for both steps in the span; each target takes a fraction.
    SofteningSpan targets;
    double change[2][term_count(change_order)];

    CHAMOMILE_HD bool has_step(int k) const { return targets.has_step(k); }
};

/// Per-particle softening, eps^2 in the caller's units; null pointers if all share one length.
struct OwnSoftenings {
    const double* of_source = nullptr;      ///< all sorted particles
    const double* of_target = nullptr;      ///< all separate targets
    const CellSoftening* of_cell = nullptr; ///< all cells
    double rule_weight = 0;                 ///< Softening::rule_weight()
};

/// Far cells to expand about a center.
struct FarWork {
    const Multipole* multipoles; ///< all cells
    const HigherMoments* higher; ///< all cells, for orders above 2
    const Index* cells;
    std::size_t count;
    double inverse_length, inverse_mass; ///< into internal units
    double softening_length;             ///< in internal units; 0: Newtonian
    int order;                           ///< of the multipoles
    /// Per-cell softening, for Plummer softening per particle; else null.
    const CellSoftening* softening = nullptr;
    double rule_weight = 0; ///< Softening::rule_weight()
};

/// Writes the terms for the far cells' field about expansion.center, and adds those from `wider`,
/// if not null.
using ExpansionKernel = void (*)(const FarWork& work, const Expansion* wider, Expansion& expansion);

/// A target that is also a source; `target` is its number in the group.
struct SelfPair {
    Index sorted; ///< source
    int target;
};

/// One group against its list. A kernel's argument: a member for each array.
struct GroupWork {
    const chamomile::Source* sources; ///< all sorted particles
    /// All separate targets; null: targets are sorted particles.
    const chamomile::Source* separate_targets;
    const SelfPair* self; ///< for separate targets, ascending by source
    int self_count;
    const Multipole* multipoles; ///< all cells
    const HigherMoments* higher; ///< all cells, for orders above 2
    const Index* targets;        ///< sorted particle for each target; null: same number
    const Index* cells;          ///< the list's cells
    const ParticleRange* ranges; ///< the list's ranges
    const Expansion* expansion;  ///< from far cells about the group's center; null: none
    int local_order;             ///< of the expansion
    ListRow row;
    double inverse_length, inverse_mass; ///< into internal units
    double softening_length;             ///< in internal units
    int order;
    Periodicity periodicity = {};         ///< for source positions
    const ShortRangeForm* form = nullptr; ///< in internal units; null: Newton's law
    OwnSoftenings own = {};
};

/// Writes the sum at target row.target_begin + t to sums[t].
using HostKernel = void (*)(const GroupWork& work, KernelScratch& scratch, TargetSum* sums);

/// The long-range part of a pair in a periodic cube, between nearest images.
struct SmoothPart {
    static constexpr int degree = 36;

    double side;        ///< of the cube
    double cut_squared; ///< beyond it the part is Newton's law, to rounding
    /// Polynomials in 2 r^2 / cut^2 - 1, coefficients by power: force over r, and minus the
    /// potential.
    double force[degree + 1], potential[degree + 1];
};

/// A few targets, at most block_size, among sources in double.
struct FewTargets {
    static constexpr int block_size = 256;

    const chamomile::Source* sources;
    std::size_t source_count;
    double softening_length; ///< the min over all
    const Index* targets;    ///< sources, ascending
    int count;
    const double* softening = nullptr;      ///< eps^2 per source; null: one length for all
    double rule_weight = 0;                 ///< Softening::rule_weight()
    const SmoothPart* smooth = nullptr;     ///< subtracted, in a periodic cube; null: nothing
    const PseudoParticle* clumps = nullptr; ///< clumps of all sources, for the AbsoluteForceKernel
    std::size_t clump_count = 0;
};

/// Writes each target's absolute force, the sum of M / u^2 over all clumps, to absolute_forces[0 ..
/// block_size).
using AbsoluteForceKernel = void (*)(const FewTargets& work, float* absolute_forces);

/// Writes each target's sum over all sources, in double and separately: no bit depends on other
/// targets.
using DoubleKernel = void (*)(const FewTargets& work, TargetSum* sums);

/// Kernels for one instruction set.
struct HostKernels {
    const char* name;
    HostKernel (*kernel)(const LawChoice& choice); ///< for lists; reads all but the order
    /// By double precision, local order, and multipole order: to 2, 3, 4.
    ExpansionKernel expand[2][highest_local_order - lowest_local_order + 1][3];
    /// Sums for groups where forces cancel are off by at most `scatter` S / sqrt(N) (measured), as
    /// in force/repairs/cancellation.hpp.
    double scatter;
    AbsoluteForceKernel absolute_force;
    /// Sums at a few targets, always in double.
    DoubleKernel (*few_targets)(const LawChoice& choice);
    AdjointKernels adjoint;
};

namespace baseline {
HostKernels host_kernels();
}
namespace avx2 {
HostKernels host_kernels();
}
namespace avx512 {
HostKernels host_kernels();
}

} // namespace chamomile
