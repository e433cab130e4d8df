/// \file  The operations in expressions, on numbers of any type.
#pragma once

#include <cmath>
#include <vector>

#include "chamomile/force/pairs/text/expression.hpp"

namespace chamomile {

inline double value_of(double x)
{
    return x;
}
inline double inverse_square_root(double x)
{
    return 1 / std::sqrt(x);
}

/// Returns an operation's result. N is double, or a type convertible from double with equal
/// operators and functions, and value_of().
template <class N>
N result_of(Op op, const N& a, const N& b, const N& c)
{
    using std::fabs, std::sqrt, std::exp, std::log, std::sin, std::cos, std::pow;
    const double x = value_of(a), y = value_of(b);
    switch (op) {
    case Op::add:
        return a + b;
    case Op::subtract:
        return a - b;
    case Op::multiply:
        return a * b;
    case Op::divide:
        return a / b;
    case Op::minimum:
        return x < y ? a : b;
    case Op::maximum:
        return x > y ? a : b;
    case Op::negate:
        return -a;
    case Op::absolute:
        return fabs(a);
    case Op::square_root:
        return sqrt(a);
    case Op::inverse_square_root:
        return inverse_square_root(a);
    case Op::exponential:
        return exp(a);
    case Op::logarithm:
        return log(a);
    case Op::sine:
        return sin(a);
    case Op::cosine:
        return cos(a);
    case Op::power:
        return pow(a, b);
    case Op::less:
        return N(x < y);
    case Op::less_equal:
        return N(x <= y);
    case Op::equal:
        return N(x == y);
    case Op::both:
        return N(x != 0 && y != 0);
    case Op::either:
        return N(x != 0 || y != 0);
    case Op::opposite:
        return N(x == 0);
    case Op::select:
        return x != 0 ? b : c;
    default:
        return N(0);
    }
}

/// Returns all values; a condition is 1 or 0. leaf(value) returns a leaf's value.
template <class N, class Leaf>
std::vector<N> evaluate(const Expressions& expressions, const Leaf& leaf)
{
    const N none(0);
    std::vector<N> values(std::size_t(expressions.size()), none);
    for (int v = 0; v < expressions.size(); ++v) {
        const Value& value = expressions[v];
        const auto operand = [&](std::size_t k) -> const N& {
            return value.operand[k] < 0 ? none : values[std::size_t(value.operand[k])];
        };
        values[std::size_t(v)] = is_leaf(value.op)
                                     ? leaf(value)
                                     : result_of<N>(value.op, operand(0), operand(1), operand(2));
    }
    return values;
}

} // namespace chamomile
