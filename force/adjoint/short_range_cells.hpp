/// \file  The factors of a cell's short range in a periodic cube, for the adjoint of gravity.
#pragma once

#include "chamomile/force/adjoint/dual_row.hpp"
#include "chamomile/force/periodic/short_range.hpp"

namespace chamomile {

/// Returns the factors of a cell's short range: with D_m the m-th derivative of Newton's law, 1 -
/// smooth part / D_m, or 0 beyond the cut.
template <class T>
CHAMOMILE_HD FactoredCells<T> short_range_of(const ShortRangeForm& form, const T& r2, const T& eps2)
{
    using Lane = typename LaneOf<T>::type;
    const auto& smooth = form.template of<Lane>();
    const T one(Lane(1)), at = form.place(r2), u2 = r2 + eps2,
                          x = select(at < one, at, one); // finite
    T q[4];
    find_smooth_derivatives(smooth.force, x, q);
    const T u = u2 * inverse_sqrt(u2), u3 = u2 * u, y = T(Lane(2 * form.slope)) * u2;
    FactoredCells<T> law{{one - u * smooth_value(smooth.potential, x), one - u3 * q[0],
                          one + T(Lane(1 / 3.0)) * u3 * y * q[1],
                          one - T(Lane(1 / 15.0)) * u3 * y * y * q[2],
                          one + T(Lane(1 / 105.0)) * u3 * y * y * y * q[3]}};
    for (T& factor : law.factor)
        factor = select(at < one, factor, T(Lane(0)));
    return law;
}

} // namespace chamomile
