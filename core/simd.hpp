/// \file  Pack<T>: one vector register of T, with the arithmetic of a single T.
///
/// A pairwise law for a value type T runs with T = float on the device and with T = Pack<float> on
/// the host, where each lane is one target. Include this file only in sources compiled once per
/// instruction set; each gets its Pack in a separate namespace.
#pragma once

#include <cstddef>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

#include "chamomile/core/host_device.hpp"

#if defined(__AVX512F__)
#define CHAMOMILE_INSTRUCTION_SET avx512
#elif defined(__AVX2__)
#define CHAMOMILE_INSTRUCTION_SET avx2
#else
#define CHAMOMILE_INSTRUCTION_SET baseline
#endif

namespace chamomile::CHAMOMILE_INSTRUCTION_SET {

#if defined(__AVX512F__)
inline constexpr std::size_t register_bytes = 64;
#elif defined(__AVX2__)
inline constexpr std::size_t register_bytes = 32;
#else
inline constexpr std::size_t register_bytes = 16;
#endif

// One specialization per type, because g++ 12 ignores vector_size on a type that depends on a
// template.
template <class T>
struct RegisterOf;
template <>
struct RegisterOf<float> {
    typedef float type __attribute__((vector_size(register_bytes)));
    typedef int integers __attribute__((vector_size(register_bytes)));
};
template <>
struct RegisterOf<double> {
    typedef double type __attribute__((vector_size(register_bytes)));
    typedef long long integers __attribute__((vector_size(register_bytes)));
};

template <class T>
struct Pack {
    using Register = typename RegisterOf<T>::type;
    using Mask = typename RegisterOf<T>::integers; // all bits in a lane are set, or none
    static constexpr int width = int(register_bytes / sizeof(T));

    Register lanes;

    CHAMOMILE_HD Pack() : lanes{} {}
    CHAMOMILE_HD Pack(T value) : lanes(value - Register{}) {} // same value in every lane
    CHAMOMILE_HD Pack(Register r) : lanes(r) {}

    static CHAMOMILE_HD Pack load(const T* from)
    {
        Pack p;
        __builtin_memcpy(&p.lanes, from, sizeof p.lanes);
        return p;
    }
    CHAMOMILE_HD void store(T* to) const { __builtin_memcpy(to, &lanes, sizeof lanes); }

