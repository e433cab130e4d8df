// The Chamomile kernels where a pair's squared softening length is the sum of its particles'
// squares. Costs are those in gpu/lists/larger_length.cu. Contraction: fused.
#include "chamomile/gpu/lists/list_kernels.cuh"

namespace chamomile {

ListKernel root_of_squares_kernel(const LawChoice& choice)
{
    return kernel_by_rule<FixedRule<SofteningRule::root_of_squares>>(choice);
}

} // namespace chamomile
