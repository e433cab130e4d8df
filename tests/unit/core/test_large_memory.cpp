// Memory for large arrays: whole, writable, and in huge pages' places.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <new>
#include <vector>

#include <doctest/doctest.h>

#include "chamomile/core/large_memory.hpp"
#include "chamomile/core/populate.hpp"

using namespace chamomile;

TEST_SUITE_BEGIN("large_memory");

TEST_CASE("arrays of any size keep their values")
{
    for (std::size_t n : {1, 1000, 1 << 20, (1 << 20) + 1, 3333333}) {
        std::pmr::vector<std::uint64_t> array(n, 7, large_memory());
        CHECK(std::count(array.begin(), array.end(), 7u) == std::ptrdiff_t(n));
        for (std::size_t k = 0; k < n; ++k)
            array[k] = k;
        array.resize(2 * n); // elsewhere
        CHECK(array[n - 1] == n - 1);
        CHECK(array[2 * n - 1] == 0);
    }
}

TEST_CASE("large arrays begin at a huge page")
{
    const std::size_t bytes = std::size_t(8) << 20;
    void* const memory = large_memory()->allocate(bytes, 64);
    CHECK(std::uintptr_t(memory) % (2 << 20) == 0);
    large_memory()->deallocate(memory, bytes, 64);
}

TEST_CASE("an impossible allocation throws std::bad_alloc")
{
    for (std::vector<double> values : {std::vector<double>(), std::vector<double>(9)})
        CHECK_THROWS_AS(resize_large(std::size_t(1) << 57, values), std::bad_alloc);
    CHECK_THROWS_AS(static_cast<void>(large_memory()->allocate(std::size_t(1) << 60)),
                    std::bad_alloc);
}

TEST_SUITE_END();
