/// \file  A law as compiled code: what pairs/pair_solver.hpp runs, without knowing the law's type.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "chamomile/core/instruction_sets.hpp"
#include "chamomile/pairs/law.hpp"
#include "chamomile/pairs/simd/group_work.hpp"

namespace chamomile {

/// A law's kernels on CUDA devices (gpu/pairs/device_law.hpp).
class DeviceLaw;

struct LawCode {
    std::string name; ///< as errors and tables call it
    LawShape shape;
    bool positions = true;
    /// Powers of a length in each value; empty: the law knows no units.
    std::vector<int> target_length, source_length, sum_length;
    /// The law in another unit of length; null: it knows no units.
    void (*with_unit)(const void* law, double unit, void* scaled) = nullptr;
    std::size_t bytes = 0; ///< of the law itself, in memory
    /// By instruction set (core/instruction_sets.hpp), then single and double precision.
    PairKernel host[instruction_set_count][2] = {};
    std::shared_ptr<const DeviceLaw> device; ///< null in a build without CUDA
    std::shared_ptr<const void> program;     ///< what the kernels of a law given as text run
};

/// The code of a law that the build was told of by chamomile_add_interaction() (CMake).
template <class Law>
const LawCode& law_code();

} // namespace chamomile
