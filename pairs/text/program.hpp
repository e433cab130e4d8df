/// \file  From the expressions of a law to the instructions that the host runs.
#pragma once

#include <memory>
#include <vector>

#include "chamomile/pairs/simd/text_program.hpp"
#include "chamomile/pairs/text/law_text.hpp"

namespace chamomile {

/// The instructions and what they lie in. Not to be copied: the program points into the rest.
struct CompiledText {
    TextProgram program;
    /// Values of the expressions that the program's shared numbers are.
    std::vector<int> shared;
    std::unique_ptr<bool[]> is_condition;
    std::vector<TextInstruction> target_code, source_code, pair_code;
};

/// Products go into the sums that take them, sums of several terms are added from the first that is
/// no product on, and a pair's slots are used again after the last use of a value.
std::shared_ptr<const CompiledText> compile(const LawText& law);

/// The shared numbers for these parameters.
std::vector<double> shared_numbers(const LawText& law, const CompiledText& compiled,
                                   std::span<const double> parameters);

} // namespace chamomile
