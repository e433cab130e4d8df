// Runs range_behaviours.hpp on the first GPU. The suite is skipped without a GPU.
#include <doctest/doctest.h>

#include "tests/unit/range_behaviours.hpp"

using namespace chamomile::tests;

TEST_SUITE_BEGIN("gpu_force_range");

TEST_CASE("GPU solvers handle coordinates, masses and forces of any magnitude")
{
    check_behaviours(range_behaviours, {{"gpu"}});
}

TEST_SUITE_END();
