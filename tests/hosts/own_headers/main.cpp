// Two unit masses at distance 2, in host types, with solvers from the library.
#include <cmath>
#include <cstdio>

#include <chamomile/force/field.hpp>
#include <chamomile/force/solver.hpp>
#include <chamomile/integrate/simulation.hpp>
#include <chamomile/io/snapshot.hpp>
#include <chamomile/force/pairs/pair_solver.hpp>

#include "core/particles.hpp"

#ifdef _OPENMP
#error "OpenMP was turned on in code of the host"
#endif

int main()
{
    const host::Particles own = {{{{-1, 0, 0}}, {{1, 0, 0}}}, {1, 1}};
    chamomile::Particles pair;
    pair.resize(2);
    for (int i = 0; i < 2; ++i) {
        pair.position[i] = {own.x[i].a[0], own.x[i].a[1], own.x[i].a[2]};
        pair.mass[i] = own.m[i];
    }
    chamomile::make_solver({})->solve(pair, chamomile::Quantities::acceleration);
    std::printf("a = %g\n", pair.acceleration[0].x);
    return std::abs(pair.acceleration[0].x / 0.25 - 1) < 1e-6 ? 0 : 1;
}
