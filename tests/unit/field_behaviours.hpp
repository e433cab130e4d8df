/// \file  Behaviours of a kept field on any device.
#pragma once

#include "tests/unit/behaviours.hpp"

namespace chamomile::tests {

void check_field_at_points(const Machine& machine);
void check_field_at_sources(const Machine& machine);
void check_field_of_selves(const Machine& machine);
void check_field_through_views(const Machine& machine);
void check_field_refitted(const Machine& machine);
void check_field_tidal_tensor_and_jerk(const Machine& machine);
void check_field_derivatives_at_sources(const Machine& machine);
void check_field_tidal_tensor_of_splines(const Machine& machine);
void check_field_of_own_softenings(const Machine& machine);
void check_field_of_softened_targets(const Machine& machine);
void check_field_of_places(const Machine& machine);
void check_field_where_it_cancels(const Machine& machine);
void check_field_neighbours(const Machine& machine);
void check_field_in_box(const Machine& machine);
void check_field_misuse(const Machine& machine);

inline constexpr Behaviour field_behaviours[] = {
    {"field evaluation at arbitrary points matches direct sums", check_field_at_points},
    {"field evaluation at the sources matches the force solver", check_field_at_sources},
    {"a target's self index excludes the target as a source", check_field_of_selves},
    {"field solvers read and write strided arrays in place", check_field_through_views},
    {"refitting follows moved sources without a new tree", check_field_refitted},
    {"tidal tensors and jerks match direct sums", check_field_tidal_tensor_and_jerk},
    {"tidal tensors and jerks at all sources have the tree's errors",
     check_field_derivatives_at_sources},
    {"tidal tensors with spline softening match direct sums", check_field_tidal_tensor_of_splines},
    {"tidal tensors and jerks follow per-particle softening", check_field_of_own_softenings},
    {"targets may be softened where sources are not", check_field_of_softened_targets},
    {"tidal tensors and jerks exclude sources at a target's position", check_field_of_places},
    {"targets near a zero of the field do not force direct sums", check_field_where_it_cancels},
    {"neighbour searches match an all-pairs search", check_field_neighbours},
    {"in a periodic box a field includes all periodic images", check_field_in_box},
    {"field solvers refuse wrong calls with an error line", check_field_misuse},
};

} // namespace chamomile::tests
