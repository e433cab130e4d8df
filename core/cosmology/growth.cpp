#include "chamomile/core/cosmology/growth.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace chamomile {
namespace {

/// A State holds D1, D1', D2, D2'.
using State = std::array<double, 4>;

State operator+(const State& s, const State& t)
{
    return {s[0] + t[0], s[1] + t[1], s[2] + t[2], s[3] + t[3]};
}

State operator*(double c, const State& s)
{
    return {c * s[0], c * s[1], c * s[2], c * s[3]};
}

State rate(const Background& background, double x, const State& s)
{
    const double a = std::exp(x);
    const double drag = 2 + background.expansion_slope(a), pull = 1.5 * background.matter_part(a);
    return {s[1], pull * s[0] - drag * s[1], s[3], pull * (s[2] + s[0] * s[0]) - drag * s[3]};
}

/// Returns the state after n steps of the modified midpoint rule. Its error has only even powers of
/// the step length (Gragg 1965).
State midpoint(const Background& background, double x, const State& s, double length, int n)
{
    const double h = length / n;
    State before = s, now = s + h * rate(background, x, s);
    for (int k = 1; k < n; ++k)
        before = std::exchange(now, before + 2 * h * rate(background, x + k * h, now));
    return 0.5 * (now + before + h * rate(background, x + length, now));
}

/// Returns the state extrapolated to step length 0 (Bulirsch & Stoer 1966).
State extrapolated_step(const Background& background, double x, const State& s, double length)
{
    constexpr int columns = 8;
    std::array<State, columns> row;
    for (int k = 0; k < columns; ++k) {
        State value = midpoint(background, x, s, length, 2 * (k + 1));
        for (int j = 1; j <= k; ++j) {
            const double ratio = double(k + 1) / double(k + 1 - j), factor = ratio * ratio - 1;
            const State better = value + (1 / factor) * (value + -1.0 * row[std::size_t(j - 1)]);
            row[std::size_t(j - 1)] = std::exchange(value, better);
        }
        row[std::size_t(k)] = value;
    }
    return row[columns - 1];
}

} // namespace

Growth growth(const Background& background, double a)
{
    const double equality = background.omega_radiation / background.omega_matter;
    const double begin =
        equality > 0 ? std::min({1e-12, 1e-9 * equality, 1e-3 * a}) : std::min(1e-12, 1e-3 * a);
    State s{begin, begin, 3. / 7 * begin * begin, 6. / 7 * begin * begin};
    if (equality > 0) {
        const double c = 2. / 3 * equality; // D2 ~ 3/2 c^2 a / a_eq in radiation
        s = {begin + c, begin, c * begin, c * begin};
    }
    const double from = std::log(begin), to = std::log(a);
    const double steps = std::ceil((to - from) / 0.25), length = (to - from) / steps;
    for (double k = 0; k < steps; ++k)
        s = extrapolated_step(background, from + k * length, s, length);
    return {s[0], s[2], s[1] / s[0], s[3] / s[2]};
}

} // namespace chamomile
