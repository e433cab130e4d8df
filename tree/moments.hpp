/// \file  The moments of a cell: mass, center of mass, second and higher moments, bounds.
#pragma once

#include <cmath>
#include <memory_resource>
#include <vector>

#include "chamomile/core/box.hpp"
#include "chamomile/core/exponents.hpp"
#include "chamomile/tree/octree.hpp"

namespace chamomile {

/// SecondMoments are sum_j m_j d d^T about the center of mass, d = x_j - center. Their traceless
/// part is a third of the quadrupole; the trace is kept because a softened force depends on it.
struct SecondMoments {
    double xx = 0, xy = 0, xz = 0, yy = 0, yz = 0, zz = 0;

    CHAMOMILE_HD SecondMoments& operator+=(const SecondMoments& b)
    {
        xx += b.xx, xy += b.xy, xz += b.xz, yy += b.yy, yz += b.yz, zz += b.zz;
        return *this;
    }
    CHAMOMILE_HD double trace() const { return xx + yy + zz; }
    /// Adds the second moments of a mass at d.
    CHAMOMILE_HD void add(double mass, const Vec3<double>& d)
    {
        xx += mass * d.x * d.x, xy += mass * d.x * d.y, xz += mass * d.x * d.z;
        yy += mass * d.y * d.y, yz += mass * d.y * d.z, zz += mass * d.z * d.z;
    }
};

/// The moments of a cell up to degree two.
struct alignas(16) Multipole { // a GPU reads it by 16-byte loads
    Vec3<double> center;       ///< center of mass; of the box if the cell is massless
    double mass = 0;           ///< NaN if any particle mass is negative
    SecondMoments second;
};

/// Returns false if a particle below has a position that is not finite, a negative mass or one that
/// is not finite, or if a sum overflows. Massless particles enter only the second moments.
inline bool are_finite(const Multipole& whole)
{
    return std::isfinite(whole.mass + whole.center.x) && std::isfinite(whole.center.y) &&
           std::isfinite(whole.center.z) && !std::isnan(whole.second.trace());
}

/// Third and fourth moments sum_j m_j dx^a dy^b dz^c about the center of mass, d = (x_j - center) /
/// length. The unit of length follows the cell size, so that moments and their terms in a field
/// stay in float's range.
struct HigherMoments {
    static constexpr int first = term_count(2), count = term_count(4) - first;

    double moment[count] = {}; ///< term first + k of core/exponents.hpp: xxx, xxy, ..., xxxx, ...
    double length = 0;         ///< a power of two near the cell size; 0: the cell is a point
};

/// Distribution of eps^2 in a cell with per-particle softening: two values with fractions of the
/// mass, which reproduce mean, variance and third moment (Gauss quadrature with two points). Exact
/// for particles with two lengths.
struct CellSoftening {
    double low = 0, high = 0; ///< massless cell: both are the largest
    double high_part = 0;     ///< fraction of the mass with `high`, less than 1
    double largest = 0;

    static CHAMOMILE_HD CellSoftening of_one(double eps2) { return {eps2, eps2, 0, eps2}; }

    CHAMOMILE_HD double mean() const { return low + high_part * (high - low); }
    CHAMOMILE_HD double variance() const
    {
        return high_part * (1 - high_part) * (high - low) * (high - low);
    }
};

/// One entry per cell: entry c of each array belongs to cell c of the octree.
struct Moments {
    explicit Moments(std::pmr::memory_resource* memory = std::pmr::get_default_resource())
        : multipole(memory), bounds(memory), higher(memory)
    {}

    std::pmr::vector<Multipole> multipole; ///< values of small cells may be on a device only
    std::pmr::vector<Box> bounds;          ///< tight around the particles
    /// Filled for orders 3 and 4, else empty; may be on a device only.
    std::pmr::vector<HigherMoments> higher;
    /// Empty: all particles share one length. A builder on a device fills only the root's entry.
    std::vector<CellSoftening> softening;
};

/// Computes all moments up to `order`, 0 to 4, from the leaves up, in double precision. Reuses the
/// memory of `moments`.
void compute_moments(Moments& moments, const Octree& octree, int order = 2);

/// Computes the moments of cells begin .. end, daughters before mothers. `moments` must have room
/// for all cells, and known values for daughters beyond `end`.
void compute_moments(Moments& moments, const Octree& octree, int order, Index begin, Index end);

} // namespace chamomile
