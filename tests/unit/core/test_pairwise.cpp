// Thinned products of choices: each pair of values is there, in few rows.
#include <string>

#include <doctest/doctest.h>

#include "tests/unit/pairwise.hpp"

using namespace chamomile::tests;

TEST_SUITE_BEGIN("pairwise");

namespace {

/// Returns whether values a of choice k and b of choice l stand together in one of the rows.
template <class Value>
bool meet(const std::vector<std::vector<Value>>& rows, std::size_t k, Value a, std::size_t l,
          Value b)
{
    for (const std::vector<Value>& row : rows)
        if (row[k] == a && row[l] == b)
            return true;
    return false;
}

} // namespace

TEST_CASE("each pair of values is in a row, and rows are few")
{
    const std::pair<std::vector<std::size_t>, std::size_t> cases[] = {
        {{5}, 5},        {{3, 4}, 12},        {{12, 7, 4}, 84},
        {{2, 9, 6}, 54}, {{12, 5, 2, 2}, 60}, {{3, 3, 3, 3, 3}, 15},
        {{}, 0}};
    for (const auto& [sizes, max_rows] : cases) {
        CAPTURE(sizes.size());
        const auto rows = pairwise(sizes);
        CHECK(rows.size() <= max_rows);
        for (std::size_t k = 0; k < sizes.size(); ++k)
            for (std::size_t l = 0; l < sizes.size(); ++l)
                for (std::size_t a = 0; a < sizes[k]; ++a)
                    for (std::size_t b = 0; b < sizes[l]; ++b)
                        if (k != l || a == b)
                            CHECK(meet(rows, k, a, l, b));
    }
}

TEST_CASE("only pairs that are in the given rows are asked for")
{
    const std::vector<std::vector<std::string>> rows{
        {"a", "x", "1"}, {"a", "y", "1"}, {"a", "y", "2"}, {"b", "y", "2"}, {"a", "x", "2"}};
    CHECK(covering_pairs(rows) == std::vector<std::size_t>{0, 1, 3, 4});
}

TEST_SUITE_END();
