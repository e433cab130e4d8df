/// \file  Direct sums over all pairs in a periodic cube.
#pragma once

#include "chamomile/force/lists/list_solver.hpp"
#include "chamomile/force/mesh/long_range.hpp"
#include "chamomile/force/simd/host_kernel.hpp"

namespace chamomile {

/// The exact periodic sum, split between pairs of nearest images and Fourier modes.
struct PeriodicSplit {
    /// u at half the side, where the smooth part is Newton's law to 2e-12.
    static constexpr double cut = 5.4;

    SmoothPart smooth{};
    std::unique_ptr<LongRange> modes;

    PeriodicSplit(double side, const std::string& instruction_set);

    /// See missing_potential().
    double potential_offset(double mass, double mass_of_all) const;
};

/// Makes the reference for periodic gravity, in double: the softened Newtonian force between
/// nearest images, and the smooth rest of the exact periodic sum (Ewald 1921) from Fourier modes.
/// Without softening, errors are below 1e-12 times the rms acceleration in a random set. With
/// softening, only nearest images are softened. Potentials have mean 0 over the cube. They include
/// a particle's images (+2.837297 G m / box), but not the particle itself. The sum costs O(N^2), on
/// the host. Options are resolved(), with a box.
std::unique_ptr<DirectSolver> make_periodic_direct_solver(const SolverOptions& resolved);

} // namespace chamomile
