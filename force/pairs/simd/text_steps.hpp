/// \file  One loop per instruction in a law given as text, and per access to its operands.
///
/// A loop runs over the packs of one or two tiles' pairs (or over targets or sources), so that
/// selecting it costs little; operands and results stay in the nearest cache.
#pragma once

#include <array>
#include <utility>

#include "chamomile/core/simd_math.hpp"
#include "chamomile/force/pairs/simd/text_program.hpp"

namespace chamomile::CHAMOMILE_INSTRUCTION_SET {

template <class T>
struct TextStep;

/// What the steps for a tile share.
template <class T>
struct TextRun {
    int target;                      ///< first in the pack; 0 in code for targets or sources
    int count;                       ///< of packs
    typename Pack<T>::Mask excluded; ///< bit k in a lane: the target does not see source k
};

template <class T>
using TextLoop = void (*)(const TextStep<T>&, const TextRun<T>&);

/// An instruction with its operands' places.
template <class T>
struct TextStep {
    T* to; ///< one pack per entry; for a sum: one pack, added to
    const T* operand[4];
    int per_target[4];   ///< 1: the operand moves with the target pack; else 0
    int last_step;       ///< between packs in operand 3, in units of T
    const T* residue[2]; ///< for a difference: residue of a, and of b's first target
    TextLoop<T> loop[4]; ///< by near tile + 2 * excluded pairs

