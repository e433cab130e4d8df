/// \file  Differences between the host and the device compiler.
#pragma once

#ifndef __CUDACC_RTC__ // NVRTC has no standard headers, and needs none here
#include <cmath>
#endif

// Always inlined, because code built for one instruction set must never be merged with code built
// for another.
#ifdef __CUDACC__
#define CHAMOMILE_HD __host__ __device__ __forceinline__
#else
#define CHAMOMILE_HD inline __attribute__((always_inline))
#endif

namespace chamomile {

// Named unlike CUDA's global rsqrt(), so that neither hides the other.
CHAMOMILE_HD float inverse_sqrt(float x)
{
#ifdef __CUDA_ARCH__
    float y;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x)); // within 2 ulp
    return y;
#else
    return 1.0f / __builtin_sqrtf(x);
#endif
}

CHAMOMILE_HD double inverse_sqrt(double x)
{
#ifdef __CUDA_ARCH__
    return ::rsqrt(x);
#else
    return 1.0 / __builtin_sqrt(x);
#endif
}

/// Computes m/u and m/u^3 from u^2.
template <class T>
CHAMOMILE_HD void divide_by_powers(const T& m, const T& u2, T& over_u, T& over_u3)
{
    const T inv_u = inverse_sqrt(u2);
    over_u = m * inv_u;
    over_u3 = over_u * inv_u * inv_u;
}

CHAMOMILE_HD float select(bool where, float yes, float no)
{
    return where ? yes : no;
}

CHAMOMILE_HD double select(bool where, double yes, double no)
{
    return where ? yes : no;
}

// Scalar counterparts of functions on packs of lanes.
CHAMOMILE_HD bool any_less(float a, float b)
{
    return a < b;
}

CHAMOMILE_HD bool any_less(double a, double b)
{
    return a < b;
}

} // namespace chamomile
