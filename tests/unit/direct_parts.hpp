/// \file  Target parts of a direct sum, on any device.
#pragma once

#include <algorithm>
#include <numeric>

#include <doctest/doctest.h>

#include "chamomile/force/lists/list_solver.hpp"
#include "tests/unit/rank_sets.hpp"

namespace chamomile::tests {

/// Sums in 1, 2, 3 and 16 parts. Checks that each target belongs to one part, with the bits of the
/// whole sum.
inline void check_parts(const Particles& p, SolverOptions options,
                        std::span<const Index> active = {})
{
    options.solver = SolverKind::direct;
    const auto solver = make_direct_solver(resolved(options));
    Particles whole = p;
    const ForceStatistics all = solver->solve(whole, Quantities::acceleration_potential, active);
    std::vector<Index> due(active.begin(), active.end());
    if (due.empty()) {
        due.resize(p.size());
        std::iota(due.begin(), due.end(), Index(0));
    }
    for (const int parts : {1, 2, 3, 16}) {
        CAPTURE(parts);
        Particles cut = p;
        Request request = request_of(cut, Quantities::acceleration_potential);
        request.active = active;
        ForceStatistics sum;
        std::vector<Index> targets, numbers;
        for (int part = 0; part < parts; ++part) {
            add(sum, solver->evaluate_part(request, {part, parts}, numbers));
            targets.insert(targets.end(), numbers.begin(), numbers.end());
        }
        std::sort(targets.begin(), targets.end());
        CHECK(targets == due);
        CHECK(same_forces(whole, cut));
        CHECK(sum.targets == all.targets);
        CHECK(sum.groups == all.groups);
        CHECK(sum.particle_particle == all.particle_particle);
        CHECK(sum.cancelling == all.cancelling);
    }
}

} // namespace chamomile::tests
