// A field that is kept, on the first GPU; the suite is skipped where there is none.
#include <doctest/doctest.h>

#include "tests/field_behaviours.hpp"

using namespace chamomile::tests;

TEST_SUITE_BEGIN("gpu_field");

TEST_CASE("a field that is kept")
{
    check_behaviours(field_behaviours, {{"gpu"}});
}

TEST_SUITE_END();
