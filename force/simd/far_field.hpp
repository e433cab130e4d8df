/// \file  Far cells on a CPU core: expanded one cell per lane, evaluated one target per lane.
#pragma once

#include "chamomile/core/simd.hpp"
#include "chamomile/force/simd/host_kernel.hpp"

namespace chamomile::CHAMOMILE_INSTRUCTION_SET {

/// An ExpansionKernel in precision T for cells of that order; 2 includes 0.
template <class T, int local_order, int order>
void expand(const FarWork& work, const Expansion* wider, Expansion& expansion);

/// L2P: adds the expansion's field, in internal units, to the target sums. `center` is the
/// expansion's center in the frame of `positions`. Positions and sums are arrays by component, each
/// with `padded` values (whole packs). `parts`: each target's fraction of the expansion's changes;
/// null: no changes.
template <class T>
void add_expansion(const Expansion& expansion, int order, bool with_potential,
                   const Vec3<T>& center, const T* positions, const T* parts, int padded,
                   double* sums);

} // namespace chamomile::CHAMOMILE_INSTRUCTION_SET
