// The Chamomile scheme with gravity's short range in a periodic cube. Contraction: fused.
#include "chamomile/force/simd/group_kernel.hpp"
#include "chamomile/force/simd/law_kernels.hpp"

namespace chamomile::CHAMOMILE_INSTRUCTION_SET {

HostKernel short_range_kernel(bool spline, bool with_potential, bool precise)
{
    return group_kernel<ShortRange>(spline, with_potential, precise);
}

} // namespace chamomile::CHAMOMILE_INSTRUCTION_SET
