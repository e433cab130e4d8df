/// \file  What a kept field must do on every device.
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
void check_field_of_places(const Machine& machine);
void check_field_where_it_cancels(const Machine& machine);
void check_field_neighbours(const Machine& machine);
void check_field_in_box(const Machine& machine);
void check_field_misuse(const Machine& machine);

} // namespace chamomile::tests
