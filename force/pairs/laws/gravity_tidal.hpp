/// \file  The tidal tensor of Newtonian gravity as a pairwise law; G = 1.
///
///     T_ab = d a_a / d x_b = sum_j m_j (B r_a r_b - A delta_ab)     A = f, B = -f' / r
///
/// with f of the softening kernel (force/softening_kernels.hpp). With one Plummer length a pair
/// takes 23 issue slots in single precision on a GPU.
#pragma once

#include "chamomile/force/gravity.hpp"
#include "chamomile/force/pairs/law.hpp"

namespace chamomile {

/// Target: position. Source: position, mass. With per-particle softening both end with eps^2. Sum:
/// xx, xy, xz, yy, yz, zz.
template <class Kernel, class Rule>
struct TidalTensor {
    Rule rule;

    template <class T>
    using Target = typename Rule::Records::template Target<T>;
    template <class T>
    using Source = typename Rule::Records::template Source<T>;
    template <class T>
    struct Sum {
        T xx{}, xy{}, xz{}, yy{}, yz{}, zz{};
    };

    static TidalTensor of(const LawNumbers& n) { return {Rule::template of<Kernel>(n)}; }

    template <class T>
    CHAMOMILE_HD void operator()(const Target<T>& i, const Source<T>& j, Sum<T>& sum) const
    {
        const Vec3<T> r = j.position - i.position; // 3 operations
        T a, b, unused;
        Kernel::find_tide(r, j.mass, rule.template length_of<T>(i, j), a, b, unused); // 9, Plummer
        const Vec3<T> s = b * r;                                                      // 3
        sum.xx += s.x * r.x - a;                                                      // 2
        sum.xy += s.x * r.y;                                                          // 1
        sum.xz += s.x * r.z;                                                          // 1
        sum.yy += s.y * r.y - a;                                                      // 2
        sum.yz += s.y * r.z;                                                          // 1
        sum.zz += s.z * r.z - a;                                                      // 2
    }

    static constexpr auto target_length = Rule::Records::target_length;
    static constexpr auto source_length = Rule::Records::source_length;
    static constexpr std::array<int, 6> sum_length{-3, -3, -3, -3, -3, -3};
    CHAMOMILE_HD TidalTensor with_unit(double unit) const
    {
        return {rule.template in_unit<Kernel>(unit)};
    }
};

// One type for each kernel built into the library (cmake/ChamomileLaws.cmake).
using TidalPlummer = TidalTensor<PlummerKernel, OneLength>;
using TidalSpline = TidalTensor<SplineKernel, OneLength>;
using TidalPlummerPerParticle = TidalTensor<PlummerKernel, RuntimeRule>;
using TidalSplinePerParticle = TidalTensor<SplineKernel, RuntimeRule>;

} // namespace chamomile
