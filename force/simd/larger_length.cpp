// The Chamomile scheme where a pair has the larger softening length of its two particles.
// Contraction: fused.
#include "chamomile/force/simd/group_kernel.hpp"
#include "chamomile/force/simd/law_kernels.hpp"

namespace chamomile::CHAMOMILE_INSTRUCTION_SET {

HostKernel larger_length_kernel(const LawChoice& choice)
{
    return group_kernel<FixedRule<SofteningRule::larger>>(choice);
}

} // namespace chamomile::CHAMOMILE_INSTRUCTION_SET
