/// \file  The inner loops of the host evaluator, as the rest of the library calls them.
///
/// Only plain structs and pointers cross this seam, because the loops are compiled once per
/// instruction set with flags that the caller's code must not share.
#pragma once

#include "core/softening.hpp"
#include "tree/interaction_lists.hpp"

namespace chamomile {

struct TargetSum;

/// One group against its list.
struct GroupWork {
    const chamomile::Source* sources; ///< all sorted particles
    const Multipole* multipoles;      ///< all cells
    const Index* targets;             ///< sorted particle of each target; null: the same number
    const Index* cells;               ///< the list's cells
    const ParticleRange* ranges;      ///< the list's ranges
    ListRow row;
    double inverse_length, inverse_mass; ///< into internal units
    double softening_length;             ///< in internal units
    int order;
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

/// Writes the sum of each target of the group to sums[target].
using HostKernel = void (*)(const GroupWork& work, KernelScratch& scratch, TargetSum* sums);

/// The kernels of one instruction set, by softening kind, potential wanted, double precision.
struct HostKernels {
    const char* name;
    HostKernel kernel[2][2][2];
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
