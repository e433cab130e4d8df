// One issue slot per pair more than in gpu/lists/short_range.cu. Contraction: fused.
#include "chamomile/gpu/lists/varied_kernels.cuh"
#include "chamomile/gpu/tiles/varied_law.cuh"

namespace chamomile {

SoftenedKernel find_varied_short_range_kernel(const KernelChoice& choice)
{
    return choose_kernel(
        choice, [&]<SofteningKind kind, SofteningRule rule, bool potential>(auto of) {
            using Law = typename WithRule<rule>::template ShortRange<kind, potential>;
            SoftenedKernel kernel = chamomile<Law, decltype(of), 2>;
            return kernel;
        });
}

} // namespace chamomile
