// A particle passes the center of a ring of mass 1 and radius 1 along its axis. At the center the
// force is 0, its change is fastest, and phi = -1: jerk = -v / u^3, phi = -1 / u, u^2 = 1 + eps^2.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <vector>

#include "chamomile/interfaces/cunbody/cunbody.h"

int main()
{
    using Row = double[3];
    const int n = 1000;
    std::vector<double> x(3 * n), v(3 * n, 0.0), m(n, 1.0 / n);
    for (int j = 0; j < n; ++j) {
        x[3 * j] = std::cos(2 * std::numbers::pi * j / n);
        x[3 * j + 1] = std::sin(2 * std::numbers::pi * j / n);
    }
    const Row place[1] = {{0, 0, 0}}, velocity[1] = {{0, 0, 0.5}};
    Row a[1], jerk[1];
    double potential[1];
    const double eps = 1.0 / 256, u = std::sqrt(1 + eps * eps);
    force_jerk_potential(reinterpret_cast<const Row*>(x.data()),
                         reinterpret_cast<const Row*>(v.data()), m.data(), place, velocity,
                         eps * eps, a, jerk, potential, 1, n);
    std::printf("a = %.6f, jerk = %.6f, phi = %.6f\n", a[0][2], jerk[0][2], potential[0]);
    const double worst = std::max({std::abs(a[0][2]), std::abs(jerk[0][2] + 0.5 / (u * u * u)),
                                   std::abs(potential[0] + 1 / u)});
    if (*cunbody_error())
        std::fprintf(stderr, "%s\n", cunbody_error());
    return worst < 1e-6 ? 0 : 1;
}
