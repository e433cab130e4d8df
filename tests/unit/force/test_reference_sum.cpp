// The reference against hand-computed values and published kernel limits.
#include <cmath>

#include <doctest/doctest.h>

#include "chamomile/force/reference_sum.hpp"
#include "tests/unit/within.hpp"

using namespace chamomile;

TEST_SUITE_BEGIN("reference_sum");

namespace {

/// Returns force and potential of a test particle at distance r from a unit mass.
ReferenceSums pair_at(double r, Softening softening)
{
    Particles pair;
    pair.resize(2);
    pair.mass = {0, 1};
    pair.position = {{0, 0, 0}, {r, 0, 0}};
    const Index target[] = {0};
    return reference_sum(pair, target, softening, 1);
}

} // namespace

TEST_CASE("Plummer softening has its maximum force at eps/sqrt(2)")
{
    const double eps = 0.3;
    const auto sums = pair_at(eps / std::sqrt(2.0), {SofteningKind::plummer, eps});
    CHECK(sums.acceleration[0].x * eps * eps == within(1e-14, 0.3849001794597505));
}

TEST_CASE("the spline kernel is Newtonian beyond 2.8 eps, smooth inside, -1/eps at the center")
{
    const Softening spline{SofteningKind::spline, 0.5};
    const double h = 1.4;
    CHECK(pair_at(0, spline).potential[0] == within(1e-14, -2));
    CHECK(pair_at(h, spline).acceleration[0].x == within(1e-14, 1 / (h * h)));
    for (double r :
         {1e-6 * h, 0.2 * h, 0.499999 * h, 0.500001 * h, 0.7 * h, 0.999999 * h, 1.1 * h}) {
        // The force equals the potential's slope.
        const double d = 1e-6 * h;
        const double slope =
            (pair_at(r + d, spline).potential[0] - pair_at(std::abs(r - d), spline).potential[0]) /
            (2 * d);
        CHECK(pair_at(r, spline).acceleration[0].x == within(1e-5, slope));
    }
}

TEST_CASE("target samples are distinct and within range")
{
    for (std::size_t n : {1, 597, 700, 900, 999}) {
        CAPTURE(n);
        const auto sample = sample_targets(1000, n);
        CHECK(sample.size() == n);
        for (std::size_t k = 1; k < sample.size(); ++k)
            CHECK(sample[k] > sample[k - 1]);
        CHECK(sample.back() < 1000);
    }
    CHECK(sample_targets(10, 5000).size() == 10);
    const auto numbers = sample_targets<GlobalIndex>(std::size_t(1) << 40, 597);
    CHECK(std::ranges::is_sorted(numbers));
    CHECK(numbers.back() > (GlobalIndex(1) << 40) - (GlobalIndex(1) << 32));
}

TEST_SUITE_END();
