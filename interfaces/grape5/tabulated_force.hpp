/// \file  A force with a tabulated function of distance, for the CPU only.
///
///     a_i = sum_j m_j f(r_ij) r_ij,  r_ij < r_cut
#pragma once

#include <cstdint>

#include "chamomile/core/lane_math.hpp"
#include "chamomile/force/pairs/law.hpp"

namespace chamomile {

/// A ForceTable interpolates f over s = r^2 / r_cut^2 by cubics, 32 per factor of two down to s =
/// 2^-40, and constant below. The error is within 1e-6 of f for smooth f.
struct ForceTable {
    static constexpr int octaves = 40, part_bits = 5, intervals = octaves << part_bits;
    double cut2 = 0; ///< r_cut^2
    double cubics[intervals][4] = {};

    /// Returns f at r^2; 0 at and beyond the cut.
    CHAMOMILE_HD double value(double r2) const
    {
        constexpr int rest_bits = 52 - part_bits;
        constexpr std::int64_t first = std::int64_t(1023 - octaves) << part_bits;
        const double s = r2 / cut2;
        if (!(s < 1))
            return 0;
        std::int64_t bits;
        __builtin_memcpy(&bits, &s, sizeof bits);
        std::int64_t interval = (bits >> rest_bits) - first;
        double part = double(bits & ((std::int64_t(1) << rest_bits) - 1)) * 0x1p-47;
        if (interval < 0)
            interval = 0, part = 0;
        const double* c = cubics[interval];
        return c[0] + part * (c[1] + part * (c[2] + part * c[3]));
    }
};

/// The law of tabulated forces. Target: position; source: position and mass; sum: acceleration.
struct TabulatedForce {
    const ForceTable* table = nullptr;

    template <class T>
    struct Target {
        Vec3<T> position;
    };
    template <class T>
    struct Source {
        Vec3<T> position;
        T mass{};
    };
    template <class T>
    struct Sum {
        Vec3<T> acceleration;
    };

    template <class T>
    CHAMOMILE_HD void operator()(const Target<T>& i, const Source<T>& j, Sum<T>& sum) const
    {
        const Vec3<T> r = j.position - i.position;
        T factor = norm_squared(r);
        if constexpr (requires { factor.lanes; }) {
            for (int k = 0; k < T::width; ++k)
                factor.lanes[k] = table->value(factor.lanes[k]);
        } else {
            factor = T(table->value(factor));
        }
        sum.acceleration += (j.mass * factor) * r;
    }
};

} // namespace chamomile
