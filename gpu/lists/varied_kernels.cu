// A source's eps^2 adds 8 bytes to the 32 that are gathered, and 4 to the 16 of its row in shared
// memory: a second load for the targets of a lane. The max or the sum of two lengths is one issue
// slot more per pair: with 4 targets a lane and Plummer softening 57 slots instead of 53 per source
// and lane, 1.08; per cell of second order 41 instead of 34. Contraction: fused.
#include "chamomile/gpu/lists/varied_kernels.cuh"
#include "chamomile/gpu/tiles/varied_law.cuh"

namespace chamomile {

SoftenedKernel find_varied_kernel(const KernelChoice& choice)
{
    return choose_kernel(choice,
                         [&]<SofteningKind kind, SofteningRule rule, bool potential>(auto of) {
                             using Law = typename WithRule<rule>::template Gravity<kind, potential>;
                             using T = decltype(of);
                             SoftenedKernel kernel = chamomile<Law, T, 2>;
                             if (choice.order == 3)
                                 kernel = chamomile<Law, T, 3>;
                             if (choice.order == 4)
                                 kernel = chamomile<Law, T, 4>;
                             return kernel;
                         });
}

} // namespace chamomile
