// The Chamomile scheme where a pair's squared softening length is the sum of its particles'
// squares. Contraction: fused.
#include "chamomile/force/simd/group_kernel.hpp"
#include "chamomile/force/simd/law_kernels.hpp"

namespace chamomile::CHAMOMILE_INSTRUCTION_SET {

HostKernel root_of_squares_kernel(const LawChoice& choice)
{
    return group_kernel<FixedRule<SofteningRule::root_of_squares>>(choice);
}

} // namespace chamomile::CHAMOMILE_INSTRUCTION_SET
