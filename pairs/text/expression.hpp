/// \file  The values that a law computes, as a graph in which equal values are shared.
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

/// An Op is the operation of a value.
enum class Op : std::uint8_t {
    // Leaves; `index` is the number of the parameter, of the value in its row, of the component.
    constant,
    parameter,
    target,
    source,
    difference, ///< of positions, source - target
    // Operations that give numbers from numbers.
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
    // Operations that give conditions.
    less,
    less_equal,
    equal,
    both,
    either,
    opposite,
    // `select` is its second operand if the first, a condition, holds, else the third.
    select
};

/// Returns whether a value stands for itself, without operands.
bool is_leaf(Op op);

/// Returns how many operands an operation takes.
int operands_of(Op op);

/// Returns whether an operation yields a condition and not a number.
bool is_condition(Op op);

/// A Dependence tells what a value depends on, as bits.
enum Dependence : std::uint8_t { on_nothing = 0, on_target = 1, on_source = 2, on_both = 3 };

/// A Value is an operation with its operands.
struct Value {
    Op op;
    Dependence depends = on_nothing;
    std::array<int, 3> operand = {-1, -1, -1}; ///< numbers of earlier values
    int index = 0;
    double number = 0; ///< of a constant
};

/// Expressions hold values in an order in which each comes after its operands. Equal values are
/// stored once, constants are folded where the result is finite, and a few expressions are replaced
/// by cheaper equal ones: roots in a denominator by inverse roots, small whole powers by products,
/// divisions by parameters by products.
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

/// LeafValues are the rows of numbers that leaves stand for.
struct LeafValues {
    std::span<const double> parameters, target, source;
};

/// Returns all values in plain double; a condition is 1 or 0. Leaves without a row stay at 0.
std::vector<double> evaluate(const Expressions& expressions, const LeafValues& leaves);

} // namespace chamomile
