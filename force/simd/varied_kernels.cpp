// The Chamomile scheme with softening lengths of each particle's own. Contraction: fused.
#include "chamomile/force/simd/group_kernel.hpp"
#include "chamomile/force/simd/other_kernels.hpp"

namespace chamomile::CHAMOMILE_INSTRUCTION_SET {

HostKernel varied_kernel(bool spline, bool with_potential, bool precise)
{
    return group_kernel<VariedGravity>(spline, with_potential, precise);
}

} // namespace chamomile::CHAMOMILE_INSTRUCTION_SET
