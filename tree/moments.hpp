/// \file  The moments of a cell: mass, centre of mass, second and higher moments, bounds.
#pragma once

#include <memory_resource>
#include <vector>

#include "chamomile/core/box.hpp"
#include "chamomile/core/exponents.hpp"
#include "chamomile/tree/octree.hpp"

namespace chamomile {

/// SecondMoments are sum_j m_j d d^T about the centre of mass, d = x_j - center. Their traceless
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

/// A Multipole holds the moments of a cell up to the second.
struct Multipole {
    Vec3<double> center; ///< of mass; of the box if the cell is massless
    double mass = 0;     ///< NaN if a particle's is negative
    SecondMoments second;
};

/// HigherMoments are the third and fourth moments sum_j m_j dx^a dy^b dz^c about the centre of
/// mass, d = (x_j - center) / length. They are in units of the cell's own size, so that neither
/// they nor their parts in a field leave float's range.
struct HigherMoments {
    static constexpr int first = term_count(2), count = term_count(4) - first;

    double moment[count] = {}; ///< term first + k of core/exponents.hpp: xxx, xxy, ..., xxxx, ...
    double length = 0;         ///< a power of two near the size; 0: the cell is a point
};

/// A CellSoftening describes the squares of the softening lengths of a cell's particles, where they
/// have lengths of their own, by two values with parts of the mass: those whose mean, variance and
/// third moment are those of the particles (Gauss's quadrature of two points). They are exact for
/// particles of two lengths.
struct CellSoftening {
    double low = 0, high = 0; ///< of a massless cell the largest
    double high_part = 0;     ///< of the mass, less than 1
    double largest = 0;

    static CHAMOMILE_HD CellSoftening of_one(double eps2) { return {eps2, eps2, 0, eps2}; }

    CHAMOMILE_HD double mean() const { return low + high_part * (high - low); }
    CHAMOMILE_HD double variance() const
    {
        return high_part * (1 - high_part) * (high - low) * (high - low);
    }
};

/// Moments holds one entry per cell: entry c of each array belongs to cell c of the octree.
struct Moments {
    explicit Moments(std::pmr::memory_resource* memory = std::pmr::get_default_resource())
        : multipole(memory), bounds(memory), higher(memory)
    {}

    std::pmr::vector<Multipole> multipole; ///< those of small cells may be on a device only
    std::pmr::vector<Box> bounds;          ///< tight around the particles
    /// The higher moments are filled for orders 3 and 4, else empty; they may be on a device only.
    std::pmr::vector<HigherMoments> higher;
    /// Empty: all particles have one length. Of a builder on a device the root's alone is here.
    std::vector<CellSoftening> softening;
};

/// Computes all moments up to this order, 0 to 4, from the leaves up, in double precision. Reuses
/// the memory of `moments`.
void compute_moments(Moments& moments, const Octree& octree, int order = 2);

/// Computes those of the cells begin .. end, daughters before mothers, where `moments` has room for
/// all and those of daughters beyond `end` are known.
void compute_moments(Moments& moments, const Octree& octree, int order, Index begin, Index end);

} // namespace chamomile
