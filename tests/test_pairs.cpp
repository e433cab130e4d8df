// The behaviours of pair_behaviours.hpp on the processor, for each instruction set that it has.
#include <doctest/doctest.h>

#include "chamomile/core/instruction_sets.hpp"
#include "tests/pair_behaviours.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("pairs");

namespace {

void for_each_set(void (*check)(const Machine&))
{
    for (const std::string& set : instruction_sets()) {
        CAPTURE(set);
        check({"cpu", set});
    }
}

} // namespace

TEST_CASE("sums are those of a plain loop")
{
    for_each_set(check_pair_sums);
}

TEST_CASE("excluded pairs are left out, and no others")
{
    for_each_set(check_excluded_pairs);
}

TEST_CASE("a cut-off finds every source within it, in every image")
{
    for_each_set(check_cutoff);
}

TEST_CASE("a law needs no positions")
{
    for_each_set(check_pairs_without_positions);
}

TEST_CASE("units far from 1 cost no digit")
{
    for_each_set(check_pair_units);
}

TEST_CASE("no bit depends on the number of threads")
{
    check_pair_threads({});
}

TEST_CASE("what cannot be summed is refused in one line")
{
    check_bad_pairs({});
}
