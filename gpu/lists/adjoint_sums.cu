// The Chamomile kernels of gradients, with one softening length.
//
// Per pair with Plummer softening: 3 subtractions, 3 multiply-adds and the root, 4 products of the
// powers, 3 multiply-adds for w, 4 operations for the factor of r, 6 multiply-adds of the vector
// and 4 of dL/dm = 28 issue slots, 32 with mu; 2.2 times those of a force. Per source and lane with
// 4 targets 112 slots and two 16-byte loads. A cell of third dual and second mass moments costs
// about 160 slots and nine loads. A tile of cells has 32 x 144 B, a near tile 32 x 48 B.
//
// In a periodic cube a pair takes 67 slots, 85 with mu, and a cell 280: the smooth part and its
// slope are 19 multiply-adds, C's 10. Pairs that no lane of the warp reaches take 12. In float 163
// to 191 registers let 10 to 12 warps run on a multiprocessor; in double there are 220 to 226.
// Contraction: fused.
#include "chamomile/gpu/lists/adjoint_law.cuh"
#include "chamomile/gpu/lists/list_kernels.cuh"

namespace chamomile {
namespace {

template <class Law>
ListKernel adjoint_kernel_of(const LawChoice& choice)
{
    return choice.in_double ? chamomile<Law, double, 2> : chamomile<Law, float, 2>;
}

template <class Kernel, bool in_cube>
ListKernel adjoint_kernel_with(const LawChoice& choice)
{
    return choice.with_potential ? adjoint_kernel_of<ListAdjoint<Kernel, true, in_cube>>(choice)
                                 : adjoint_kernel_of<ListAdjoint<Kernel, false, in_cube>>(choice);
}

} // namespace

ListKernel adjoint_kernel(const LawChoice& choice)
{
    return SofteningKernels::visit(choice.kind, [&]<class Kernel>(Kernel) {
        return choice.is_periodic ? adjoint_kernel_with<Kernel, true>(choice)
                                  : adjoint_kernel_with<Kernel, false>(choice);
    });
}

} // namespace chamomile
