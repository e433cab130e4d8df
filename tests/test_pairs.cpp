// The behaviours of pair_behaviours.hpp on the processor, for each instruction set that it has.
#include <doctest/doctest.h>

#include "tests/pair_behaviours.hpp"

using namespace chamomile::tests;

TEST_SUITE_BEGIN("pairs");

TEST_CASE("pair solvers fulfil all common behaviours")
{
    check_behaviours(pair_behaviours, every_set());
}

TEST_SUITE_END();
