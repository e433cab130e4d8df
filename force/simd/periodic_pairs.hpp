/// \file  Pairs of a periodic cube in double, as the rest of the library calls them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace chamomile {

/// Newton's law, softened, of the nearest images, less what the long range makes of them.
struct PeriodicPairs {
    static constexpr int degree = 36;

    const double *x, *y, *z, *mass; ///< of n sources
    std::size_t n;
    double side;
    double softening_length;
    const double* softening = nullptr; ///< eps^2 of each source; null: all have one length
    double smaller_part = 0;           ///< Softening::smaller_part()
    bool spline;
    double cut_squared; ///< beyond which the smooth part is Newton's law itself to rounding
    /// Of the smooth part, as functions of 2 r^2 / cut^2 - 1 by power: its force over r, and the
    /// potential's opposite.
    double force[degree + 1], potential[degree + 1];
};

/// Targets that are summed together.
struct PeriodicTargets {
    static constexpr int size = 32;

    alignas(64) double x[size], y[size], z[size];
    alignas(64) double softening[size];    ///< eps^2, where sources have their own
    alignas(64) std::int64_t source[size]; ///< that a target is; itself does not act on it
    alignas(64) double acceleration[3][size], potential[size];
};

/// Sets accelerations and, if wanted, potentials; G = 1.
using PeriodicPairKernel = void (*)(const PeriodicPairs& pairs, PeriodicTargets& targets);

namespace baseline {
PeriodicPairKernel periodic_pair_kernel(bool varied, bool spline, bool with_potential);
}
namespace avx2 {
PeriodicPairKernel periodic_pair_kernel(bool varied, bool spline, bool with_potential);
}
namespace avx512 {
PeriodicPairKernel periodic_pair_kernel(bool varied, bool spline, bool with_potential);
}

} // namespace chamomile
