#include "force/instruction_sets.hpp"

#include "core/error.hpp"

namespace chamomile {
namespace {

/// Those that this processor can run, the fastest first.
std::vector<HostKernels> usable_kernels()
{
    std::vector<HostKernels> usable;
#ifdef CHAMOMILE_X86
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw"))
        usable.push_back(avx512::host_kernels());
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        usable.push_back(avx2::host_kernels());
#endif
    usable.push_back(baseline::host_kernels());
    return usable;
}

} // namespace

HostKernels find_kernels(const std::string& instruction_set)
{
    std::string names;
    for (const HostKernels& kernels : usable_kernels()) {
        if (instruction_set == "auto" || instruction_set == kernels.name)
            return kernels;
        names += std::string(names.empty() ? "" : ", ") + kernels.name;
    }
    throw Error(Fault::device, "instruction set: " + instruction_set +
                                   ": this processor and this build have auto, " + names);
}

std::vector<std::string> instruction_sets()
{
    std::vector<std::string> names;
    for (const HostKernels& kernels : usable_kernels())
        names.push_back(kernels.name);
    return names;
}

} // namespace chamomile