    const T* place(int k, const TextRun<T>& run) const
    {
        return operand[k] + per_target[k] * run.target;
    }
};

template <class T, TextAccess access>
struct TextReader;

template <class T>
struct TextReader<T, TextAccess::each> {
    const T* from;
    CHAMOMILE_HD TextReader(const TextStep<T>& step, int k, const TextRun<T>&)
        : from(step.operand[k])
    {}
    CHAMOMILE_HD Pack<T> operator()(int k) const
    {
        return Pack<T>::load(from + k * Pack<T>::width);
    }
};

template <class T>
struct TextReader<T, TextAccess::same> {
    Pack<T> value;
    CHAMOMILE_HD TextReader(const TextStep<T>& step, int k, const TextRun<T>& run)
        : value(Pack<T>::load(step.place(k, run)))
    {}
    CHAMOMILE_HD Pack<T> operator()(int) const { return value; }
};

template <class T>
struct TextReader<T, TextAccess::source> {
    const T* from;
    CHAMOMILE_HD TextReader(const TextStep<T>& step, int k, const TextRun<T>&)
        : from(step.operand[k])
    {}
    CHAMOMILE_HD Pack<T> operator()(int k) const { return Pack<T>(from[k]); }
};

template <class P>
CHAMOMILE_HD typename P::Mask bits_of(P p)
{
    return typename P::Mask(p.lanes);
}

template <class P>
CHAMOMILE_HD P from_bits(typename P::Mask mask)
{
    return P(typename P::Register(mask));
}

/// Returns the result of an operation with at most three operands.
template <TextCode code, class P>
CHAMOMILE_HD P text_result(P a, P b, P c)
{
    using Code = TextCode;
    if constexpr (code == Code::spread)
        return a;
    else if constexpr (code == Code::add)
        return a + b;
    else if constexpr (code == Code::subtract || code == Code::difference)
        return a - b;
    else if constexpr (code == Code::multiply)
        return a * b;
    else if constexpr (code == Code::divide)
        return a / b;
    else if constexpr (code == Code::reciprocal)
        return reciprocal(a);
    else if constexpr (code == Code::minimum)
        return smaller(a, b);
    else if constexpr (code == Code::maximum)
        return larger(a, b);
    else if constexpr (code == Code::negate)
        return -a;
    else if constexpr (code == Code::absolute)
        return absolute(a);
    else if constexpr (code == Code::square_root)
        return square_root(a);
    else if constexpr (code == Code::inverse_square_root)
        return inverse_sqrt(a);
    else if constexpr (code == Code::exponential)
        return exponential(a);
    else if constexpr (code == Code::logarithm)
        return logarithm(a);
    else if constexpr (code == Code::sine)
        return sine(a);
    else if constexpr (code == Code::cosine)
        return cosine(a);
    else if constexpr (code == Code::power)
        return power(a, b);
    else if constexpr (code == Code::less)
        return from_bits<P>(a.lanes < b.lanes);
    else if constexpr (code == Code::less_equal)
        return from_bits<P>(a.lanes <= b.lanes);
    else if constexpr (code == Code::equal)
        return from_bits<P>(a.lanes == b.lanes);
    else if constexpr (code == Code::both)
        return from_bits<P>(bits_of(a) & bits_of(b));
    else if constexpr (code == Code::either)
        return from_bits<P>(bits_of(a) | bits_of(b));
    else if constexpr (code == Code::opposite)
        return from_bits<P>(~bits_of(a));
    else if constexpr (code == Code::select)
        return select(bits_of(a), b, c);
    else if constexpr (code == Code::multiply_add)
        return c + a * b;
    else if constexpr (code == Code::multiply_subtract)
        return a * b - c;
    else if constexpr (code == Code::subtract_product)
        return c - a * b;
    else if constexpr (code == Code::sum_add || code == Code::sum_subtract)
        return a;
    else
        return a * b;
}

/// Stores result(k) for each pack, four at a time.
template <class P, class T, class Result>
CHAMOMILE_HD void for_each_pack(T* to, int count, const Result& result)
{
    int k = 0;
    for (; k + 4 <= count; k += 4) {
        const P a = result(k), b = result(k + 1), c = result(k + 2), d = result(k + 3);
        a.store(to + k * P::width);
        b.store(to + (k + 1) * P::width);
        c.store(to + (k + 2) * P::width);
        d.store(to + (k + 3) * P::width);
    }
    for (; k < count; ++k)
        result(k).store(to + k * P::width);
}

/// Adds the pairs' contributions to a sum, in four independent partial sums.
template <class T, TextCode code, TextAccess a, TextAccess b, bool excludes>
void text_sum(const TextStep<T>& step, const TextRun<T>& run)
{
    using P = Pack<T>;
    constexpr bool minus = code == TextCode::sum_subtract || code == TextCode::sum_subtract_product;
    const TextReader<T, a> x(step, 0, run);
    const TextReader<T, b> y(step, 1, run);
    P sum[4] = {P::load(step.to), P(T(0)), P(T(0)), P(T(0))};
    const auto take = [&](P & to, int k) __attribute__((always_inline))
    {
        P part = text_result<code>(x(k), y(k), P());
        if constexpr (excludes) {
            const typename P::Mask excluded = -((run.excluded >> k) & 1);
            part = select(excluded, P(T(0)), part);
        }
        to = minus ? to - part : to + part;
    };
    int k = 0;
    for (; k + 4 <= run.count; k += 4) {
        take(sum[0], k);
        take(sum[1], k + 1);
        take(sum[2], k + 2);
        take(sum[3], k + 3);
    }
    for (; k < run.count; ++k)
        take(sum[0], k);
    ((sum[0] + sum[1]) + (sum[2] + sum[3])).store(step.to);
}

template <class T>
void text_squares(const TextStep<T>& step, const TextRun<T>& run)
{
    using P = Pack<T>;
    const TextReader<T, TextAccess::each> x(step, 0, run), y(step, 1, run), z(step, 2, run);
    const T* const rest = step.place(3, run);
    const int rest_step = step.last_step;
    for_each_pack<P>(
        step.to, run.count, [&](int k) __attribute__((always_inline)) {
            const P a = x(k), b = y(k), c = z(k);
            return P::load(rest + k * rest_step) + a * a + b * b + c * c;
        });
}

/// Subtracts positions given in two floats each.
template <class T>
void text_near_difference(const TextStep<T>& step, const TextRun<T>& run)
{
    using P = Pack<T>;
    const P target = P::load(step.place(1, run)),
            target_residue = P::load(step.residue[1] + run.target);
    const T *const source = step.operand[0], *const source_residue = step.residue[0];
    for_each_pack<P>(
        step.to, run.count, [&](int k) __attribute__((always_inline)) {
            return (P(source[k]) - target) + (P(source_residue[k]) - target_residue);
        });
}

/// Runs one operation over all packs.
template <class T, TextCode code, TextAccess a, TextAccess b, TextAccess c>
void text_loop(const TextStep<T>& step, const TextRun<T>& run)
{
    using P = Pack<T>;
    const TextReader<T, a> x(step, 0, run);
    const TextReader<T, b> y(step, 1, run);
    const TextReader<T, c> z(step, 2, run);
    for_each_pack<P>(
        step.to, run.count, [&](int k) __attribute__((always_inline)) {
            return text_result<code>(x(k), y(k), z(k));
        });
}

/// Returns a loop's index in text_loops.
constexpr int text_loop_number(TextCode code, TextAccess a, TextAccess b, TextAccess c)
{
    return int(code) * 27 + int(a) * 9 + int(b) * 3 + int(c);
}

/// Returns the loop with this index; null: none.
template <class T, int number, bool special>
constexpr TextLoop<T> find_text_loop()
{
    constexpr TextCode code = TextCode(number / 27);
    constexpr TextAccess a = TextAccess(number / 9 % 3), b = TextAccess(number / 3 % 3),
                         c = TextAccess(number % 3);
    if constexpr (!text_code_takes(code, a, b, c))
        return nullptr;
    else if constexpr (code >= TextCode::sum_add)
        return text_sum<T, code, a, b, special>;
    else if constexpr (code == TextCode::squares_add)
        return text_squares<T>;
    else if constexpr (code == TextCode::difference && special)
        return text_near_difference<T>;
    else if constexpr (special)
        return nullptr;
    else
        return text_loop<T, code, a, b, c>;
}

template <class T, bool special, int... number>
constexpr auto list_text_loops(std::integer_sequence<int, number...>)
{
    return std::array<TextLoop<T>, sizeof...(number)>{find_text_loop<T, number, special>()...};
}

/// Loops by text_loop_number(). Special ones are near differences, and sums with excluded pairs.
template <class T, bool special>
inline constexpr auto text_loops =
    list_text_loops<T, special>(std::make_integer_sequence<int, 27 * text_code_count>());

} // namespace chamomile::CHAMOMILE_INSTRUCTION_SET
