/// \file  The smooth part of gravity in a periodic cube, which a tree leaves out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "chamomile/core/array_view.hpp"
#include "chamomile/core/periodic.hpp"
#include "chamomile/core/profile.hpp"

namespace chamomile {

/// Solves laplace phi = 4 pi (rho - mean rho) exp(-k^2 r_s^2) in a periodic cube, G = 1: Poisson's
/// equation with the Gaussian split of Ewald (1921) and Bagla (2002). What is missing from Newton's
/// law, of a source at distance r with u = r / (2 r_s), is the short range
///
///     phi_s = -m erfc(u) / r,    a_s = m r^-2 (erfc(u) + 2 u exp(-u^2) / sqrt(pi)).
///
/// The mean potential of the cube is 0, both parts and all images together; a target that is a
/// source has no part of its own short range, but all of its long range.
class LongRange {
public:
    virtual ~LongRange() = default;

    /// Makes the field of n sources; positions may lie in any image.
    virtual void prepare(std::size_t n, const ArrayView& position, const ArrayView& mass,
                         Profile& profile) = 0;

    /// Adds G times the field at item i of `position` to item i of `acceleration`, and to that of
    /// `potential` unless it is empty, for the items `active` (empty: for all n). The field of
    /// a tree on a device takes arrays there too, all three, for all items.
    virtual void add(std::size_t n, const ArrayView& position,
                     std::span<const std::uint32_t> active, double gravitational_constant,
                     const ArrayView& acceleration, const ArrayView& potential,
                     Profile& profile) const = 0;

    /// What prepare() has begun is done. Throws Error(device).
    virtual void wait() const {}

    /// r_s.
    virtual double split_radius() const = 0;
};

} // namespace chamomile
