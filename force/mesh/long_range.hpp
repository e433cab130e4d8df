/// \file  The long range: the smooth part of gravity in a periodic cube, which the tree omits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <numbers>
#include <span>

#include "chamomile/core/array_view.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/core/periodic.hpp"
#include "chamomile/core/profile.hpp"

namespace chamomile {

/// A loss L of a field at its n sources, on the host.
struct LongRangeLoss {
    std::size_t n;
    ArrayView position, mass; ///< of the sources
    ArrayView lambda, mu;     ///< dL/da and dL/dphi; empty: 0
};

/// Returns the constant missing in a potential of both ranges, G = 1: it removes the source's own
/// smooth part, which the long range includes, and the mean of the short range over the cube, -4 pi
/// r_s^2 M / V. `mass` is 0 for a target that is no source.
CHAMOMILE_HD double missing_potential(double split_radius, double side, double mass,
                                      double mass_of_all)
{
    return 4 * std::numbers::pi * split_radius * split_radius * mass_of_all / (side * side * side) +
           mass * std::numbers::inv_sqrtpi / split_radius;
}

/// A PotentialOffset computes G missing_potential() from a target's mass.
struct PotentialOffset {
    double gravitational_constant, split_radius, side, mass_of_all;

    CHAMOMILE_HD double operator()(double mass) const
    {
        return gravitational_constant * missing_potential(split_radius, side, mass, mass_of_all);
    }
};

/// A LongRange solves laplace phi = 4 pi (rho - mean rho) exp(-k^2 r_s^2) in a periodic cube, G =
/// 1: Poisson's equation with the Gaussian split of Ewald (1921) and Bagla (2002). The short range
/// is the rest of Newton's law: at distance r from a source, with u = r / (2 r_s), it is
///
///     phi_s = -m erfc(u) / r,    a_s = m r^-2 (erfc(u) + 2 u exp(-u^2) / sqrt(pi)).
///
/// The mean potential over the cube is 0, with both parts and all images. A target that is a source
/// feels its own long range, but not its own short range.
class LongRange {
public:
    virtual ~LongRange() = default;

    /// Computes the field of n sources; positions may lie in any image. Without masses all are 1.
    virtual void prepare(std::size_t n, const ArrayView& position, const ArrayView& mass,
                         Profile& profile) = 0;

    /// Adds G times the field at item i of `position` to item i of `acceleration`, and of
    /// `potential` unless empty, for the items `active` (empty: all n). With a tree on a device,
    /// the three arrays may lie on the device, for all items.
    virtual void add(std::size_t n, const ArrayView& position,
                     std::span<const std::uint32_t> active, double gravitational_constant,
                     const ArrayView& acceleration, const ArrayView& potential,
                     Profile& profile) const = 0;

    /// Prepares potentials. One rank may omit this call: its add() then prepares them. On several
    /// ranks the call is collective, like prepare().
    virtual void prepare_potential(Profile&) const {}

    /// Makes the prepared field known at n places. On several ranks the call is collective and
    /// needed before add() at places other than the sources.
    virtual void cover(std::size_t /*n*/, const ArrayView& /*position*/) {}

    /// Adds G times the gradient of a loss of the last field, whose sources `loss` has: dL/dx and
    /// dL/dm of item i to item i of `position` and of `mass`, for the items `active` (empty: all
    /// n). It is the exact gradient of the sums that add() makes. Throws Error(usage) if the long
    /// range has none.
    virtual void add_adjoint(const LongRangeLoss&, std::span<const std::uint32_t> /*active*/,
                             double /*gravitational_constant*/, const ArrayView& /*position*/,
                             const ArrayView& /*mass*/, Profile&)
    {
        throw Error(Fault::usage, "long range: has no gradients");
    }

    /// Waits until the work begun by prepare() is done. Throws Error(device).
    virtual void wait() const {}

    /// Returns r_s.
    virtual double split_radius() const = 0;
};

} // namespace chamomile
