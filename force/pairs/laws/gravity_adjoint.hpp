/// \file  The adjoint of Newtonian gravity as a pairwise law; G = 1.
///
/// For a loss L with lambda_i = dL/da_i and mu_i = dL/dphi_i, where particles pull each other:
///
///     dL/dx_i = sum_j [B (r.w) r - A (w + s r)]     w = m_j lambda_i - m_i lambda_j
///     dL/dm_i = -sum_j [A (lambda_j.r) + C mu_j]    s = m_i mu_j + m_j mu_i,  r = x_j - x_i
///
/// with A, B, C of the softening kernel for unit mass (force/softening_kernels.hpp). For m > 0 the
/// first sum is m_i times the jerk of velocities lambda / m (laws/gravity_jerk.hpp); this form is
/// also finite for massless particles. A pair takes 39 operations with one Plummer length.
#pragma once

#include "chamomile/force/gravity.hpp"
#include "chamomile/force/pairs/law.hpp"

namespace chamomile {

/// A particle with one length for all pairs; target and source are equal.
struct AdjointRecords {
    template <class T>
    struct Particle {
        Vec3<T> position;
        T mass;
        Vec3<T> lambda;
        T mu;
    };
    static constexpr std::array<int, 8> length{1, 1, 1, 0, 0, 0, 0, -1};
};

/// A particle with its own eps^2.
struct SoftenedAdjointRecords {
    template <class T>
    struct Particle {
        Vec3<T> position;
        T mass;
        Vec3<T> lambda;
        T mu, eps2;
    };
    static constexpr std::array<int, 9> length{1, 1, 1, 0, 0, 0, 0, -1, 2};
};

/// Sum: dL/dx, dL/dm. In units of length, lambda counts as a pure number.
template <class Kernel, class Rule>
struct GravityAdjoint {
    Rule rule;

    using Records = std::conditional_t<Rule::per_particle, SoftenedAdjointRecords, AdjointRecords>;
    template <class T>
    using Target = typename Records::template Particle<T>;
    template <class T>
    using Source = typename Records::template Particle<T>;
    template <class T>
    struct Sum {
        Vec3<T> position;
        T mass{};
    };

    static GravityAdjoint of(const LawNumbers& n) { return {Rule::template of<Kernel>(n)}; }

    template <class T>
    CHAMOMILE_HD void operator()(const Target<T>& i, const Source<T>& j, Sum<T>& sum) const
    {
        const Vec3<T> r = j.position - i.position; // 3 operations
        T a, b, c;
        Kernel::find_tide(r, T(1), rule.template length_of<T>(i, j), a, b, c); // 9 with Plummer's
        const Vec3<T> w = j.mass * i.lambda - i.mass * j.lambda;               // 6
        const T s = i.mass * j.mu + j.mass * i.mu;                             // 2
        sum.position += (b * dot(r, w) - a * s) * r;                           // 9
        sum.position -= a * w;                                                 // 3
        sum.mass -= a * dot(j.lambda, r) + c * j.mu;                           // 6
    }

    static constexpr auto target_length = Records::length;
    static constexpr auto source_length = Records::length;
    static constexpr std::array<int, 4> sum_length{-3, -3, -3, -2};
    CHAMOMILE_HD GravityAdjoint with_unit(double unit) const
    {
        return {rule.template in_unit<Kernel>(unit)};
    }
};

// One type for each kernel built into the library (cmake/ChamomileLaws.cmake).
using AdjointPlummer = GravityAdjoint<PlummerKernel, OneLength>;
using AdjointSpline = GravityAdjoint<SplineKernel, OneLength>;
using AdjointPlummerPerParticle = GravityAdjoint<PlummerKernel, RuntimeRule>;
using AdjointSplinePerParticle = GravityAdjoint<SplineKernel, RuntimeRule>;

} // namespace chamomile
