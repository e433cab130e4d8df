/// \file  The long range by a particle mesh.
#pragma once

#include <memory>

#include "chamomile/core/error.hpp"
#include "chamomile/mesh/cloud.hpp"
#include "chamomile/mesh/long_range.hpp"

namespace chamomile {

/// A Differentiation is the way from the potential's spectrum to accelerations.
enum class Differentiation {
    spectral,  ///< -i k phi_k, one inverse transform for each component
    four_point ///< differences of the potential over 4 points: one transform, a fourth of the
               ///< memory
};

/// MeshOptions describes a mesh; docs/explanation/periodic.md has the errors of each choice.
struct MeshOptions {
    int cells = 0;       ///< along a side
    double split = 1.25; ///< r_s in cells
    Assignment kernel = Assignment::piecewise_cubic;
    Differentiation differentiation = Differentiation::spectral;
    Scalar scalar = Scalar::float64; ///< of the mesh and its transforms
};

/// Returns Hockney & Eastwood's (1981) mesh force of the smooth part of gravity: masses are
/// assigned to a mesh and multiplied by Green's function -4 pi / k^2 exp(-k^2 r_s^2) over the
/// square of the assignment's window, and accelerations are interpolated by the same kernel, so
/// that the sum of all forces is 0 to rounding. With four_point the Green's function makes up for
/// the differences' error as far as one potential can (Hockney & Eastwood, eq. 8-22). It takes 4
/// values per cell, with four_point one. The bits are the same for any number of threads. Throws
/// Error(usage) unless the box is periodic, has 8 to 32768 cells, and r_s is 0.5 cells or more.
std::unique_ptr<LongRange> make_mesh_gravity(Periodicity box, const MeshOptions& options);

/// Returns the same force without images or background, by zero padding (Hockney & Eastwood 1981,
/// section 6-5-4): the potential is the convolution with -erf(r / (2 r_s)) / r of all particles
/// within a cube of side `extent`, wherever it lies. `cells` are those along twice that side: half
/// the mesh is padding that keeps images from being felt. It takes 5 values per cell, with
/// four_point 2. prepare() throws Error(input) where particles reach farther than `extent` in some
/// dimension; targets must lie among them.
std::unique_ptr<LongRange> make_isolated_mesh_gravity(double extent, const MeshOptions& options);

/// Returns r_s of such a mesh. Throws Error(usage) as make_mesh_gravity() does.
double checked_split_radius(Periodicity box, const MeshOptions& options);

} // namespace chamomile
