// The kernels of laws given as text, compiled once per instruction set. Contraction: fused.
#include "chamomile/force/pairs/simd/text_kernel.hpp"

#include "chamomile/force/pairs/simd/text_kernels.hpp"

namespace chamomile::CHAMOMILE_INSTRUCTION_SET {

PairKernel text_kernel(bool double_precision)
{
    if (double_precision)
        return [](const PairGroupWork& work, KernelScratch& scratch) {
            TextGroupSum<double>(work, scratch).run();
        };
    return [](const PairGroupWork& work, KernelScratch& scratch) {
        TextGroupSum<float>(work, scratch).run();
    };
}

} // namespace chamomile::CHAMOMILE_INSTRUCTION_SET
