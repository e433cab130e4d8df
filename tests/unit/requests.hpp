/// \file  Requests to solvers for particles on the host.
#pragma once

#include "chamomile/force/repairs/singular_pairs.hpp"
#include "chamomile/force/solver.hpp"

namespace chamomile::tests {

/// Asked holds a request's contents besides all accelerations.
struct Asked {
    std::span<const Index> active = {};
    std::uint64_t number = 0;
    bool keeps_tree = false;
    LongRangePart long_range = LongRangePart::added;
    ArrayView long_range_acceleration = {};
};

inline ForceStatistics solve(Solver& solver, Particles& particles, const Asked& asked,
                             Quantities quantities = Quantities::acceleration)
{
    Request request = request_of(particles, quantities);
    request.active = asked.active;
    request.number = asked.number;
    request.keeps_tree = asked.keeps_tree;
    request.long_range = asked.long_range;
    request.long_range_acceleration = asked.long_range_acceleration;
    return solver.evaluate(request);
}

/// target() returns target t in a host request, target_count() the number of targets.
inline Index target(const Request& request, std::size_t t)
{
    return request.active.empty() ? Index(t) : request.active[t];
}
inline std::size_t target_count(const Request& request)
{
    return request.active.empty() ? request.count : request.active.size();
}

} // namespace chamomile::tests
