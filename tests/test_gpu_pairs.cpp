// The behaviours of pair_behaviours.hpp on the first GPU; the suite is skipped where there is none.
#include <doctest/doctest.h>

#include "tests/law_behaviours.hpp"
#include "tests/pair_behaviours.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("gpu_pairs");

TEST_CASE("sums are those of a plain loop")
{
    check_pair_sums({"gpu"});
}

TEST_CASE("excluded pairs are left out, and no others")
{
    check_excluded_pairs({"gpu"});
}

TEST_CASE("a cut-off finds every source within it, in every image")
{
    check_cutoff({"gpu"});
}

TEST_CASE("a law needs no positions")
{
    check_pairs_without_positions({"gpu"});
}

TEST_CASE("units far from 1 cost no digit")
{
    check_pair_units({"gpu"});
}

TEST_CASE("no bit depends on the number of threads")
{
    check_pair_threads({"gpu"});
}

TEST_CASE("what cannot be summed is refused in one line")
{
    check_bad_pairs({"gpu"});
}

TEST_CASE("the built-in laws keep their digits in single precision")
{
    check_laws_in_float({"gpu"});
}

TEST_CASE("bonded atoms of chain molecules do not see each other")
{
    check_chain_molecules({"gpu"});
}

TEST_CASE("laws that end see 1e5 atoms within their cut-off")
{
    check_laws_within_cutoff({"gpu"});
}

TEST_CASE("densities are those of a plain loop and of a lattice")
{
    check_sph_density({"gpu"});
}
