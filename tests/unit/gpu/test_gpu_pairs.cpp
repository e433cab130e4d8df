// Runs pair_behaviours.hpp and law_behaviours.hpp on the first GPU.
#include <doctest/doctest.h>

#include "tests/unit/law_behaviours.hpp"
#include "tests/unit/pair_behaviours.hpp"

using namespace chamomile::tests;

TEST_SUITE_BEGIN("gpu_pairs");

TEST_CASE("GPU pair sums and built-in laws fulfil all common behaviours")
{
    check_behaviours(pair_behaviours, {{"gpu"}});
    check_behaviours(law_behaviours, {{"gpu"}});
}

TEST_SUITE_END();
