// The Chamomile kernels where a pair has the larger softening length of its two particles.
//
// A source's eps^2 adds 8 bytes to the 32 that are gathered, and 4 to the 16 of its row in shared
// memory: a second load for the targets of a lane. The max or the sum of two lengths is one issue
// slot more per pair: with 4 targets a lane and Plummer softening 57 slots instead of 53 per source
// and lane, 1.08; per cell of second order 41 instead of 34. Contraction: fused.
#include "chamomile/gpu/lists/list_kernels.cuh"

namespace chamomile {

ListKernel larger_length_kernel(const LawChoice& choice)
{
    return kernel_by_rule<FixedRule<SofteningRule::larger>>(choice);
}

} // namespace chamomile
