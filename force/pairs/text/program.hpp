/// \file  Compiles a law's expressions to instructions for the host.
#pragma once

#include <memory>
#include <vector>

#include "chamomile/force/pairs/simd/text_program.hpp"
#include "chamomile/force/pairs/text/law_text.hpp"

namespace chamomile {

/// Instructions and their data. Must not be copied: the program points into the rest.
struct CompiledText {
    TextProgram program;
    /// The program's shared numbers, as indices into the expressions.
    std::vector<int> shared;
    std::unique_ptr<bool[]> is_condition;
    std::vector<TextInstruction> target_code, source_code, pair_code;
};

/// Compiles a law. Products are merged into sums that use them, a sum of several terms starts from
/// the first term that is no product, and pair slots are reused after a value's last use.
std::shared_ptr<const CompiledText> compile(const LawText& law);

/// Returns the shared numbers for these parameters.
std::vector<double> shared_numbers(const LawText& law, const CompiledText& compiled,
                                   std::span<const double> parameters);

} // namespace chamomile