    friend CHAMOMILE_HD Pack operator+(Pack a, Pack b) { return a.lanes + b.lanes; }
    friend CHAMOMILE_HD Pack operator-(Pack a, Pack b) { return a.lanes - b.lanes; }
    friend CHAMOMILE_HD Pack operator*(Pack a, Pack b) { return a.lanes * b.lanes; }
    friend CHAMOMILE_HD Pack operator/(Pack a, Pack b) { return a.lanes / b.lanes; }
    friend CHAMOMILE_HD Pack operator-(Pack a) { return -a.lanes; }
    friend CHAMOMILE_HD Mask operator<(Pack a, Pack b) { return a.lanes < b.lanes; }
    friend CHAMOMILE_HD Pack select(Mask where, Pack yes, Pack no)
    {
        return where ? yes.lanes : no.lanes;
    }
    /// Returns whether a < b in any lane.
    friend CHAMOMILE_HD bool any_less(Pack a, Pack b)
    {
        const Mask less = a.lanes < b.lanes;
        long long bits = 0;
        for (int k = 0; k < width; ++k)
            bits |= less[k];
        return bits != 0;
    }
    friend CHAMOMILE_HD Pack& operator+=(Pack& a, Pack b) { return a = a + b; }
    friend CHAMOMILE_HD Pack& operator-=(Pack& a, Pack b) { return a = a - b; }
};

/// Returns the larger value in each lane; b if a or b is NaN.
CHAMOMILE_HD Pack<double> larger(Pack<double> a, Pack<double> b)
{
#if defined(__AVX512F__)
    return Pack<double>::Register(_mm512_max_pd(a.lanes, b.lanes));
#elif defined(__AVX2__)
    return Pack<double>::Register(_mm256_max_pd(a.lanes, b.lanes));
#elif defined(__x86_64__)
    return Pack<double>::Register(_mm_max_pd(a.lanes, b.lanes));
#else
    return Pack<double>::Register(a.lanes > b.lanes ? a.lanes : b.lanes);
#endif
}

/// Returns bits: bit k is set if a < b in lane k.
CHAMOMILE_HD unsigned less_bits(Pack<double> a, Pack<double> b)
{
#if defined(__AVX512F__)
    return _mm512_cmp_pd_mask(a.lanes, b.lanes, _CMP_LT_OQ);
#elif defined(__AVX2__)
    return unsigned(_mm256_movemask_pd(_mm256_cmp_pd(a.lanes, b.lanes, _CMP_LT_OQ)));
#elif defined(__x86_64__)
    return unsigned(_mm_movemask_pd(_mm_cmplt_pd(a.lanes, b.lanes)));
#else
    unsigned bits = 0;
    for (int k = 0; k < Pack<double>::width; ++k)
        bits |= unsigned(a.lanes[k] < b.lanes[k]) << k;
    return bits;
#endif
}

/// Returns the even lanes (`odd` = 1: the odd lanes) of a, then of b.
template <int odd, class T>
CHAMOMILE_HD Pack<T> every_other(Pack<T> a, Pack<T> b)
{
    typename Pack<T>::Mask from;
    for (int k = 0; k < Pack<T>::width; ++k)
        from[k] = 2 * k + odd;
#if defined(__clang__)
    Pack<T> result;
    for (int k = 0; k < Pack<T>::width; ++k)
        result.lanes[k] =
            from[k] < Pack<T>::width ? a.lanes[from[k]] : b.lanes[from[k] - Pack<T>::width];
    return result;
#else
    return __builtin_shuffle(a.lanes, b.lanes, from);
#endif
}

/// Transposes Pack<T>::width consecutive rows of `columns` values. `columns`: a power of two.
template <int columns, class T>
CHAMOMILE_HD void transpose(Pack<T> (&table)[columns])
{
    // Each step moves values with even index before values with odd index: the last bit of the
    // index becomes the first.
    for (int step = 1; step < columns; step *= 2) {
        Pack<T> moved[columns];
        for (int k = 0; k < columns / 2; ++k) {
            moved[k] = every_other<0>(table[2 * k], table[2 * k + 1]);
            moved[columns / 2 + k] = every_other<1>(table[2 * k], table[2 * k + 1]);
        }
        for (int k = 0; k < columns; ++k)
            table[k] = moved[k];
    }
}

/// Converts the lower and the upper half of the lanes to double.
CHAMOMILE_HD void widen(Pack<float> a, Pack<double>& low, Pack<double>& high)
{
#if defined(__AVX512F__)
    low = Pack<double>::Register(_mm512_cvtps_pd(_mm512_castps512_ps256(a.lanes)));
    high = Pack<double>::Register(_mm512_cvtps_pd(_mm512_extractf32x8_ps(a.lanes, 1)));
#elif defined(__AVX2__)
    low = Pack<double>::Register(_mm256_cvtps_pd(_mm256_castps256_ps128(a.lanes)));
    high = Pack<double>::Register(_mm256_cvtps_pd(_mm256_extractf128_ps(a.lanes, 1)));
#else
    for (int k = 0; k < Pack<double>::width; ++k) {
        low.lanes[k] = double(a.lanes[k]);
        high.lanes[k] = double(a.lanes[k + Pack<double>::width]);
    }
#endif
}

CHAMOMILE_HD unsigned less_bits(Pack<float> a, Pack<float> b)
{
#if defined(__AVX512F__)
    return _mm512_cmp_ps_mask(a.lanes, b.lanes, _CMP_LT_OQ);
#elif defined(__AVX2__)
    return unsigned(_mm256_movemask_ps(_mm256_cmp_ps(a.lanes, b.lanes, _CMP_LT_OQ)));
#elif defined(__x86_64__)
    return unsigned(_mm_movemask_ps(_mm_cmplt_ps(a.lanes, b.lanes)));
#else
    unsigned bits = 0;
    for (int k = 0; k < Pack<float>::width; ++k)
        bits |= unsigned(a.lanes[k] < b.lanes[k]) << k;
    return bits;
#endif
}

/// Returns the sum over all lanes, added in double in a fixed order.
CHAMOMILE_HD double sum_of_lanes(Pack<double> a)
{
#if defined(__AVX512F__)
    return _mm512_reduce_add_pd(a.lanes);
#else
    double sum = a.lanes[0];
    for (int k = 1; k < Pack<double>::width; ++k)
        sum += a.lanes[k];
    return sum;
#endif
}

CHAMOMILE_HD double sum_of_lanes(Pack<float> a)
{
    Pack<double> low, high;
    widen(a, low, high);
    return sum_of_lanes(low + high);
}

/// Returns a mask that is set only in lane `lane`.
template <class P>
CHAMOMILE_HD typename P::Mask is_lane(int lane)
{
    typename P::Mask numbers;
    for (int k = 0; k < P::width; ++k)
        numbers[k] = k;
    return numbers == lane;
}

/// Returns 1/sqrt(a) to about 1e-7: the processor's estimate, sharpened by one Newton step.
CHAMOMILE_HD Pack<float> inverse_sqrt(Pack<float> a)
{
#if defined(__AVX512F__)
    const Pack<float> y = Pack<float>::Register(_mm512_rsqrt14_ps(a.lanes));
#elif defined(__AVX2__)
    const Pack<float> y = Pack<float>::Register(_mm256_rsqrt_ps(a.lanes));
#elif defined(__x86_64__)
    const Pack<float> y = Pack<float>::Register(_mm_rsqrt_ps(a.lanes));
#elif defined(__ARM_NEON)
    Pack<float> y = Pack<float>::Register(vrsqrteq_f32(a.lanes)); // 8 bits: needs a step more
    y = y * (Pack<float>(1.5f) - Pack<float>(0.5f) * a * y * y);
#else
    Pack<float> y;
    for (int k = 0; k < Pack<float>::width; ++k)
        y.lanes[k] = 1.0f / __builtin_sqrtf(a.lanes[k]);
#endif
    return y * (Pack<float>(1.5f) - Pack<float>(0.5f) * a * y * y);
}

#if defined(__AVX512F__)
/// Computes m/u and m/u^3 from u^2. The estimate y = (1 + d)/u has |d| < 2^-14. With e = u^2 y^2
/// the powers are corrected at once, to 1.5 d^2 = 6e-9 and 7.5 d^2 = 3e-8:
///
///     1/u = y (3 - e)/2     1/u^3 = y^3 (5 - 3 e)/2
///
/// The code has a y^3 (b - e) with a = 3/2 and b = 5/3 changed by a few units of the last place,
/// such that a (b - 1) = 1 to 1e-13 in float: 5/3 rounded alone makes all forces 6e-8 too weak.
CHAMOMILE_HD void divide_by_powers(const Pack<float>& m, const Pack<float>& u2, Pack<float>& over_u,
                                   Pack<float>& over_u3)
{
    const Pack<float> y = Pack<float>::Register(_mm512_rsqrt14_ps(u2.lanes));
    const Pack<float> y2 = y * y;
    const Pack<float> c = Pack<float>(1.66666651f) - u2 * y2;
    const Pack<float> m_y = Pack<float>(1.50000036f) * m * y; // 1.5 m once for all targets
    over_u = m_y * (c * Pack<float>(0.333332092f) + Pack<float>(0.444445163f));
    over_u3 = m_y * y2 * c;
}

/// Computes 1/u^2 and 1/u^3 from u^2, with y and e as above: y^2 (2 - e) and y^3 (5 - 3 e)/2.
CHAMOMILE_HD void find_powers(const Pack<float>& u2, Pack<float>& over_u2, Pack<float>& over_u3)
{
    const Pack<float> y = Pack<float>::Register(_mm512_rsqrt14_ps(u2.lanes));
    const Pack<float> y2 = y * y, c = Pack<float>(2.0f) - u2 * y2;
    over_u2 = y2 * c;
    over_u3 = (y2 * y) * (Pack<float>(1.5f) * c - Pack<float>(0.5f));
}
#endif

/// Returns 1/sqrt(a) to about 2e-16.
CHAMOMILE_HD Pack<double> inverse_sqrt(Pack<double> a)
{
#if defined(__AVX512F__)
    // The estimate y = (1 + d)/sqrt(a) has |d| < 2^-14. With e = 1 - a y^2, 1/sqrt(a) is
    // y (1 - e)^-1/2, whose series is cut off after e^3: 35/128 e^4 < 7e-17. A root and a division
    // take three times as long.
    const Pack<double> y = Pack<double>::Register(_mm512_rsqrt14_pd(a.lanes));
    const Pack<double> e = Pack<double>(1.0) - a * y * y;
    return y + y * (e * (Pack<double>(0.5) + e * (Pack<double>(0.375) + e * Pack<double>(0.3125))));
#else
#if defined(__AVX2__)
    const Pack<double> root = Pack<double>::Register(_mm256_sqrt_pd(a.lanes));
#elif defined(__x86_64__)
    const Pack<double> root = Pack<double>::Register(_mm_sqrt_pd(a.lanes));
#else
    Pack<double> root;
    for (int k = 0; k < Pack<double>::width; ++k)
        root.lanes[k] = __builtin_sqrt(a.lanes[k]);
#endif
    return Pack<double>(1.0).lanes / root.lanes;
#endif
}

template <class T>
CHAMOMILE_HD void find_powers(const Pack<T>& u2, Pack<T>& over_u2, Pack<T>& over_u3)
{
    const Pack<T> inv_u = inverse_sqrt(u2);
    over_u2 = inv_u * inv_u;
    over_u3 = over_u2 * inv_u;
}

} // namespace chamomile::CHAMOMILE_INSTRUCTION_SET
