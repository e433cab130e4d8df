/// \file  Slabs of space, one per rank, for halos.
#pragma once

#include <span>
#include <vector>

#include "chamomile/core/box.hpp"
#include "chamomile/core/periodic.hpp"
#include "chamomile/core/ranks/communicator.hpp"

namespace chamomile {

/// RankSlabs cut space at planes along one axis: x in a periodic cube, otherwise the longest axis.
/// Each rank owns a slab, maybe an empty one. Slabs have nearly equal numbers of particles.
class RankSlabs {
public:
    /// Cuts space by the particles of all ranks, which lie in `all` unless it is periodic.
    /// Collective.
    RankSlabs(std::span<const Vec3<double>> position, const Periodicity& periodicity,
              const Box& all, Communicator& ranks);

    int owner(const Vec3<double>& p) const;

    /// Calls visit(rank) for each other slab with its upper face at most `reach` below a place p of
    /// slab `own`, around a periodic cube.
    template <class Visit>
    void for_slabs_below(const Vec3<double>& p, int own, double reach, const Visit& visit) const
    {
        const int ranks = int(begin_.size()) - 1;
        const double x = along(p), far = reach * (1 + margin) + margin * width_;
        for (int below = 1; below < ranks; ++below) {
            const bool is_wrapped = below > own;
            if (is_wrapped && !periodicity_)
                return;
            const int rank = own - below + (is_wrapped ? ranks : 0);
            if (x - end(rank) + (is_wrapped ? width_ : 0) > far)
                return;
            if (!is_empty(rank))
                visit(rank);
        }
    }

    /// Returns false only if the rank owns no point within `radius` of p. Radii are at most half
    /// the side of a periodic cube.
    bool is_near(int rank, const Vec3<double>& p, double radius) const
    {
        const double half = 0.5 * (end(rank) - begin(rank)),
                     d = periodicity_.nearest(along(p) - begin(rank) - half);
        return !is_empty(rank) && std::abs(d) - half <= radius + margin * width_;
    }

private:
    static constexpr double margin = 1e-9; ///< for rounding

    double along(const Vec3<double>& p) const
    {
        return periodicity_.wrapped(axis_ == 0 ? p.x : axis_ == 1 ? p.y : p.z);
    }
    int plane(const Vec3<double>& p) const;
    double begin(int rank) const { return low_ + width_ * begin_[std::size_t(rank)] / planes; }
    double end(int rank) const { return begin(rank + 1); }
    bool is_empty(int rank) const
    {
        return begin_[std::size_t(rank)] == begin_[std::size_t(rank) + 1];
    }

    static constexpr int planes = 1 << 14;

    Periodicity periodicity_;
    int axis_ = 0;
    double low_ = 0, width_ = 1;
    std::vector<int> begin_; ///< first plane per rank, and the end
};

} // namespace chamomile
