// The sets of hierarchical steps, as levels change.
#include <array>

#include <doctest/doctest.h>

#include "chamomile/integrate/rungs/host_nested_sets.hpp"
#include "tests/unit/restart_runs.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("nested_sets");

TEST_CASE("sets are known again only with the same members")
{
    Particles particles = set_in_motion(5);
    std::vector<std::uint8_t> level{0, 2, 2, 0, 4};
    const std::vector<Vec3<double>> no_field;
    const std::vector<double> no_potential;
    HostNestedSets sets;
    sets.begin({particles, level, no_field, no_potential, {}});
    const std::array<int, 3> levels{0, 2, 4};
    const auto opened = [&](std::size_t set) {
        const bool is_known = sets.is_known(set);
        sets.request(set, false);
        sets.hold(set);
        return is_known;
    };
    for (const bool again : {false, true}) {
        sets.open(0, levels);
        CHECK(opened(1) == again);
        CHECK(opened(2) == again);
        CHECK(sets.size(1) == 3);
    }
    level = {0, 2, 0, 2, 4}; // as many members
    sets.open(0, levels);
    CHECK_FALSE(opened(1));
    CHECK(opened(2));
    CHECK(sets.members(1)[1] == 3);
    CHECK(sets.first_due(3) == 2);
    level[4] = 2; // level 4 is empty
    sets.open(1, std::array{2});
    CHECK(sets.count() == 2);
}

TEST_SUITE_END();
