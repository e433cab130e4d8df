/// \file  Mass on a mesh from the particles of all ranks.
#pragma once

#include "chamomile/force/mesh/assignment.hpp"
#include "chamomile/force/mesh/slab_fourier.hpp"

namespace chamomile {

/// Returns the power of two that scales the sum of |mass| over all ranks to less than 2^61, for
/// MassAssignment::assign_integers(). `ranks`: null for one rank. Collective.
double scale_of_masses(std::size_t n, const ArrayView& mass, Communicator* ranks);

/// Marks the rows near finite positions.
void mark_rows(const MassAssignment& assignment, std::size_t n, const ArrayView& position,
               MarkedRows& rows);

/// Fills the planes of this rank's slab with the mass of all ranks' particles. Masses add up as
/// integers, so that bits do not depend on the ranks that hold them. On ranks `grid` and `others`
/// get the marked rows, which must be those near this rank's particles or more. Throws like
/// MassAssignment::assign_integers(). Collective.
void assign_of_ranks(MassAssignment& assignment, std::size_t n, const ArrayView& position,
                     const ArrayView& mass, double scale, SlabFourier<double>& fourier,
                     Grid<double>& grid, const MarkedRows& marked,
                     std::span<Grid<double>> others = {});

} // namespace chamomile
