// The Chamomile scheme with per-particle softening. Contraction: fused.
#include "chamomile/force/simd/group_kernel.hpp"
#include "chamomile/force/simd/law_kernels.hpp"
#include "chamomile/force/simd/ruled_gravity.hpp"

namespace chamomile::CHAMOMILE_INSTRUCTION_SET {

HostKernel varied_kernel(SofteningRule rule, bool spline, bool with_potential, bool precise)
{
    return rule == SofteningRule::larger
               ? group_kernel<WithRule<SofteningRule::larger>::Gravity>(spline, with_potential,
                                                                        precise)
               : group_kernel<WithRule<SofteningRule::root_of_squares>::Gravity>(
                     spline, with_potential, precise);
}

} // namespace chamomile::CHAMOMILE_INSTRUCTION_SET
