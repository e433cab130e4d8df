// M2L of cells of orders 0 and 2. Contraction: fused.
#include "chamomile/force/simd/far_cells.hpp"

namespace chamomile::CHAMOMILE_INSTRUCTION_SET {

CHAMOMILE_EXPANSION_KERNELS(2)

} // namespace chamomile::CHAMOMILE_INSTRUCTION_SET
