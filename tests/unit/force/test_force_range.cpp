// The behaviours of range_behaviours.hpp on the host.
#include <doctest/doctest.h>

#include "tests/unit/range_behaviours.hpp"

using namespace chamomile::tests;

TEST_SUITE_BEGIN("force_range");

TEST_CASE("solvers handle coordinates, masses and forces of any magnitude")
{
    check_behaviours(range_behaviours, {{"cpu"}});
}

TEST_SUITE_END();
