// Exact sums: values by integer arithmetic and by hand, in any order.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include "chamomile/core/exact_sum.hpp"

using namespace chamomile;

TEST_SUITE_BEGIN("exact_sum");

namespace {

template <class Record, class Term>
Record exact_sum(std::size_t n, const Term& term)
{
    ExactSums<Record> sums;
    sums.add(0, n, term);
    return sums.value();
}

double sum_of(const std::vector<double>& terms)
{
    return exact_sum<double>(terms.size(), [&](std::size_t i) { return terms[i]; });
}

/// Returns n terms of up to 53 bits, times 2^-30 to 2^30.
std::vector<double> random_terms(std::size_t n)
{
    std::mt19937_64 random(3);
    std::vector<double> terms(n);
    for (double& term : terms)
        term = std::ldexp(double(std::int64_t(random()) >> 11), int(random() % 61) - 30);
    return terms;
}

} // namespace

TEST_CASE("exact sums match integer arithmetic in any order and split")
{
    for (const std::size_t n : {0, 1, 2, 100, 50000}) {
        std::vector<double> terms = random_terms(n);
        __int128 units = 0; // of 2^-30
        for (const double term : terms) {
            int exponent = 0;
            const auto mantissa = std::int64_t(std::ldexp(std::frexp(term, &exponent), 53));
            const int up = exponent - 53 + 30;
            units += up >= 0 ? __int128(mantissa) << up : __int128(mantissa >> -up);
        }
        const double expected = std::ldexp(double(units), -30);
        CHECK(sum_of(terms) == expected);
        std::shuffle(terms.begin(), terms.end(), std::mt19937(5));
        CHECK(sum_of(terms) == expected);
        ExactSums<double> first, second;
        const auto term = [&](std::size_t i) { return terms[i]; };
        first.add(0, n / 3, term);
        second.add(n / 3, n, term);
        second += first;
        CHECK(second.value() == expected);
    }
}

TEST_CASE("exact sums handle cancellation, round to even and extreme exponents")
{
    constexpr double largest = std::numeric_limits<double>::max(),
                     min = std::numeric_limits<double>::denorm_min(), infinity = HUGE_VAL;
    CHECK(sum_of({1e308, 1, -1e308}) == 1);
    CHECK(sum_of({1e308, 1e308, -1e308, -1e308, min}) == min);
    CHECK(sum_of({largest, largest, -largest}) == largest);
    CHECK(sum_of({largest, largest}) == infinity);
    CHECK(sum_of({-largest, -largest}) == -infinity);
    CHECK(sum_of({1, 0x1p-53}) == 1);                      // a tie, to even
    CHECK(sum_of({1 + 0x1p-52, 0x1p-53}) == 1 + 0x1p-51);  // the other tie
    CHECK(sum_of({1, 0x1p-53, 0x1p-1074}) == 1 + 0x1p-52); // above the tie
    CHECK(sum_of({-1, -0x1p-53, -0x1p-1074}) == -1 - 0x1p-52);
    CHECK(sum_of({3 * min, -min}) == 2 * min);
    CHECK(sum_of({0.1, 0.2, 0.3, -0.6}) == 0x1p-55);
    CHECK(sum_of({}) == 0);
    CHECK(sum_of({infinity, -1}) == infinity);
    CHECK(sum_of({-infinity, 1}) == -infinity);
    CHECK(std::isnan(sum_of({infinity, -infinity})));
    CHECK(std::isnan(sum_of({std::nan(""), 1})));
}

TEST_CASE("exact sums treat each member of a record separately")
{
    struct Pair {
        double a, b;
    };
    const Pair sum = exact_sum<Pair>(10001, [](std::size_t i) {
        return Pair{i % 2 == 0 ? 1e20 : -1e20, double(i)};
    });
    CHECK(sum.a == 1e20);
    CHECK(sum.b == 10001. * 5000);
}

TEST_SUITE_END();
