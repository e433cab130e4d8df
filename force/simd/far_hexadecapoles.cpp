// M2L of cells of order 4. Contraction: fused.
#include "chamomile/force/simd/far_cells.hpp"

namespace chamomile::CHAMOMILE_INSTRUCTION_SET {

CHAMOMILE_EXPANSION_KERNELS(4)

} // namespace chamomile::CHAMOMILE_INSTRUCTION_SET
