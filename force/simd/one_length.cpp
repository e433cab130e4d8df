// The Chamomile scheme where all particles share one softening length. Contraction: fused.
#include "chamomile/force/simd/group_kernel.hpp"
#include "chamomile/force/simd/law_kernels.hpp"

namespace chamomile::CHAMOMILE_INSTRUCTION_SET {

HostKernel one_length_kernel(const LawChoice& choice)
{
    return group_kernel<OneLength>(choice);
}

} // namespace chamomile::CHAMOMILE_INSTRUCTION_SET
