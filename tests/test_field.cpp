// A field that is kept, on the host.
#include <doctest/doctest.h>

#include "tests/field_behaviours.hpp"

using namespace chamomile::tests;

TEST_SUITE_BEGIN("field");

TEST_CASE("a field at points anywhere")
{
    check_field_at_points({"cpu"});
}

TEST_CASE("a field at its sources is what a solver gives")
{
    check_field_at_sources({"cpu"});
}

TEST_CASE("targets that are sources do not feel themselves")
{
    check_field_of_selves({"cpu"});
}

TEST_CASE("arrays are read and written where they lie")
{
    check_field_through_views({"cpu"});
}

TEST_CASE("moved sources keep their cells")
{
    check_field_refitted({"cpu"});
}

TEST_CASE("tidal tensors and jerks")
{
    check_field_tidal_tensor_and_jerk({"cpu"});
}

TEST_CASE("tidal tensors with spline softening")
{
    check_field_tidal_tensor_of_splines({"cpu"});
}

TEST_CASE("tidal tensors and jerks at the places of sources")
{
    check_field_of_places({"cpu"});
}

TEST_CASE("a lattice of targets where the field cancels costs no direct sum")
{
    check_field_where_it_cancels({"cpu"});
}

TEST_CASE("neighbours are exact")
{
    check_field_neighbours({"cpu"});
}

TEST_CASE("in a periodic box a field is that of all images")
{
    check_field_in_box({"cpu"});
}

TEST_CASE("wrong use of a field gets a line each")
{
    check_field_misuse({"cpu"});
}

TEST_SUITE_END();
