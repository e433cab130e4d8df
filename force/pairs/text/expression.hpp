/// \file  The values computed by a law, as a graph that stores equal values once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace chamomile {

/// The operation that yields a value.
enum class Op : std::uint8_t {
    // Leaves; `index` is the number of the parameter, value in its row, or component.
    constant,
    parameter,
    target,
    source,
    difference, ///< position component, source - target
    // Operations from numbers to numbers.
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
    // Operations that yield conditions.
    less,
    less_equal,
    equal,
    both,
    either,
    opposite,
    // `select` is its second operand if the first (a condition) holds, else the third.
    select
};

/// Returns whether a value has no operands.
bool is_leaf(Op op);

/// Returns an operation's number of operands.
int operands_of(Op op);

/// Returns whether an operation yields a condition, not a number.
bool is_condition(Op op);

/// What a value depends on, as bits.
enum Dependence : std::uint8_t { on_nothing = 0, on_target = 1, on_source = 2, on_both = 3 };

/// An operation with its operands.
struct Value {
    Op op;
    Dependence depends = on_nothing;
    std::array<int, 3> operand = {-1, -1, -1}; ///< indices of earlier values
    int index = 0;
    double number = 0; ///< of a constant
};

/// Values, each after its operands. Equal values are stored once, and constants are folded if the
/// result is finite. Some expressions are replaced by cheaper equal ones: roots in a denominator by
/// inverse roots, small whole and half powers by products and roots, divisions by parameters, or by
/// values of a target or source only, by products.
class Expressions {
public:
    int constant(double number);
    int leaf(Op op, int index);
    int apply(Op op, int a, int b = -1, int c = -1);
    int power(int base, int exponent);

    const Value& operator[](int value) const { return values_[std::size_t(value)]; }
    int size() const { return int(values_.size()); }
    bool is_constant(int value, double number) const;

private:
    using Key = std::tuple<Op, int, int, int, int, double>;
    int keep(const Value& value);
    int whole_power(int base, unsigned exponent);
    int simpler(Op op, int a, int b);

    std::vector<Value> values_;
    std::map<Key, int> known_;
};

/// Rows of numbers for leaves.
struct LeafValues {
    std::span<const double> parameters, target, source;
};

/// Returns all values in plain double; a condition is 1 or 0. Leaves without a row are 0.
std::vector<double> evaluate(const Expressions& expressions, const LeafValues& leaves);

} // namespace chamomile
