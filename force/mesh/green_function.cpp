#include "chamomile/force/mesh/green_function.hpp"

#include <cmath>

#include "chamomile/force/mesh/assignment.hpp"

namespace chamomile {

GreenRows green_rows(int n, double side, double split_radius, int points, bool four_point)
{
    GreenRows rows;
    for (int i = 0; i < n; ++i) {
        const int h = wave_number(i, n);
        const double k = 2 * M_PI * h / side, phase = 2 * M_PI * h / n;
        const double window = assignment_window(Assignment(points), h, 0, 0, n);
        rows.wave.push_back(k);
        rows.factor.push_back(std::exp(-std::pow(k * split_radius, 2)) / (window * window));
        // The highest wave on a mesh with even n has no real derivative.
        const bool highest = 2 * std::abs(h) == n;
        rows.gradient.push_back(highest ? 0
                                : four_point
                                    ? (8 * std::sin(phase) - std::sin(2 * phase)) / 6 * (n / side)
                                    : k);
    }
    return rows;
}

} // namespace chamomile
