#include "chamomile/force/pairs/text/expression.hpp"

#include <algorithm>
#include <cmath>

#include "chamomile/force/pairs/text/evaluate.hpp"

namespace chamomile {
namespace {

bool commutes(Op op)
{
    return op == Op::add || op == Op::multiply || op == Op::equal || op == Op::both ||
           op == Op::either;
}

} // namespace

bool is_leaf(Op op)
{
    return op <= Op::difference;
}

int operands_of(Op op)
{
    if (is_leaf(op))
        return 0;
    if ((op >= Op::negate && op <= Op::cosine) || op == Op::opposite)
        return 1;
    return op == Op::select ? 3 : 2;
}

bool is_condition(Op op)
{
    return op >= Op::less && op <= Op::opposite;
}

bool Expressions::is_constant(int value, double number) const
{
    const Value& v = values_[std::size_t(value)];
    return v.op == Op::constant && v.number == number;
}

int Expressions::keep(const Value& value)
{
    const Key key{value.op,         value.operand[0], value.operand[1],
                  value.operand[2], value.index,      value.number};
    const auto [place, is_new] = known_.emplace(key, size());
    if (is_new)
        values_.push_back(value);
    return place->second;
}

int Expressions::constant(double number)
{
    Value value{Op::constant};
    value.number = number == 0 ? 0 : number; // -0 equals 0; only 0 is kept
    return keep(value);
}

int Expressions::leaf(Op op, int index)
{
    Value value{op};
    value.index = index;
    value.depends = op == Op::target       ? on_target
                    : op == Op::source     ? on_source
                    : op == Op::difference ? on_both
                                           : on_nothing;
    return keep(value);
}

int Expressions::whole_power(int base, unsigned exponent)
{
    int result = -1;
    for (int square = base;; square = apply(Op::multiply, square, square)) {
        if (exponent & 1)
            result = result < 0 ? square : apply(Op::multiply, result, square);
        if ((exponent >>= 1) == 0)
            return result;
    }
}

int Expressions::power(int base, int exponent)
{
    constexpr double max = 64;
    const Value e = (*this)[exponent];
    if (e.op == Op::constant && std::fabs(e.number) <= max) {
        const double twice = 2 * std::fabs(e.number);
        if (twice == std::floor(twice) && (*this)[base].op != Op::constant) {
            const unsigned whole = unsigned(twice) / 2;
            const bool half = unsigned(twice) % 2 != 0;
            if (twice == 0)
                return constant(1);
            if (e.number > 0) {
                if (!half)
                    return whole_power(base, whole);
                const int root = apply(Op::square_root, base);
                return whole == 0 ? root : apply(Op::multiply, whole_power(base, whole), root);
            }
            if (!half)
                return apply(Op::divide, constant(1), whole_power(base, whole));
            return whole_power(apply(Op::inverse_square_root, base), unsigned(twice));
        }
    }
    return apply(Op::power, base, exponent);
}

/// Returns a known or cheaper value equal to a op b, or -1 if none exists.
int Expressions::simpler(Op op, int a, int b)
{
    const Value x = (*this)[a], y = b < 0 ? x : (*this)[b];
    switch (op) {
    case Op::add:
        if (is_constant(a, 0))
            return b;
        if (is_constant(b, 0))
            return a;
        if (y.op == Op::negate)
            return apply(Op::subtract, a, y.operand[0]);
        if (x.op == Op::negate)
            return apply(Op::subtract, b, x.operand[0]);
        break;
    case Op::subtract:
        if (is_constant(b, 0))
            return a;
        if (is_constant(a, 0))
            return apply(Op::negate, b);
        if (y.op == Op::negate)
            return apply(Op::add, a, y.operand[0]);
        break;
    case Op::multiply:
        if (is_constant(a, 1))
            return b;
        if (is_constant(b, 1))
            return a;
        if (is_constant(a, -1))
            return apply(Op::negate, b);
        if (is_constant(b, -1))
            return apply(Op::negate, a);
        if (x.op == Op::negate) // signs move outwards, where sums absorb them
            return apply(Op::negate, apply(Op::multiply, x.operand[0], b));
        if (y.op == Op::negate)
            return apply(Op::negate, apply(Op::multiply, a, y.operand[0]));
        break;
    case Op::divide:
        if (is_constant(b, 1))
            return a;
        if (y.op == Op::square_root)
            return apply(Op::multiply, a, apply(Op::inverse_square_root, y.operand[0]));
        if (y.op == Op::inverse_square_root)
            return apply(Op::multiply, a, apply(Op::square_root, y.operand[0]));
        if (!is_constant(a, 1) && y.depends != on_both && y.depends != x.depends)
            return apply(Op::multiply, a, apply(Op::divide, constant(1), b));
        break;
    case Op::negate:
        if (x.op == Op::negate)
            return x.operand[0];
        if (x.op == Op::subtract)
            return apply(Op::subtract, x.operand[1], x.operand[0]);
        break;
    case Op::opposite:
        if (x.op == Op::opposite)
            return x.operand[0];
        break;
    default:
        break;
    }
    return -1;
}

int Expressions::apply(Op op, int a, int b, int c)
{
    Value value{op};
    value.operand = {a, b, c};
    bool folds = true;
    double number[3] = {};
    for (int k = 0; k < operands_of(op); ++k) {
        const Value& operand = (*this)[value.operand[std::size_t(k)]];
        value.depends = Dependence(value.depends | operand.depends);
        folds = folds && operand.op == Op::constant;
        number[k] = operand.number;
    }
    if (folds && !is_condition(op)) {
        const double result = result_of<double>(op, number[0], number[1], number[2]);
        if (std::isfinite(result))
            return constant(result);
    }
    if (const int known = simpler(op, a, b); known >= 0)
        return known;
    if (commutes(op) && a > b)
        std::swap(value.operand[0], value.operand[1]);
    return keep(value);
}

std::vector<double> evaluate(const Expressions& expressions, const LeafValues& leaves)
{
    const auto from = [](std::span<const double> row, int index) {
        return std::size_t(index) < row.size() ? row[std::size_t(index)] : 0.0;
    };
    return evaluate<double>(expressions, [&](const Value& leaf) {
        switch (leaf.op) {
        case Op::constant:
            return leaf.number;
        case Op::parameter:
            return from(leaves.parameters, leaf.index);
        case Op::target:
            return from(leaves.target, leaf.index);
        case Op::source:
            return from(leaves.source, leaf.index);
        default:
            return from(leaves.source, leaf.index) - from(leaves.target, leaf.index);
        }
    });
}

} // namespace chamomile
