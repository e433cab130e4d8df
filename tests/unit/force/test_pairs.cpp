// Runs pair_behaviours.hpp on the processor with each supported instruction set.
#include <doctest/doctest.h>

#include "tests/unit/pair_behaviours.hpp"

using namespace chamomile::tests;

TEST_SUITE_BEGIN("pairs");

TEST_CASE("pair solvers fulfil all common behaviours")
{
    check_behaviours(pair_behaviours, every_set());
}

TEST_SUITE_END();
