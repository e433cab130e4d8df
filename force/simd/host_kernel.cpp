// The kernels of one instruction set. Contraction: fused.
#include "chamomile/force/simd/host_kernel.hpp"

#include "chamomile/force/simd/double_precision_targets.hpp"
#include "chamomile/force/simd/far_cells.hpp"
#include "chamomile/force/simd/law_kernels.hpp"

namespace chamomile::CHAMOMILE_INSTRUCTION_SET {
namespace {

HostKernel kernel(const LawChoice& choice)
{
    return !choice.per_particle                   ? one_length_kernel(choice)
           : choice.rule == SofteningRule::larger ? larger_length_kernel(choice)
                                                  : root_of_squares_kernel(choice);
}

} // namespace

HostKernels host_kernels()
{
#define CHAMOMILE_NAME(set) CHAMOMILE_QUOTE(set)
#define CHAMOMILE_QUOTE(set) #set
#define CHAMOMILE_EXPAND(T, local)                                                                 \
    {                                                                                              \
        expand<T, local, 2>, expand<T, local, 3>, expand<T, local, 4>                              \
    }
    return {CHAMOMILE_NAME(CHAMOMILE_INSTRUCTION_SET),
            kernel,
            {{CHAMOMILE_EXPAND(float, 3), CHAMOMILE_EXPAND(float, 4), CHAMOMILE_EXPAND(float, 5),
              CHAMOMILE_EXPAND(float, 6)},
             {CHAMOMILE_EXPAND(double, 3), CHAMOMILE_EXPAND(double, 4), CHAMOMILE_EXPAND(double, 5),
              CHAMOMILE_EXPAND(double, 6)}},
            Pack<float>::width == 16 ? 6.5e-6 : 7e-6,
            sum_absolute_forces,
            double_kernel,
            adjoint_kernels()};
#undef CHAMOMILE_EXPAND
}

} // namespace chamomile::CHAMOMILE_INSTRUCTION_SET
