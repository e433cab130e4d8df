// The behaviours of range_behaviours.hpp on the first GPU; the suite is skipped where there is
// none.
#include <doctest/doctest.h>

#include "tests/range_behaviours.hpp"

using namespace chamomile::tests;

TEST_SUITE_BEGIN("gpu_force_range");

TEST_CASE("direct sums of wide groups and close pairs")
{
    check_wide_groups({"gpu"});
}

TEST_CASE("trees whose accelerations or lengths have no squares")
{
    check_sizes_without_squares({"gpu"});
}

TEST_CASE("the field far from all sources")
{
    check_far_targets({"gpu"});
}

TEST_CASE("sums that no double can hold are errors")
{
    check_overflow({"gpu"});
}

TEST_CASE("a tree says where forces cancel")
{
    check_cancelling_line({"gpu"});
}

TEST_SUITE_END();
