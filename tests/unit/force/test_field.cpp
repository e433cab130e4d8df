// A kept field on the host.
#include <doctest/doctest.h>

#include "tests/unit/field_behaviours.hpp"

using namespace chamomile::tests;

TEST_SUITE_BEGIN("field");

TEST_CASE("field solvers fulfil all common behaviours")
{
    check_behaviours(field_behaviours, {{"cpu"}});
}

TEST_SUITE_END();
