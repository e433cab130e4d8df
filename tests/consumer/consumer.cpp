// Two unit masses at distance 2: each pulls the other with 1/4, and phi = -1/2.
#include <cstdio>

#include <force/solver.hpp>

int main()
{
    chamomile::Particles pair;
    pair.resize(2);
    pair.mass = {1, 1};
    pair.position = {{-1, 0, 0}, {1, 0, 0}};

    chamomile::SolverOptions options;
    options.theta = 0.5;
    const auto solver = chamomile::make_solver(options);
    solver->solve(pair, chamomile::Quantities::acceleration_potential);

    std::printf("a = %g, phi = %g\n", pair.acceleration[0].x, pair.potential[0]);
    return pair.acceleration[0].x == 0.25 && pair.potential[0] == -0.5 ? 0 : 1;
}
