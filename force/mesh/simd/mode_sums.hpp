/// \file  The interface to sums over Fourier modes and particles.
///
/// Only plain structs and pointers cross this interface: the loops are compiled once per
/// instruction set, with flags that must not affect the caller's code.
#pragma once

#include <cstddef>

namespace chamomile {

/// The modes (x, y, z) and (x, y, -z) with z = 0 ... waves - 1, in wave numbers; x >= 0.
struct ModeRow {
    int x, y, waves;
    std::size_t first; ///< entry of z = 0 in arrays over all modes
};

/// The rows of modes in a sum.
struct ModeRows {
    const ModeRow* row;
    std::size_t count;
    int waves; ///< highest wave number plus 1
};

/// With e = exp(i (k_x x + k_y y)) and w = exp(i k_z z): sums over particles of m times re(e)
/// re(w), im(e) im(w), re(e) im(w), im(e) re(w).
struct ModeSums {
    double rr, ii, ri, ir;
};

/// The potential of an entry is re(e) (a re(w) + c im(w)) + im(e) (b re(w) + d im(w)). za .. zd: z
/// times a .. d.
struct ModeCoefficients {
    double a, b, c, d, za, zb, zc, zd;
};

/// Particles that are summed together, and memory for their waves.
struct ModeBlock {
    static constexpr int size = 128;
    /// Returns the size of ModeBlock::waves for `waves` wave numbers, in values.
    static std::size_t room(int waves) { return std::size_t(6) * std::size_t(waves) * size; }

    alignas(64) double cosine[3][size], sine[3][size];  ///< of 2 pi x / side, etc.
    alignas(64) double mass[size];                      ///< 0 beyond the last particle
    alignas(64) double potential[size], slope[3][size]; ///< slopes in units of side / (2 pi)
    double* waves = nullptr;                            ///< room() values, scratch
};

/// The functions compiled for one instruction set.
struct ModeKernels {
    const char* name;
    /// Adds the block's particles to the sums of all modes.
    void (*add_sums)(ModeBlock& block, const ModeRows& rows, ModeSums* sums);
    /// Sets potential and slopes of the block's particles.
    void (*sum_field)(ModeBlock& block, const ModeRows& rows, const ModeCoefficients* modes);
};

namespace baseline {
ModeKernels mode_kernels();
}
namespace avx2 {
ModeKernels mode_kernels();
}
namespace avx512 {
ModeKernels mode_kernels();
}

} // namespace chamomile
