// The sort against std::stable_sort, for all kinds of keys and any thread count.
#include <algorithm>
#include <functional>
#include <numeric>

#include <doctest/doctest.h>
#include <omp.h>

#include "chamomile/core/threads.hpp"
#include "chamomile/tree/radix_sort.hpp"
#include "tests/unit/clouds.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("radix_sort");

namespace {

struct Sorted {
    std::vector<Key> keys;
    std::vector<Index> order;
};

std::vector<Index> identity(std::size_t n)
{
    std::vector<Index> order(n);
    std::iota(order.begin(), order.end(), Index(0));
    return order;
}

Sorted expected(const std::vector<Key>& keys)
{
    Sorted s{std::vector<Key>(keys.size()), identity(keys.size())};
    std::stable_sort(s.order.begin(), s.order.end(),
                     [&](Index a, Index b) { return keys[a] < keys[b]; });
    std::transform(s.order.begin(), s.order.end(), s.keys.begin(),
                   [&](Index i) { return keys[i]; });
    return s;
}

/// Sorts keys[i] with number i, starting from the pairs in the given order.
void check_sort(const std::vector<Key>& keys, const std::vector<Index>& start)
{
    const Sorted right = expected(keys);
    const int threads = omp_get_max_threads();
    RadixScratch scratch;
    for (const int count : {1, 2, 5, 16}) {
        CAPTURE(count);
        omp_set_num_threads(count);
        std::vector<Key> sorted(keys.size());
        std::vector<Index> order = start;
        for (std::size_t k = 0; k < keys.size(); ++k)
            sorted[k] = keys[start[k]];
        radix_sort(sorted, order, scratch);
        CHECK(sorted == right.keys);
        CHECK(order == right.order);
    }
    omp_set_num_threads(threads);
}

std::vector<Key> made(std::size_t n, const std::function<Key(std::size_t, Random&)>& make)
{
    Random random(n);
    std::vector<Key> keys(n);
    for (std::size_t i = 0; i < n; ++i)
        keys[i] = make(i, random);
    return keys;
}

Key any_key(Random& random)
{
    return Key(random() * 0x1p53) << 10 | Key(random() * 1024);
}

std::vector<Key> keys_of(const std::vector<Vec3<double>>& positions)
{
    std::vector<Key> keys(positions.size());
    compute_keys(positions, bounding_cube(positions), keys);
    return keys;
}

constexpr std::size_t large = 60013; // several buckets for each thread

} // namespace

TEST_CASE("radix sort handles any number of random keys")
{
    for (const std::size_t n :
         {std::size_t(0), std::size_t(1), std::size_t(2), std::size_t(24), std::size_t(25),
          std::size_t(597), std::size_t(4096), worth_threads - 1, worth_threads, worth_threads + 1,
          std::size_t(32768), std::size_t(65536), large}) {
        CAPTURE(n);
        check_sort(made(n, [](std::size_t, Random& random) { return any_key(random); }),
                   identity(n));
    }
}

TEST_CASE("radix sort handles keys with few distinct digits")
{
    const auto check = [](const std::function<Key(std::size_t, Random&)>& make) {
        check_sort(made(large, make), identity(large));
    };
    check([](std::size_t, Random&) { return Key(5); });
    check([](std::size_t, Random& random) { return Key(random() * 3) << 61; });
    check([](std::size_t, Random& random) { return Key(random() * 300); });
    // one key among others, more often than fits a bucket
    check([](std::size_t, Random& random) {
        return random() < 0.7 ? Key(1) << 40 : any_key(random);
    });
    // one far particle, the rest within the lowest bits
    check([](std::size_t i, Random& random) {
        return i == 777 ? ~Key(0) >> 1 : Key(random() * 1e6);
    });
    // both ends of every bucket far apart: neighbours agree in all except the lowest of 63 bits
    check([](std::size_t, Random& random) {
        return (Key(random() * 4) << 61) | Key(random() * 0x1p20);
    });
}

TEST_CASE("radix sort handles sorted, reversed and nearly sorted keys")
{
    check_sort(made(large, [](std::size_t i, Random&) { return Key(i / 3) << 20; }),
               identity(large));
    check_sort(made(large, [](std::size_t i, Random&) { return Key(large - i) << 20; }),
               identity(large));
    std::vector<Vec3<double>> positions = plummer(large).position;
    const std::vector<Index> last = expected(keys_of(positions)).order;
    Random random(9);
    for (auto& x : positions)
        x += on_sphere(random, 0.01 * norm(x));
    check_sort(keys_of(positions), last); // like a time step
    // in order except for a few far out of place
    check_sort(made(large,
                    [](std::size_t i, Random& random) {
                        return random() < 0.01 ? any_key(random) : Key(i) << 47;
                    }),
               identity(large));
}

TEST_CASE("equal keys sort by index for any input order")
{
    const auto keys =
        made(large, [](std::size_t, Random& random) { return Key(random() * 5000) << 30; });
    std::vector<Index> start = identity(large);
    std::reverse(start.begin(), start.end());
    check_sort(keys, start);
}

TEST_CASE("radix sort orders the keys of particle sets")
{
    for (const Particles& p : {plummer(large), hernquist(large), thin_disk(large),
                               uniform_cube(large), moved(plummer(large), 1e-9, {1, 1, 1})})
        check_sort(keys_of(p.position), identity(large));
}

TEST_CASE("table keys equal arithmetic keys")
{
    std::vector<Vec3<double>> positions = hernquist(20011).position;
    const RootCube cube = bounding_cube(positions);
    positions.push_back(cube.low);
    positions.push_back(cube.low - Vec3<double>{1, 0, 1e-9});
    positions.push_back(cube.low + Vec3<double>{cube.size, 2 * cube.size, 1e9 * cube.size});
    std::vector<Key> keys(positions.size());
    compute_keys(positions, cube, keys);
    for (std::size_t i = 0; i < positions.size(); ++i)
        CHECK(keys[i] == morton_key(positions[i], cube));
}

TEST_CASE("place_of_key() returns the corner of the cell of a position")
{
    const auto positions = uniform_cube(1000, 3).position;
    const RootCube cube = bounding_cube(positions);
    const double cell = cube.size / (1 << key_levels);
    for (const Vec3<double>& x : positions) {
        const Vec3<double> d = x - place_of_key(morton_key(x, cube), cube);
        CHECK(std::min({d.x, d.y, d.z}) >= -1e-9 * cell);
        CHECK(std::max({d.x, d.y, d.z}) <= (1 + 1e-9) * cell);
    }
}

TEST_SUITE_END();
