/// \file  Behaviours of a kept field on any device.
#pragma once

#include "tests/behaviours.hpp"

namespace chamomile::tests {

void check_field_at_points(const Machine& machine);
void check_field_at_sources(const Machine& machine);
void check_field_of_selves(const Machine& machine);
void check_field_through_views(const Machine& machine);
void check_field_refitted(const Machine& machine);
void check_field_tidal_tensor_and_jerk(const Machine& machine);
void check_field_tidal_tensor_of_splines(const Machine& machine);
void check_field_of_own_softenings(const Machine& machine);
void check_field_of_places(const Machine& machine);
void check_field_where_it_cancels(const Machine& machine);
void check_field_neighbours(const Machine& machine);
void check_field_in_box(const Machine& machine);
void check_field_misuse(const Machine& machine);

inline constexpr Behaviour field_behaviours[] = {
    {"a field at points anywhere", check_field_at_points},
    {"a field at its sources is what a solver gives", check_field_at_sources},
    {"targets that are sources do not feel themselves", check_field_of_selves},
    {"arrays are read and written where they lie", check_field_through_views},
    {"moved sources keep their cells", check_field_refitted},
    {"tidal tensors and jerks", check_field_tidal_tensor_and_jerk},
    {"tidal tensors with spline softening", check_field_tidal_tensor_of_splines},
    {"tidal tensors and jerks where sources have softenings of their own",
     check_field_of_own_softenings},
    {"tidal tensors and jerks at the places of sources", check_field_of_places},
    {"a lattice of targets where the field cancels costs no direct sum",
     check_field_where_it_cancels},
    {"neighbours are exact", check_field_neighbours},
    {"in a periodic box a field is that of all images", check_field_in_box},
    {"wrong use of a field gets a line each", check_field_misuse},
};

} // namespace chamomile::tests
