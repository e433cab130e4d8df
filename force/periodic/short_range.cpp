#include "chamomile/force/periodic/short_range.hpp"

#include <cmath>
#include <numbers>
#include <vector>

namespace chamomile {
namespace {

/// Returns (2 r_s)^3 q as a function of u^2.
long double long_range_force(long double w)
{
    const long double two_over_root_pi = 2 / std::sqrt(std::numbers::pi_v<long double>);
    if (w < 0.3L) { // where digits would cancel
        long double sum = 0, term = 1;
        for (int k = 0; k < 30; ++k, term *= -w / k)
            sum += term / (2 * k + 3);
        return 2 * two_over_root_pi * sum;
    }
    const long double u = std::sqrt(w);
    return (std::erf(u) - two_over_root_pi * u * std::exp(-w)) / (u * w);
}

/// Returns 2 r_s p as a function of u^2.
long double long_range_potential(long double w)
{
    const long double u = std::sqrt(w);
    return u > 0 ? std::erf(u) / u : 2 / std::sqrt(std::numbers::pi_v<long double>);
}

/// Returns the polynomial in x = 2 w / widest - 1, by power, that fits f at Chebyshev points by
/// least squares, with `weight`.
template <class F, class Weight>
std::vector<long double> fit_polynomial(int degree, long double widest, F f, Weight weight)
{
    const int n = degree + 1, points = 8 * n;
    std::vector<std::vector<long double>> a(n, std::vector<long double>(n + 1)); // normal equations
    for (int p = 0; p < points; ++p) {
        const long double x = std::cos(std::numbers::pi_v<long double> * (p + 0.5L) / points);
        const long double w = (x + 1) / 2 * widest, g = weight(w);
        std::vector<long double> chebyshev(n);
        for (int k = 0; k < n; ++k)
            chebyshev[k] = k == 0 ? 1 : k == 1 ? x : 2 * x * chebyshev[k - 1] - chebyshev[k - 2];
        for (int i = 0; i < n; ++i) {
            for (int k = 0; k < n; ++k)
                a[i][k] += g * g * chebyshev[i] * chebyshev[k];
            a[i][n] += g * g * chebyshev[i] * f(w);
        }
    }
    for (int i = 0; i < n; ++i) // positive definite: no pivots
        for (int row = 0; row < n; ++row) {
            if (row == i)
                continue;
            const long double factor = a[row][i] / a[i][i];
            for (int k = i; k <= n; ++k)
                a[row][k] -= factor * a[i][k];
        }
    // Converts coefficients from Chebyshev polynomials to powers.
    std::vector<long double> power(n), before(n), present(n), next(n);
    for (int k = 0; k < n; ++k) {
        std::fill(next.begin(), next.end(), 0);
        if (k < 2)
            next[k] = 1;
        else
            for (int i = 0; i < n; ++i)
                next[i] = (i > 0 ? 2 * present[i - 1] : 0) - before[i];
        before = present;
        present = next;
        for (int i = 0; i < n; ++i)
            power[i] += a[k][n] / a[k][k] * present[i];
    }
    return power;
}

template <class T>
void fill(ShortRangeForm::Polynomials<T>& form, long double split, long double widest)
{
    constexpr int degree = ShortRangeForm::degree<T>;
    const long double unit = 2 * split;
    const auto force = fit_polynomial(degree, widest, long_range_force, [](long double w) {
        return std::max(1.0L, w * std::sqrt(w)); // u^3: relative to Newton's force
    });
    const auto potential = fit_polynomial(degree, widest, long_range_potential, [](long double w) {
        return std::max(1.0L, std::sqrt(w));
    });
    for (int k = 0; k <= degree; ++k) {
        form.force[k] = T(force[k] / (unit * unit * unit));
        form.potential[k] = T(potential[k] / unit);
    }
}

} // namespace

ShortRangeForm ShortRangeForm::fit(double split_radius, double cut_radius)
{
    ShortRangeForm form;
    form.slope = 2 / (cut_radius * cut_radius);
    const long double u = (long double)cut_radius / (2 * (long double)split_radius);
    fill(form.in_float, split_radius, u * u);
    fill(form.in_double, split_radius, u * u);
    return form;
}

} // namespace chamomile
