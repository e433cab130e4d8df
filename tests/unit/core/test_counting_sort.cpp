// Counting sort of indices: equal to a stable sort by key, for few and many keys.
#include <algorithm>
#include <numeric>
#include <vector>

#include <doctest/doctest.h>

#include "chamomile/core/counting_sort.hpp"

using namespace chamomile;

TEST_SUITE_BEGIN("counting_sort");

TEST_CASE("indices are sorted by key, and ascend for each key")
{
    for (const std::size_t n : {0, 1, 100, 20000, 1 << 20})
        for (const std::size_t keys : {1, 3, 257, 40000}) {
            CAPTURE(n);
            CAPTURE(keys);
            const auto key_of = [&](std::size_t i) { return (i * i + 7 * i) % 1009 % keys; };
            const SortedIndices sorted = sorted_by(n, keys, key_of);
            std::vector<Index> expected(n);
            std::iota(expected.begin(), expected.end(), Index(0));
            std::ranges::stable_sort(expected, {}, key_of);
            CHECK(std::ranges::equal(sorted.order, expected));
            REQUIRE(sorted.begin.size() == keys + 1);
            for (std::size_t key = 0; key <= keys; ++key)
                if (sorted.begin[key] !=
                    std::size_t(std::ranges::lower_bound(expected, key, {}, key_of) -
                                expected.begin()))
                    FAIL_CHECK("begin of key ", key);
        }
}

TEST_SUITE_END();
