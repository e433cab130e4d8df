/// \file  Pairwise laws: three records of numbers and one call each.
///
///     struct Yukawa {                                        // trivially copyable
///         double screening_length = 1;
///         template <class T> struct Target { Vec3<T> position; };
///         template <class T> struct Source { Vec3<T> position; T charge; };
///         template <class T> struct Sum { Vec3<T> force; };
///         template <class T>
///         CHAMOMILE_HD void operator()(const Target<T>&, const Source<T>&, Sum<T>&) const;
///     };
///
/// The call adds to the sum what one source contributes to one target. It runs for T = float or
/// double in a GPU thread, and for a Pack on the host, with one target per lane. So it must not
/// branch on values: select(condition, yes, no) evaluates both, and core/lane_math.hpp has
/// elementary functions. Records hold only T and Vec3<T> values. A member called position enters
/// only as a difference, source minus target, in any units.
///
/// Lengths far from 1 may have powers outside float's range. A law with such powers states how its
/// records scale with the length unit: `target_length`, `source_length`, `sum_length` hold the
/// power of length in each value, and `with_unit(u)` is the law for lengths in units of u.
#pragma once

#include <array>
#include <type_traits>

#include "chamomile/core/host_device.hpp"
#include "chamomile/core/vec3.hpp"

namespace chamomile {

/// Number of values in a target, a source and a sum: IDIM, JDIM and FDIM in Hamada & Iitaka (2007).
struct LawShape {
    int target = 0, source = 0, sum = 0;
};

/// Returns a law's shape.
template <class Law>
constexpr LawShape shape_of()
{
    const auto values = [](auto record) {
        static_assert(std::is_trivially_copyable_v<decltype(record)> &&
                      sizeof record % sizeof(double) == 0);
        return int(sizeof record / sizeof(double));
    };
    return {values(typename Law::template Target<double>{}),
            values(typename Law::template Source<double>{}),
            values(typename Law::template Sum<double>{})};
}

/// Returns whether targets and sources begin with a position. Without positions, sums are in the
/// caller's order, and coordinates are rounded without a center.
template <class Law>
constexpr bool has_positions()
{
    return requires(typename Law::template Target<double> i,
                    typename Law::template Source<double> j)
    {
        i.position.z;
        j.position.z;
    };
}

/// Returns whether the law states how its records scale with the length unit.
template <class Law>
constexpr bool knows_units()
{
    return requires(const Law& law)
    {
        law.with_unit(1.0);
    };
}

} // namespace chamomile
