// M2L of cells of order 3. Contraction: fused.
#include "chamomile/force/simd/far_cells.hpp"

namespace chamomile::CHAMOMILE_INSTRUCTION_SET {

CHAMOMILE_EXPANSION_KERNELS(3)

} // namespace chamomile::CHAMOMILE_INSTRUCTION_SET
