#include "chamomile/core/instruction_sets.hpp"

#include "chamomile/core/error.hpp"

namespace chamomile {
namespace {

bool is_usable([[maybe_unused]] int set)
{
#ifdef CHAMOMILE_X86
    if (set == 2)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
    if (set == 1)
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#endif
    return set == 0;
}

} // namespace

std::vector<std::string> instruction_sets()
{
    std::vector<std::string> names;
    for (int set = instruction_set_count - 1; set >= 0; --set)
        if (is_usable(set))
            names.push_back(instruction_set_names[set]);
    return names;
}

int find_instruction_set(const std::string& name)
{
    for (int set = instruction_set_count - 1; set >= 0; --set)
        if (is_usable(set) && (name == "auto" || name == instruction_set_names[set]))
            return set;
    std::string all = "auto";
    for (const std::string& usable : instruction_sets())
        all += ", " + usable;
    throw Error(Fault::device, "instruction set: " + name + ": must be one of " + all +
                                   " (supported by processor and build)");
}

} // namespace chamomile
