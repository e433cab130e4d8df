/// \file  Compilation of a law's expressions to the instructions that the host runs.
#pragma once

#include <memory>
#include <vector>

#include "chamomile/pairs/simd/text_program.hpp"
#include "chamomile/pairs/text/law_text.hpp"

namespace chamomile {

/// A CompiledText holds the instructions and their data. It must not be copied: the program points
/// into the rest.
struct CompiledText {
    TextProgram program;
    /// The program's shared numbers, as values of the expressions.
    std::vector<int> shared;
    std::unique_ptr<bool[]> is_condition;
    std::vector<TextInstruction> target_code, source_code, pair_code;
};

/// Compiles a law. Products are merged into the sums that use them, sums of several terms start
/// from the first that is no product, and a pair's slots are reused after the last use of a value.
std::shared_ptr<const CompiledText> compile(const LawText& law);

/// Returns the shared numbers for these parameters.
std::vector<double> shared_numbers(const LawText& law, const CompiledText& compiled,
                                   std::span<const double> parameters);

} // namespace chamomile
