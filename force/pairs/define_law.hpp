/// \file  Code that chamomile_add_interaction() (CMake) writes into the build for each law.
#pragma once

#include <cstring>

#include "chamomile/force/pairs/law_code.hpp"

namespace chamomile {

/// Returns the host kernel for an instruction set, in single or double precision; null: none.
using PairKernels = PairKernel (*)(bool double_precision);

/// Returns a law's code from its type and kernels.
template <class Law>
LawCode describe_law(const char* name, const PairKernels (&host)[instruction_set_count],
                     std::shared_ptr<const DeviceLaw> device)
{
    static_assert(std::is_trivially_copyable_v<Law>);
    LawCode code;
    code.name = name;
    code.shape = shape_of<Law>();
    code.positions = has_positions<Law>();
    if constexpr (knows_units<Law>()) {
        const auto powers = [](const auto& of) { return std::vector<int>(of.begin(), of.end()); };
        code.target_length = powers(Law::target_length);
        code.source_length = powers(Law::source_length);
        code.sum_length = powers(Law::sum_length);
        code.with_unit = [](const void* law, double unit, void* scaled) {
            const Law result = static_cast<const Law*>(law)->with_unit(unit);
            std::memcpy(scaled, &result, sizeof result);
        };
    }
    code.bytes = sizeof(Law);
    for (int set = 0; set < instruction_set_count; ++set)
        for (const bool precise : {false, true})
            code.host[set][precise] = host[set] ? host[set](precise) : nullptr;
    code.device = std::move(device);
    return code;
}

} // namespace chamomile
