/// \file  Functions of a math library, with equal bits on all processors.
///
/// Contraction: none.
#pragma once

#include <cmath>

#include "chamomile/core/host_device.hpp"

namespace chamomile::external {

/// Returns artanh(s) - s for |s| <= 0.2, accurate to a few units in the last place.
CHAMOMILE_HD double artanh_beyond_first(double s)
{
    const double s2 = s * s;
    double series = 0;
    for (int k = 23; k >= 3; k -= 2)
        series = 1.0 / k + s2 * series;
    return s * s2 * series;
}

/// Returns the natural logarithm of x > 0, bitwise independent of the math library.
CHAMOMILE_HD double shared_logarithm(double x)
{
    int exponent;
    double m = frexp(x, &exponent); // in [1/2, 1)
    if (m < 0.70710678118654752440) {
        m *= 2;
        --exponent;
    }
    const double s = (m - 1) / (m + 1);
    return exponent * 0.69314718055994530942 + 2 * (s + artanh_beyond_first(s));
}

/// Returns e^y for y <= 700, accurate to a few units in the last place of max(1, |y|) e^y; 0 below
/// y = -700.
CHAMOMILE_HD double shared_exponential(double y)
{
    if (!(y > -700))
        return 0;
    const double k = rint(y * 1.44269504088896340736); // 1 / ln 2
    const double r = (y - k * 0.693147180369123816490) - k * 1.90821492927058770002e-10;
    double series = 1;
    for (int n = 13; n > 0; --n)
        series = 1 + series * (r * (1.0 / n));
    return ldexp(series, int(k));
}

/// The parts of Gamma(a) below and above x.
struct IncompleteGamma {
    double below, above;
};

/// Returns the incomplete Gamma functions of 0 < a <= 3/2 and x >= 0 by the series, or from x = 4
/// on by the continued fraction (Abramowitz & Stegun 1964, 6.5.29 and 6.5.31). `whole` is
/// Gamma(a). Errors are below 1e-14 of `whole`.
CHAMOMILE_HD IncompleteGamma incomplete_gamma(double a, double whole, double x)
{
    if (!(x > 0))
        return {0, whole};
    if (x > 50) // the rest is below a unit in the last place
        return {whole, 0};
    const double factor = shared_exponential(a * shared_logarithm(x) - x);
    if (x < 4) {
        double term = 1 / a, sum = term;
        for (int n = 1; term > 1e-17 * sum; ++n) {
            term *= x / (a + n);
            sum += term;
        }
        return {factor * sum, whole - factor * sum};
    }
    constexpr int terms = 24;
    double fraction = x + (2 * terms + 1 - a);
    for (int k = terms; k > 0; --k)
        fraction = x + (2 * k - 1 - a) - k * (k - a) / fraction;
    return {whole - factor / fraction, factor / fraction};
}

} // namespace chamomile::external
