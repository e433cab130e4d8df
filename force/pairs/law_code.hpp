/// \file  A law as compiled code, run by force/pairs/pair_solver.hpp without knowledge of its type.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "chamomile/core/instruction_sets.hpp"
#include "chamomile/force/pairs/law.hpp"
#include "chamomile/force/pairs/simd/group_work.hpp"

namespace chamomile {

/// A DeviceLaw holds a law's kernels on CUDA devices (gpu/pairs/device_law.hpp).
class DeviceLaw;

/// A law's shape, units and kernels.
struct LawCode {
    std::string name; ///< shown in errors and tables
    LawShape shape;
    bool positions = true;
    /// The power of length in each value; empty: the law has no units.
    std::vector<int> target_length, source_length, sum_length;
    /// Makes the law for another length unit; null: the law has no units.
    void (*with_unit)(const void* law, double unit, void* scaled) = nullptr;
    std::size_t bytes = 0; ///< of the law itself, in memory
    /// Host kernels by instruction set (core/instruction_sets.hpp) and double precision.
    PairKernel host[instruction_set_count][2] = {};
    std::shared_ptr<const DeviceLaw> device; ///< null in a build without CUDA
    std::shared_ptr<const void> program;     ///< for a law given as text
};

/// Returns the code of a law added to the build by chamomile_add_interaction() (CMake).
template <class Law>
const LawCode& law_code();

} // namespace chamomile
