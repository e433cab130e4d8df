/// \file  The inner loops of the host evaluator, as the rest of the library calls them.
///
/// Only plain structs and pointers cross this seam, because the loops are compiled once per
/// instruction set with flags that the caller's code must not share.
#pragma once

#include "chamomile/core/periodic.hpp"
#include "chamomile/core/softening.hpp"
#include "chamomile/force/expansions/softening_change.hpp"
#include "chamomile/force/repairs/cancellation.hpp"
#include "chamomile/tree/interaction_lists.hpp"

namespace chamomile {

struct TargetSum;
struct ShortRangeForm;

inline constexpr int lowest_local_order = 3, highest_local_order = 6;

/// The field of far cells about a centre; see force/expansions/local_expansion.hpp.
struct Expansion {
    Vec3<double> center;
    double unit; ///< of length, in internal units
    double term[term_count(highest_local_order)];
    /// Of targets with lengths of their own, eps^2 in the caller's units. The terms are those for
    /// the least; the changes are those of both steps of the span, of which each target has a part.
    SofteningSpan targets;
    double change[2][term_count(change_order)];

    CHAMOMILE_HD bool has_step(int k) const { return targets.has_step(k); }
};

/// The softenings of particles that have lengths of their own, eps^2 in the caller's units; null
/// pointers where all have one length.
struct OwnSoftenings {
    const double* of_source = nullptr;      ///< all sorted particles
    const double* of_target = nullptr;      ///< targets that are no sources, all of them
    const CellSoftening* of_cell = nullptr; ///< all cells
    double smaller_part = 0;                ///< Softening::smaller_part()
};

/// Far cells to expand about a centre.
struct FarWork {
    const Multipole* multipoles; ///< all cells
    const HigherMoments* higher; ///< likewise, for orders above 2
    const Index* cells;
    std::size_t count;
    double inverse_length, inverse_mass; ///< into internal units
    double softening_length;             ///< in internal units; 0: Newtonian
    int order;                           ///< of the multipoles
    /// Plummer's softenings of cells that have their own (else null).
    const CellSoftening* softening = nullptr;
    double smaller_part = 0; ///< Softening::smaller_part()
};

/// Writes the terms of the far cells' field about expansion.center, and adds those of `wider`,
/// which may be null.
using ExpansionKernel = void (*)(const FarWork& work, const Expansion* wider, Expansion& expansion);

/// A target of a group, by its number there, that is a source.
struct SelfPair {
    Index sorted; ///< source
    int target;
};

/// One group against its list.
struct GroupWork {
    const chamomile::Source* sources; ///< all sorted particles
    /// Targets that are no sources, all of them; null: the targets are sorted particles.
    const chamomile::Source* separate_targets;
    const SelfPair* self; ///< of separate targets, by rising source
    int self_count;
    const Multipole* multipoles; ///< all cells
    const HigherMoments* higher; ///< likewise, for orders above 2
    const Index* targets;        ///< sorted particle of each target; null: the same number
    const Index* cells;          ///< the list's cells
    const ParticleRange* ranges; ///< the list's ranges
    const Expansion* expansion;  ///< of the far cells about the group's centre; null: none
    int local_order;             ///< of the expansion
    ListRow row;
    double inverse_length, inverse_mass; ///< into internal units
    double softening_length;             ///< in internal units
    int order;
    Periodicity periodicity = {};         ///< of the sources' places
    const ShortRangeForm* form = nullptr; ///< in internal units; null: Newton's law
    OwnSoftenings own = {};
};

/// Memory of one thread, kept from group to group.
struct KernelScratch {
    double* data = nullptr;
    std::size_t capacity = 0; ///< in doubles

    KernelScratch() = default;
    KernelScratch(KernelScratch&& other) noexcept : data(other.data), capacity(other.capacity)
    {
        other.data = nullptr;
        other.capacity = 0;
    }
    KernelScratch& operator=(KernelScratch&&) = delete;
    ~KernelScratch() { delete[] data; }
};

/// Writes the sum of target row.target_begin + t of the group to sums[t].
using HostKernel = void (*)(const GroupWork& work, KernelScratch& scratch, TargetSum* sums);

/// A SmoothPart is what the long range of a periodic cube makes of a pair of nearest images.
struct SmoothPart {
    static constexpr int degree = 36;

    double side;        ///< of the cube
    double cut_squared; ///< beyond which it is Newton's law itself to rounding
    /// These are functions of 2 r^2 / cut^2 - 1 by power: the force over r, and the potential's
    /// opposite.
    double force[degree + 1], potential[degree + 1];
};

/// FewTargets are targets, at most block_size, among sources in double.
struct FewTargets {
    static constexpr int block_size = 256;

    const chamomile::Source* sources;
    std::size_t source_count;
    double softening_length; ///< the least of all
    const Index* targets;    ///< sources, in rising order
    int count;
    const double* softening = nullptr;  ///< eps^2 of each source; null: all have one length
    double smaller_part = 0;            ///< Softening::smaller_part()
    const SmoothPart* smooth = nullptr; ///< taken from the pairs of a periodic cube; null: none is
    const Clump* clumps = nullptr;      ///< of all sources, for the AbsoluteForceKernel
    std::size_t clump_count = 0;
};

/// Writes what pulls at each target, the sum of M / u^2 over all clumps, to absolute_forces[0 ..
/// block_size).
using AbsoluteForceKernel = void (*)(const FewTargets& work, float* absolute_forces);

/// Writes the sums of the targets over all sources, each made in double and by itself: no bit
/// depends on which other targets there are.
using PreciseKernel = void (*)(const FewTargets& work, TargetSum* sums);

/// The kernels of one instruction set.
struct HostKernels {
    const char* name;
    /// The kernel by softening kind, potential wanted and double precision; likewise the short
    /// range.
    HostKernel (*kernel)(bool spline, bool with_potential, bool precise);
    HostKernel (*short_range)(bool spline, bool with_potential, bool precise);
    /// Both for particles with softening lengths of their own, by the rule of a pair's.
    HostKernel (*varied)(SofteningRule rule, bool spline, bool with_potential, bool precise);
    HostKernel (*varied_short_range)(SofteningRule rule, bool spline, bool with_potential,
                                     bool precise);
    /// By double precision, local order and order of the multipoles: to 2, 3, 4.
    ExpansionKernel expand[2][highest_local_order - lowest_local_order + 1][3];
    /// Sums of groups where forces cancel are off by at most so much of S / sqrt(N), as
    /// force/repairs/cancellation.hpp has it: measured.
    double scatter;
    AbsoluteForceKernel absolute_force;
    /// By lengths of their own, softening kind and potential wanted; likewise of nearest images,
    /// less what is smooth.
    PreciseKernel (*precise)(bool varied, bool spline, bool with_potential);
    PreciseKernel (*periodic)(bool varied, bool spline, bool with_potential);
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
