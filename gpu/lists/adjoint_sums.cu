// The Chamomile kernels of gradients, with one softening length.
//
// Per pair with Plummer softening: 3 subtractions, 3 multiply-adds and the root, 4 products of the
// powers, 6 for w, 2 for s, 4 for the factor of r, 6 multiply-adds of the vector and 5 of dL/dm =
// 34 issue slots, 2.6 times those of a force; per source and lane with 4 targets 136 slots and two
// 16-byte loads. A cell of third dual and second mass moments costs about 170 slots and nine loads.
// A tile of cells has 32 x 144 B, a near tile 32 x 48 B. Contraction: fused.
#include "chamomile/gpu/lists/adjoint_law.cuh"
#include "chamomile/gpu/lists/list_kernels.cuh"

namespace chamomile {

ListKernel adjoint_kernel(const LawChoice& choice)
{
    return SofteningKernels::visit(choice.kind, [&]<class Kernel>(Kernel) -> ListKernel {
        using Law = ListAdjoint<Kernel>;
        return choice.in_double ? chamomile<Law, double, 2> : chamomile<Law, float, 2>;
    });
}

} // namespace chamomile
