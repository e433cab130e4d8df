// Derivatives are computed with the values, forwards through the expressions: a Slope is a number
// with its rate along the path, and a Jet a Slope with its gradient (Griewank & Walther 2008, ch.
// 3).
#include "chamomile/integrate/external/text_potential.hpp"

#include <cmath>

namespace chamomile {
namespace {

/// A Slope is a value and its rate of change along the path.
struct Slope {
    double value = 0, rate = 0;
};

Slope operator+(Slope a, Slope b)
{
    return {a.value + b.value, a.rate + b.rate};
}
Slope operator-(Slope a, Slope b)
{
    return {a.value - b.value, a.rate - b.rate};
}
Slope operator*(Slope a, Slope b)
{
    return {a.value * b.value, a.rate * b.value + a.value * b.rate};
}

/// A Jet is a Slope and its gradient.
struct Jet {
    Slope at;
    Slope gradient[3];
};

/// Returns f(a, b) by its value and the partial derivatives, themselves with their rates. A partial
/// that nothing depends on may be infinite: it does not count.
Jet chained(Slope f, const Jet& a, Slope by_a, const Jet& b, Slope by_b)
{
    const auto part = [](Slope by, Slope gradient) {
        return gradient.value == 0 && gradient.rate == 0 ? Slope{} : by * gradient;
    };
    Jet jet{f, {}};
    for (int k = 0; k < 3; ++k)
        jet.gradient[k] = part(by_a, a.gradient[k]) + part(by_b, b.gradient[k]);
    return jet;
}

/// Returns f(a), with first and second derivative at the value of a.
Jet function(double value, double first, double second, const Jet& a)
{
    const double rate = a.at.rate;
    return chained({value, rate == 0 ? 0 : first * rate}, a, {first, rate == 0 ? 0 : second * rate},
                   {}, {});
}

Jet product(const Jet& a, const Jet& b)
{
    return chained(a.at * b.at, a, b.at, b, a.at);
}

Jet inverse(const Jet& a)
{
    const double u = 1 / a.at.value;
    return function(u, -u * u, 2 * u * u * u, a);
}

Jet difference(const Jet& a, const Jet& b)
{
    return chained(a.at - b.at, a, {1, 0}, b, {-1, 0});
}

/// Returns a^b, of a constant b for any a.
Jet power(const Jet& a, const Jet& b, bool is_constant)
{
    const double x = a.at.value, n = b.at.value;
    if (is_constant)
        return function(std::pow(x, n), n * std::pow(x, n - 1), n * (n - 1) * std::pow(x, n - 2),
                        a);
    const Jet exponent = product(b, function(std::log(x), 1 / x, -1 / (x * x), a));
    const double value = std::exp(exponent.at.value);
    return function(value, value, value, exponent);
}

Jet numbered(double number)
{
    return {{number, 0}, {}};
}

/// Returns the result of an operation that gives a number from numbers.
Jet result_of(const Value& operation, const Jet& a, const Jet& b, const Expressions& all)
{
    const double x = a.at.value;
    switch (operation.op) {
    case Op::add:
        return chained(a.at + b.at, a, {1, 0}, b, {1, 0});
    case Op::subtract:
        return difference(a, b);
    case Op::multiply:
        return product(a, b);
    case Op::divide:
        return product(a, inverse(b));
    case Op::minimum:
        return x < b.at.value ? a : b;
    case Op::maximum:
        return x > b.at.value ? a : b;
    case Op::negate:
        return difference({}, a);
    case Op::absolute:
        return x < 0 ? difference({}, a) : a;
    case Op::square_root: {
        const double root = std::sqrt(x);
        return function(root, 0.5 / root, -0.25 / (x * root), a);
    }
    case Op::inverse_square_root: {
        const double u = 1 / std::sqrt(x);
        return function(u, -0.5 * u / x, 0.75 * u / (x * x), a);
    }
    case Op::exponential: {
        const double value = std::exp(x);
        return function(value, value, value, a);
    }
    case Op::logarithm:
        return function(std::log(x), 1 / x, -1 / (x * x), a);
    case Op::sine:
        return function(std::sin(x), std::cos(x), -std::sin(x), a);
    case Op::cosine:
        return function(std::cos(x), -std::sin(x), -std::cos(x), a);
    default:
        return power(a, b,
                     all[operation.operand[1]].op == Op::constant ||
                         all[operation.operand[1]].op == Op::parameter);
    }
}

bool holds(Op op, double a, double b)
{
    switch (op) {
    case Op::less:
        return a < b;
    case Op::less_equal:
        return a <= b;
    case Op::equal:
        return a == b;
    case Op::both:
        return a != 0 && b != 0;
    case Op::either:
        return a != 0 || b != 0;
    default:
        return a == 0;
    }
}

/// Returns what the law language knows before the text: its one target, the place, and its sum.
LawText declared_potential()
{
    LawText law;
    law.target = {"x", "y", "z", "t"};
    law.sum = {"phi"};
    return law;
}

} // namespace

TextPotential::TextPotential(std::string_view text, const std::string& name)
    : law_(read_law(text, name, declared_potential()))
{
    for (int v = 0; v < law_.expressions.size(); ++v)
        changes_ =
            changes_ || (law_.expressions[v].op == Op::target && law_.expressions[v].index == 3);
}

TextPotential::Result TextPotential::at(const PlaceInTime& place) const
{
    const Expressions& all = law_.expressions;
    std::vector<Jet> jets(std::size_t(all.size()));
    const double row[4] = {place.position.x, place.position.y, place.position.z, place.time},
                 rates[4] = {place.velocity.x, place.velocity.y, place.velocity.z, 1};
    for (int v = 0; v < all.size(); ++v) {
        const Value& value = all[v];
        const auto operand = [&](int k) -> const Jet& {
            static const Jet none;
            return value.operand[std::size_t(k)] < 0
                       ? none
                       : jets[std::size_t(value.operand[std::size_t(k)])];
        };
        Jet& jet = jets[std::size_t(v)];
        if (value.op == Op::constant)
            jet = numbered(value.number);
        else if (value.op == Op::parameter)
            jet = numbered(law_.parameters[std::size_t(value.index)].value);
        else if (value.op == Op::target) {
            jet.at = {row[value.index], rates[value.index]};
            if (value.index < 3)
                jet.gradient[value.index] = {1, 0};
        } else if (value.op == Op::select)
            jet = operand(0).at.value != 0 ? operand(1) : operand(2);
        else if (is_condition(value.op))
            jet = numbered(holds(value.op, operand(0).at.value, operand(1).at.value));
        else
            jet = result_of(value, operand(0), operand(1), all);
    }
    const Jet& phi = jets[std::size_t(law_.added[0])];
    const Slope* g = phi.gradient;
    return {phi.at.value,
            {-g[0].value, -g[1].value, -g[2].value},
            {-g[0].rate, -g[1].rate, -g[2].rate}};
}

} // namespace chamomile
