// Gravity's short range in a periodic cube with softening lengths of each particle's own.
// Contraction: fused.
#include "chamomile/force/simd/group_kernel.hpp"
#include "chamomile/force/simd/other_kernels.hpp"

namespace chamomile::CHAMOMILE_INSTRUCTION_SET {

HostKernel varied_short_range_kernel(bool spline, bool with_potential, bool precise)
{
    return group_kernel<VariedShortRange>(spline, with_potential, precise);
}

} // namespace chamomile::CHAMOMILE_INSTRUCTION_SET
