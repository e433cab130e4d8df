/// \file  Gravity's tidal tensor with per-particle softening; G = 1.
#pragma once

#include "chamomile/force/pairs/laws/gravity_tidal_spline.hpp"
#include "chamomile/force/varied_gravity.hpp"

namespace chamomile {

/// Like GravityTidal, with eps^2 at the end of targets and sources; pairs use the rule.
template <SofteningKind softening>
struct GravityTidalVaried {
    RuntimeRule rule;

    template <class T>
    struct Target {
        Vec3<T> position;
        T eps2;
    };
    template <class T>
    struct Source {
        Vec3<T> position;
        T mass, eps2;
    };
    template <class T>
    using Sum = GravityTidal::Sum<T>;

    template <class T>
    CHAMOMILE_HD void operator()(const Target<T>& i, const Source<T>& j, Sum<T>& sum) const
    {
        const Vec3<T> r = j.position - i.position;
        const T eps2 = rule(i.eps2, j.eps2);
        if constexpr (softening == SofteningKind::plummer) {
            GravityTidal::add_pair(r, j.mass, eps2, sum);
        } else {
            const T inv_eps = inverse_sqrt(larger(eps2, T(1e-37f))); // finite at eps = 0
            GravityTidalSpline::add_pair(r, j.mass, T(1 / Softening::spline_radius_part) * inv_eps,
                                         sum);
        }
    }

    static constexpr std::array<int, 4> target_length{1, 1, 1, 2};
    static constexpr std::array<int, 5> source_length{1, 1, 1, 0, 2};
    static constexpr std::array<int, 6> sum_length = GravityTidal::sum_length;
    CHAMOMILE_HD GravityTidalVaried with_unit(double) const { return *this; }
};

using GravityTidalPlummerVaried = GravityTidalVaried<SofteningKind::plummer>;
using GravityTidalSplineVaried = GravityTidalVaried<SofteningKind::spline>;

} // namespace chamomile
