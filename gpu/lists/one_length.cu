// The Chamomile kernels where all particles share one softening length.
//
// Per pair of ShortRange with Plummer softening and float's polynomials: 3 subtractions, 6
// multiply-adds and products of the distance, 1 root, 3 products, 12 multiply-adds of the smooth
// part, a comparison and a choice, 3 multiply-adds = 28 issue slots. Contraction: fused.
#include "chamomile/gpu/lists/list_kernels.cuh"

namespace chamomile {

ListKernel one_length_kernel(const LawChoice& choice)
{
    return kernel_by_rule<OneLength>(choice);
}

} // namespace chamomile
