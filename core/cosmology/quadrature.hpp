/// \file  Integrals of smooth functions.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

namespace chamomile {

/// GaussLegendre holds the positive Gauss-Legendre nodes on [-1, 1], and their weights: Newton's
/// method on P_n from the estimate cos(pi (i + 3/4) / (n + 1/2)) (Press et al. 2007, 4.6.1).
template <int n>
struct GaussLegendre {
    static_assert(n % 2 == 0);
    std::array<double, n / 2> node, weight;

    GaussLegendre()
    {
        for (int i = 0; i < n / 2; ++i) {
            double x = std::cos(std::numbers::pi * (i + 0.75) / (n + 0.5)), slope = 1;
            for (int iteration = 0; iteration < 6; ++iteration) {
                double before = 1, value = x; // P_0, P_1
                for (int k = 2; k <= n; ++k)
                    before = std::exchange(value, ((2 * k - 1) * x * value - (k - 1) * before) / k);
                slope = n * (x * value - before) / (x * x - 1);
                x -= value / slope;
            }
            node[std::size_t(i)] = x;
            weight[std::size_t(i)] = 2 / ((1 - x * x) * slope * slope);
        }
    }
};

/// Returns the integral of f from `from` to `to` (in either order), with equal panels of at most
/// `panel` and 16 Gauss-Legendre points each. Exact to rounding if f is smooth on the scale of a
/// panel.
template <class Function>
double integral(Function&& f, double from, double to, double panel)
{
    static const GaussLegendre<16> rule;
    const double panels = std::max(1.0, std::ceil(std::abs(to - from) / panel));
    const double half = (to - from) / panels / 2;
    double sum = 0;
    for (double k = 0; k < panels; ++k) {
        const double center = from + (2 * k + 1) * half;
        for (std::size_t i = 0; i < rule.node.size(); ++i)
            sum += rule.weight[i] *
                   (f(center - half * rule.node[i]) + f(center + half * rule.node[i]));
    }
    return half * sum;
}

} // namespace chamomile
