/// \file  Elementary functions with one name for a number and for a pack of lanes (simd_math.hpp).
///
/// Code for a value type T, such as a pairwise law, calls these functions. Functions of a pack are
/// found by its type; functions of a number need `using namespace chamomile` outside that
/// namespace.
#pragma once

#include "chamomile/core/host_device.hpp"

namespace chamomile {

/// Returns 1/x for x >= 1e-37.
CHAMOMILE_HD float reciprocal(float x)
{
#ifdef __CUDA_ARCH__
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x)); // within 1 ulp
    return y;
#else
    return 1.0f / x;
#endif
}

CHAMOMILE_HD double reciprocal(double x)
{
    return 1.0 / x;
}

// Call <cmath> by names common to CUDA and the host compiler.
CHAMOMILE_HD float square_root(float x)
{
    return ::sqrtf(x);
}
CHAMOMILE_HD double square_root(double x)
{
    return ::sqrt(x);
}
CHAMOMILE_HD float exponential(float x)
{
    return ::expf(x);
}
CHAMOMILE_HD double exponential(double x)
{
    return ::exp(x);
}
/// Returns 2^x.
CHAMOMILE_HD float power_of_two(float x)
{
#ifdef __CUDA_ARCH__
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x)); // within 2 ulp
    return y;
#else
    return ::exp2f(x);
#endif
}
CHAMOMILE_HD double power_of_two(double x)
{
    return ::exp2(x);
}
CHAMOMILE_HD float logarithm(float x)
{
    return ::logf(x);
}
CHAMOMILE_HD double logarithm(double x)
{
    return ::log(x);
}
CHAMOMILE_HD float sine(float x)
{
    return ::sinf(x);
}
CHAMOMILE_HD double sine(double x)
{
    return ::sin(x);
}
CHAMOMILE_HD float cosine(float x)
{
    return ::cosf(x);
}
CHAMOMILE_HD double cosine(double x)
{
    return ::cos(x);
}
CHAMOMILE_HD float power(float x, float y)
{
    return ::powf(x, y);
}
CHAMOMILE_HD double power(double x, double y)
{
    return ::pow(x, y);
}
CHAMOMILE_HD float absolute(float x)
{
    return ::fabsf(x);
}
CHAMOMILE_HD double absolute(double x)
{
    return ::fabs(x);
}
/// Returns the larger value; b if a or b is NaN.
CHAMOMILE_HD float larger(float a, float b)
{
    return a > b ? a : b;
}
CHAMOMILE_HD double larger(double a, double b)
{
    return a > b ? a : b;
}
CHAMOMILE_HD float smaller(float a, float b)
{
    return a < b ? a : b;
}
CHAMOMILE_HD double smaller(double a, double b)
{
    return a < b ? a : b;
}

} // namespace chamomile
