// Forward differentiation of the expressions: a Slope is a number with its rate along the path, and
// a Jet is a Slope with its gradient (Griewank & Walther 2008, ch. 3).
#include "chamomile/integrate/external/text_potential.hpp"

#include <cmath>
#include <limits>

#include "chamomile/force/pairs/text/evaluate.hpp"

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
    explicit Jet(double number) : at{number, 0} {}
    explicit Jet(Slope slope) : at(slope) {}

    Slope at;
    Slope gradient[3];

    /// True if the value is constant in space and along the path.
    bool is_constant() const
    {
        bool changes = at.rate != 0;
        for (const Slope& g : gradient)
            changes = changes || g.value != 0 || g.rate != 0;
        return !changes;
    }
};

double value_of(const Jet& a)
{
    return a.at.value;
}

/// Returns f(a, b) from its value and partial derivatives, each with a rate. An infinite partial
/// derivative is ignored if its argument is constant.
Jet chained(Slope f, const Jet& a, Slope by_a, const Jet& b, Slope by_b)
{
    const auto part = [](Slope by, Slope gradient) {
        return gradient.value == 0 && gradient.rate == 0 ? Slope{} : by * gradient;
    };
    Jet jet(f);
    for (int k = 0; k < 3; ++k)
        jet.gradient[k] = part(by_a, a.gradient[k]) + part(by_b, b.gradient[k]);
    return jet;
}

/// Returns f(a), with first and second derivative at the value of a.
Jet function(double value, double first, double second, const Jet& a)
{
    const double rate = a.at.rate;
    return chained({value, rate == 0 ? 0 : first * rate}, a, {first, rate == 0 ? 0 : second * rate},
                   Jet(0), {});
}

Jet operator+(const Jet& a, const Jet& b)
{
    return chained(a.at + b.at, a, {1, 0}, b, {1, 0});
}
Jet operator-(const Jet& a, const Jet& b)
{
    return chained(a.at - b.at, a, {1, 0}, b, {-1, 0});
}
Jet operator-(const Jet& a)
{
    return Jet(0) - a;
}
Jet operator*(const Jet& a, const Jet& b)
{
    return chained(a.at * b.at, a, b.at, b, a.at);
}
Jet operator/(const Jet& a, const Jet& b)
{
    const double u = 1 / b.at.value;
    return a * function(u, -u * u, 2 * u * u * u, b);
}
Jet fabs(const Jet& a)
{
    return a.at.value < 0 ? -a : a;
}
Jet sqrt(const Jet& a)
{
    const double x = a.at.value, root = std::sqrt(x);
    return function(root, 0.5 / root, -0.25 / (x * root), a);
}
Jet inverse_square_root(const Jet& a)
{
    const double x = a.at.value, u = 1 / std::sqrt(x);
    return function(u, -0.5 * u / x, 0.75 * u / (x * x), a);
}
Jet exp(const Jet& a)
{
    const double value = std::exp(a.at.value);
    return function(value, value, value, a);
}
Jet log(const Jet& a)
{
    const double x = a.at.value;
    return function(std::log(x), 1 / x, -1 / (x * x), a);
}
Jet sin(const Jet& a)
{
    const double x = a.at.value;
    return function(std::sin(x), std::cos(x), -std::sin(x), a);
}
Jet cos(const Jet& a)
{
    const double x = a.at.value;
    return function(std::cos(x), -std::sin(x), -std::cos(x), a);
}
/// A constant exponent allows any base.
Jet pow(const Jet& a, const Jet& b)
{
    const double x = a.at.value, n = b.at.value;
    if (b.is_constant())
        return function(std::pow(x, n), n * std::pow(x, n - 1), n * (n - 1) * std::pow(x, n - 2),
                        a);
    return exp(b * log(a));
}

/// Returns the predefined names of a potential's text: the target with position and time, and the
/// sum phi.
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
    const double row[4] = {place.position.x, place.position.y, place.position.z, place.time},
                 rates[4] = {place.velocity.x, place.velocity.y, place.velocity.z, 1};
    const auto jets = evaluate<Jet>(law_.expressions, [&](const Value& leaf) {
        if (leaf.op == Op::constant)
            return Jet(leaf.number);
        if (leaf.op == Op::parameter)
            return Jet(law_.parameters[std::size_t(leaf.index)].value);
        Jet jet(Slope{row[leaf.index], rates[leaf.index]});
        if (leaf.index < 3)
            jet.gradient[leaf.index] = {1, 0};
        return jet;
    });
    const Jet& phi = jets[std::size_t(law_.added[0])];
    if (!std::isfinite(phi.at.value)) { // the slope may look finite: chained()
        constexpr double none = std::numeric_limits<double>::quiet_NaN();
        return {phi.at.value, {none, none, none}, {none, none, none}};
    }
    const Slope* g = phi.gradient;
    return {phi.at.value,
            {-g[0].value, -g[1].value, -g[2].value},
            {-g[0].rate, -g[1].rate, -g[2].rate}};
}

} // namespace chamomile
