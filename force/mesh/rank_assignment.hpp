/// \file  Mass on a mesh from the particles of all ranks.
#pragma once

#include "chamomile/force/mesh/assignment.hpp"
#include "chamomile/force/mesh/slab_fourier.hpp"

namespace chamomile {

/// Returns the power of two that scales the sum of |mass| over all ranks to less than 2^61, for
/// MassAssignment::assign_integers(). `ranks`: null for one rank. Collective.
double scale_of_masses(std::size_t n, const ArrayView& mass, Communicator* ranks);

/// Fills the planes of this rank's slab with the mass of all ranks' particles. Masses add up as
/// integers, so that bits do not depend on the ranks that hold them. On ranks `grid` gets rows for
/// the points of this rank's particles with `margin` points more on each side. Throws like
/// MassAssignment::assign_integers(). Collective.
void assign_of_ranks(MassAssignment& assignment, std::size_t n, const ArrayView& position,
                     const ArrayView& mass, double scale, SlabFourier<double>& fourier,
                     Grid<double>& grid, int margin = 0);

} // namespace chamomile
