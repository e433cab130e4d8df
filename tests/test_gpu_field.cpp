// A field that is kept, on the first GPU; the suite is skipped where there is none.
#include <doctest/doctest.h>

#include "tests/field_behaviours.hpp"

using namespace chamomile::tests;

TEST_SUITE_BEGIN("gpu_field");

TEST_CASE("a field at points anywhere")
{
    check_field_at_points({"gpu"});
}

TEST_CASE("a field at its sources is what a solver gives")
{
    check_field_at_sources({"gpu"});
}

TEST_CASE("targets that are sources do not feel themselves")
{
    check_field_of_selves({"gpu"});
}

TEST_CASE("arrays are read and written where they lie")
{
    check_field_through_views({"gpu"});
}

TEST_CASE("moved sources keep their cells")
{
    check_field_refitted({"gpu"});
}

TEST_CASE("tidal tensors and jerks")
{
    check_field_tidal_tensor_and_jerk({"gpu"});
}

TEST_CASE("tidal tensors with spline softening")
{
    check_field_tidal_tensor_of_splines({"gpu"});
}

TEST_CASE("tidal tensors and jerks at the places of sources")
{
    check_field_of_places({"gpu"});
}

TEST_CASE("a lattice of targets where the field cancels costs no direct sum")
{
    check_field_where_it_cancels({"gpu"});
}

TEST_CASE("neighbours are exact")
{
    check_field_neighbours({"gpu"});
}

TEST_CASE("in a periodic box a field is that of all images")
{
    check_field_in_box({"gpu"});
}

TEST_CASE("wrong use of a field gets a line each")
{
    check_field_misuse({"gpu"});
}

TEST_SUITE_END();
