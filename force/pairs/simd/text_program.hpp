/// \file  A law given as text, as instructions for force/pairs/simd/text_kernel.hpp.
///
/// Values lie in four banks: numbers shared by all pairs, target values (a pack of targets at a
/// time), source values, pair values. Values that depend only on a target or a source are computed
/// once for each, by separate code.
#pragma once

#include <cstdint>

#include "chamomile/force/pairs/law.hpp"

namespace chamomile {

/// The operation in an instruction.
enum class TextCode : std::uint8_t {
    spread, ///< a, repeated for each pair
    // In the order of Op (force/pairs/text/expression.hpp).
    difference,
    add,
    subtract,
    multiply,
    divide,
    minimum,
    maximum,
    negate,
    absolute,
    square_root,
    inverse_square_root,
    exponential,
    logarithm,
    sine,
    cosine,
    power,
    less,
    less_equal,
    equal,
    both,
    either,
    opposite,
    select, ///< a ? b : c
    // Combinations of several operations.
    reciprocal,
    multiply_add,      ///< a b + c
    multiply_subtract, ///< a b - c
    subtract_product,  ///< c - a b
    squares_add,       ///< a a + b b + c c + d
    sum_add,           ///< adds each pair to a sum
    sum_subtract,
    sum_add_product,
    sum_subtract_product
};
inline constexpr int text_code_count = int(TextCode::sum_subtract_product) + 1;

enum class TextBank : std::uint8_t { shared, target, source, pair };

/// A value's place.
struct TextOperand {
    TextBank bank = TextBank::shared;
    std::uint16_t slot = 0;
};

/// Writes an operation's result to a slot, or adds it to a sum.
struct TextInstruction {
    TextCode code;
    std::uint16_t to; ///< slot in the code's bank, or number of a sum
    TextOperand operand[4];
};

/// How an instruction reads an operand: one value per pack, the same value for all packs, or the
/// source's value in all lanes.
enum class TextAccess : std::uint8_t { each, same, source };

constexpr TextAccess access_of(TextBank bank, TextBank of_code)
{
    return bank == of_code            ? TextAccess::each
           : bank == TextBank::source ? TextAccess::source
                                      : TextAccess::same;
}

/// Returns how many operands (a, b, c) an instruction has.
constexpr int text_code_operands(TextCode code)
{
    switch (code) {
    case TextCode::spread:
    case TextCode::negate:
    case TextCode::absolute:
    case TextCode::square_root:
    case TextCode::inverse_square_root:
    case TextCode::exponential:
    case TextCode::logarithm:
    case TextCode::sine:
    case TextCode::cosine:
    case TextCode::opposite:
    case TextCode::reciprocal:
    case TextCode::sum_add:
    case TextCode::sum_subtract:
        return 1;
    case TextCode::select:
    case TextCode::multiply_add:
    case TextCode::multiply_subtract:
    case TextCode::subtract_product:
    case TextCode::squares_add:
        return 3;
    default:
        return 2;
    }
}

/// Returns whether a loop exists for this code and these accesses to a, b and c; if not, an operand
/// must be spread first. Missing operands count as `same`.
constexpr bool text_code_takes(TextCode code, TextAccess a, TextAccess b, TextAccess c)
{
    using enum TextAccess;
    const int operands = text_code_operands(code);
    if ((operands < 2 && b != same) || (operands < 3 && c != same))
        return false;
    switch (code) {
    case TextCode::spread:
    case TextCode::sum_add:
    case TextCode::sum_subtract:
        return true;
    case TextCode::difference:
        return a == source && b == same;
    case TextCode::add:
    case TextCode::subtract:
    case TextCode::multiply:
        return a != same || b != same;
    case TextCode::multiply_add:
    case TextCode::multiply_subtract:
    case TextCode::subtract_product:
        return a == each && c != source; // any b
    case TextCode::sum_add_product:
    case TextCode::sum_subtract_product:
        return a == each;
    case TextCode::select:
        return a == each && b != source && c != source;
    case TextCode::squares_add:
        return a == each && b == each && c == each; // d: each or same
    case TextCode::divide:
    case TextCode::minimum:
    case TextCode::maximum:
    case TextCode::power:
    case TextCode::less:
    case TextCode::less_equal:
    case TextCode::equal:
    case TextCode::both:
    case TextCode::either:
        return a != source && b != source && (a == each || b == each);
    default:
        return a == each;
    }
}

/// A law's shape and code. The first slots of targets and sources hold a record's values.
struct TextProgram {
    LawShape shape;
    bool positions;
    int shared, target_slots, source_slots, pair_slots;
    const bool* is_condition; ///< per shared number: 1 or 0 stands for all bits or none
    const TextInstruction *target_code, *target_end;
    const TextInstruction *source_code, *source_end;
    const TextInstruction *pair_code, *pair_end;
};

/// PairGroupWork::law points to this; the program's shared numbers follow as doubles.
struct TextLawData {
    const TextProgram* program;
    const double* shared() const { return reinterpret_cast<const double*>(this + 1); }
};

} // namespace chamomile
