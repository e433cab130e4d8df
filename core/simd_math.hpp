/// \file  The functions of lane_math.hpp for packs.
#pragma once

#include <cmath>
#include <limits>

#include "chamomile/core/lane_math.hpp"
#include "chamomile/core/simd.hpp"

namespace chamomile::CHAMOMILE_INSTRUCTION_SET {

CHAMOMILE_HD Pack<float> smaller(Pack<float> a, Pack<float> b)
{
    return select(a < b, a, b);
}
CHAMOMILE_HD Pack<double> smaller(Pack<double> a, Pack<double> b)
{
    return select(a < b, a, b);
}
CHAMOMILE_HD Pack<float> larger(Pack<float> a, Pack<float> b)
{
    return select(b < a, a, b);
}

/// Returns 1/a within 2e-7: the processor's estimate, sharpened by one Newton step.
CHAMOMILE_HD Pack<float> reciprocal(Pack<float> a)
{
#if defined(__AVX512F__)
    const Pack<float> y = Pack<float>::Register(_mm512_rcp14_ps(a.lanes));
#elif defined(__AVX2__)
    const Pack<float> y = Pack<float>::Register(_mm256_rcp_ps(a.lanes));
#elif defined(__x86_64__)
    const Pack<float> y = Pack<float>::Register(_mm_rcp_ps(a.lanes));
#else
    return Pack<float>(1.0f) / a;
#endif
#if defined(__x86_64__)
    return y + y * (Pack<float>(1.0f) - a * y);
#endif
}

CHAMOMILE_HD Pack<double> reciprocal(Pack<double> a)
{
    return Pack<double>(1.0) / a;
}

CHAMOMILE_HD Pack<float> square_root(Pack<float> a)
{
#if defined(__AVX512F__)
    return Pack<float>::Register(_mm512_sqrt_ps(a.lanes));
#elif defined(__AVX2__)
    return Pack<float>::Register(_mm256_sqrt_ps(a.lanes));
#elif defined(__x86_64__)
    return Pack<float>::Register(_mm_sqrt_ps(a.lanes));
#else
    Pack<float> root;
    for (int k = 0; k < Pack<float>::width; ++k)
        root.lanes[k] = __builtin_sqrtf(a.lanes[k]);
    return root;
#endif
}

CHAMOMILE_HD Pack<double> square_root(Pack<double> a)
{
#if defined(__AVX512F__)
    return Pack<double>::Register(_mm512_sqrt_pd(a.lanes));
#elif defined(__AVX2__)
    return Pack<double>::Register(_mm256_sqrt_pd(a.lanes));
#elif defined(__x86_64__)
    return Pack<double>::Register(_mm_sqrt_pd(a.lanes));
#else
    Pack<double> root;
    for (int k = 0; k < Pack<double>::width; ++k)
        root.lanes[k] = __builtin_sqrt(a.lanes[k]);
    return root;
#endif
}

CHAMOMILE_HD Pack<float> absolute(Pack<float> a)
{
    return select(a < Pack<float>(0), -a, a);
}
CHAMOMILE_HD Pack<double> absolute(Pack<double> a)
{
    return select(a < Pack<double>(0), -a, a);
}

/// Constants of exp() for a type: e^x is 2^n e^r with |r| <= ln 2 / 2, and e^r is summed as a
/// Taylor series.
template <class T>
struct ExponentialOf;
template <>
struct ExponentialOf<float> {
    static constexpr int terms = 7, mantissa = 23, bias = 127;
    static constexpr float high = 0.693359375f, low = -2.12194440e-4f; // sum to ln 2
    static constexpr float min = -87.3f, max = 88.7f;
};
template <>
struct ExponentialOf<double> {
    static constexpr int terms = 13, mantissa = 52, bias = 1023;
    static constexpr double high = 0.693147180369123816490, low = 1.90821492927058770002e-10;
    static constexpr double min = -708.3, max = 709.7;
};

/// Returns e^x within 2 units in the last place; 0 or infinity beyond the range of T.
template <class T>
CHAMOMILE_HD Pack<T> exponential(Pack<T> x)
{
    using Of = ExponentialOf<T>;
    using P = Pack<T>;
    // The argument is clamped, so that n stays within the exponents; NaN passes through the
    // polynomial.
    const P inside =
        select(x < P(T(Of::min)), P(T(Of::min)), select(P(T(Of::max)) < x, P(T(Of::max)), x));
    const P scaled = inside * P(T(1.44269504088896340736));
    const P half = select(scaled < P(0), P(T(-0.5)), P(T(0.5)));
    const typename P::Mask n =
        __builtin_convertvector((scaled + half).lanes, typename P::Mask); // rounded
    const P nearest = __builtin_convertvector(n, typename P::Register);
    const P r = (inside - nearest * P(T(Of::high))) - nearest * P(T(Of::low));
    P series = P(T(1));
    for (int k = Of::terms; k > 0; --k)
        series = P(T(1)) + series * r * P(T(1.0 / k));
    // 2^n is applied as two factors, because n may be one above the largest exponent.
    const typename P::Mask first = n / 2, second = n - first;
    const auto power_of_two = [](typename P::Mask e) {
        const typename P::Mask bits = (e + Of::bias) << Of::mantissa;
        P p;
        __builtin_memcpy(&p.lanes, &bits, sizeof bits);
        return p;
    };
    const P value = series * power_of_two(first) * power_of_two(second);
    return select(x < P(T(Of::min)), P(0),
                  select(P(T(Of::max)) < x, P(std::numeric_limits<T>::infinity()), value));
}

/// Returns 2^x within |x| / 2 + 2 units in the last place.
template <class T>
CHAMOMILE_HD Pack<T> power_of_two(Pack<T> x)
{
    return exponential(x * Pack<T>(T(0.69314718055994530942)));
}

/// Calls a function of the C library lane by lane.
template <class T, class Function>
CHAMOMILE_HD Pack<T> in_each_lane(Pack<T> a, Function function)
{
    for (int k = 0; k < Pack<T>::width; ++k)
        a.lanes[k] = function(a.lanes[k]);
    return a;
}

template <class T>
CHAMOMILE_HD Pack<T> logarithm(Pack<T> a)
{
    return in_each_lane(a, [](T x) { return chamomile::logarithm(x); });
}
template <class T>
CHAMOMILE_HD Pack<T> sine(Pack<T> a)
{
    return in_each_lane(a, [](T x) { return chamomile::sine(x); });
}
template <class T>
CHAMOMILE_HD Pack<T> cosine(Pack<T> a)
{
    return in_each_lane(a, [](T x) { return chamomile::cosine(x); });
}
template <class T>
CHAMOMILE_HD Pack<T> power(Pack<T> a, Pack<T> b)
{
    for (int k = 0; k < Pack<T>::width; ++k)
        a.lanes[k] = chamomile::power(T(a.lanes[k]), T(b.lanes[k]));
    return a;
}

} // namespace chamomile::CHAMOMILE_INSTRUCTION_SET
