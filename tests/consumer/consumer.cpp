// Two unit masses at distance 2: each pulls the other with 1/4, and phi = -1/2.
#include <cmath>
#include <cstdio>

#include <chamomile/force/solver.hpp>

int main()
{
    chamomile::Particles pair;
    pair.resize(2);
    pair.mass = {1, 1};
    pair.position = {{-1, 0, 0}, {1, 0, 0}};

    chamomile::SolverOptions options;
    options.criterion = chamomile::Criterion::geometric;
    options.theta = 0.5;
    const auto solver = chamomile::make_solver(options);
    solver->solve(pair, chamomile::Quantities::acceleration_potential);

    std::printf("a = %g, phi = %g\n", pair.acceleration[0].x, pair.potential[0]);
    const double rounding = 1.2e-7; // float
    return std::abs(pair.acceleration[0].x / 0.25 - 1) < rounding &&
                   std::abs(pair.potential[0] / -0.5 - 1) < rounding
               ? 0
               : 1;
}
