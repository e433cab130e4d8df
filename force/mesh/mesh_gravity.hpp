/// \file  The long range by a particle mesh.
#pragma once

#include <memory>

#include "chamomile/core/error.hpp"
#include "chamomile/force/mesh/cloud.hpp"
#include "chamomile/force/mesh/long_range.hpp"

namespace chamomile {

class Communicator;

/// How accelerations follow from the potential's spectrum.
enum class Differentiation {
    spectral,  ///< -i k phi_k, one inverse transform per component
    four_point ///< 4-point differences of the potential: one transform, a fourth of the memory
};

/// Parameters of a mesh; docs/explanation/periodic.md has the errors of each choice.
struct MeshOptions {
    int cells = 0;       ///< per side
    double split = 1.25; ///< r_s in cells
    Assignment kernel = Assignment::piecewise_cubic;
    Differentiation differentiation = Differentiation::spectral;
    Scalar scalar = Scalar::float64; ///< for the mesh and its transforms
};

/// Returns Hockney & Eastwood's (1981) mesh force for the smooth part of gravity. Masses are
/// assigned to a mesh and multiplied by Green's function -4 pi / k^2 exp(-k^2 r_s^2) over the
/// square of the assignment window. Accelerations are interpolated with the same kernel, so that
/// all forces sum to 0 up to rounding. With four_point, Green's function corrects the error of the
/// differences as far as a single potential can (Hockney & Eastwood, eq. 8-22). Memory: 4 values
/// per cell, with four_point 1. The bits are the same for any number of threads. Throws
/// Error(usage) unless the box is periodic, has 8 to 32768 cells, and r_s is 0.5 cells or more.
/// In double, masses on the mesh are exact sums of integers. With `ranks`, for double only, each
/// rank has a part of the sources, transforms a slab of the mesh and receives the whole field;
/// prepare() is collective. The bits are the same for any number of ranks.
std::unique_ptr<LongRange> make_mesh_gravity(Periodicity box, const MeshOptions& options,
                                             Communicator* ranks = nullptr);

/// Returns r_s for a mesh. Throws Error(usage) like make_mesh_gravity().
double checked_split_radius(Periodicity box, const MeshOptions& options);

/// Throws Error(usage) unless such a mesh has gradients.
void require_gradients(const MeshOptions& options, const Communicator* ranks);

} // namespace chamomile
