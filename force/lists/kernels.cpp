#include "chamomile/force/lists/kernels.hpp"

#include "chamomile/core/instruction_sets.hpp"

namespace chamomile {

HostKernels find_kernels(const std::string& instruction_set)
{
    switch (find_instruction_set(instruction_set)) {
#ifdef CHAMOMILE_X86
    case 2:
        return avx512::host_kernels();
    case 1:
        return avx2::host_kernels();
#endif
    default:
        return baseline::host_kernels();
    }
}

} // namespace chamomile
