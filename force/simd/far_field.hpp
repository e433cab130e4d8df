/// \file  Far cells on a processor core: expanded a lane to a cell, evaluated a lane to a target.
#pragma once

#include "chamomile/core/simd.hpp"
#include "chamomile/force/simd/host_kernel.hpp"

namespace chamomile::CHAMOMILE_INSTRUCTION_SET {

/// An ExpansionKernel in precision T for cells of that order; 2 for 0 as well.
template <class T, int local_order, int order>
void expand(const FarWork& work, const Expansion* wider, Expansion& expansion);

/// L2P: adds the field of the expansion in internal units to the sums of the targets. `center` is
/// that of the expansion among the positions; these and sums are arrays of `padded` (whole packs)
/// by component. `parts` are those that the targets take of the expansion's changes; null: it has
/// none.
template <class T>
void add_expansion(const Expansion& expansion, int order, bool with_potential,
                   const Vec3<T>& center, const T* positions, const T* parts, int padded,
                   double* sums);

} // namespace chamomile::CHAMOMILE_INSTRUCTION_SET
