/// \file  Regions of targets sent to other ranks, and the test for cells that regions open.
#pragma once

#include "chamomile/tree/own_softenings.hpp"

namespace chamomile {

/// An ImportRegion holds the parameters by which a cluster's walk opens cells: target box, factor
/// for the relative criterion, and the place where its acceleration is estimated.
struct ImportRegion {
    Box box;
    double relative_factor = 0;
    Vec3<double> center_of_mass;
    double extent = 0; ///< massless clusters: sampling distance around the center of mass
};

/// Values that every RemoteOpeningTest of an import shares.
struct OpeningRule {
    explicit OpeningRule(const AcceptanceCriterion& criterion)
        : guard_part(criterion.guard_part()),
          clearance(criterion.clearance + shared_clearance(criterion)),
          has_estimates(criterion.takes_tolerance()), box(criterion.periodicity), cut(criterion.cut)
    {}

    double guard_part;  ///< AcceptanceCriterion::guard_part()
    double clearance;   ///< in OpeningRadius::min of each cell, subtracted for estimates
    bool has_estimates; ///< true: the criterion compares with estimated accelerations
    Periodicity box;    ///< sources act by nearest images
    double cut;         ///< in a box: sources beyond this distance do not act
};

/// A RemoteOpeningTest finds the regions that open a cell: all whose walk or estimated acceleration
/// opens it and, by rounding, hardly any more. In a periodic box distances are those of nearest
/// images, and a walk opens no cell beyond the cut.
class RemoteOpeningTest {
public:
    CHAMOMILE_HD RemoteOpeningTest(const OpeningRule& rule, const Vec3<double>& center,
                                   const OpeningRadius& reach)
        : center_(center),
          estimate_(AcceptanceCriterion::estimate_opening * (reach.min - rule.clearance)),
          min_(rounding * reach.min), guard_(rounding * rule.guard_part * reach.min),
          relative_(rounding * reach.relative), radius_(rounding * reach.expansion),
          cut_(rounding * rule.cut + radius_), has_estimates_(rule.has_estimates), box_(rule.box)
    {}

    /// What a region needs of the cell: its daughters or, if it is a leaf, its particles. Estimates
    /// need daughters only.
    struct Answer {
        bool daughters, particles;
    };
    CHAMOMILE_HD Answer by(const ImportRegion& region) const
    {
        const double relative = relative_ * region.relative_factor + guard_,
                     accepted = relative > min_ ? relative : min_;
        const bool is_near = box_ ? is_opened_in_box(region, accepted)
                                  : region.box.distance_squared(center_) <= accepted * accepted;
        Answer answer{is_near, is_near};
        if (has_estimates_ && !is_near) {
            const double estimate = rounding * (estimate_ + region.extent);
            answer.daughters =
                norm_squared(box_.nearest(center_ - region.center_of_mass)) < estimate * estimate;
        }
        return answer;
    }

private:
    /// RemoteOpeningTest radii grow by this factor, so that rounding in the walk opens no missing
    /// cell.
    static constexpr double rounding = 1 + 1e-9;

    /// As the walk decides (tree/walk_decisions.hpp): a cell within the cut is accepted beyond its
    /// opening radius unless a particle could act from another image than the center of mass.
    CHAMOMILE_HD bool is_opened_in_box(const ImportRegion& region, double accepted) const
    {
        const Vec3<double> middle = region.box.center(), half = region.box.high - middle,
                           d = box_.nearest(center_ - middle);
        const double grown = 1e-9 * box_.side; // larger than what rounding moves a box's sides
        double squares = 0, farthest = 0;
        const auto add = [&](double distance, double half_side) {
            const double outside = distance - half_side - grown, far = distance + half_side + grown;
            squares += outside > 0 ? outside * outside : 0;
            farthest = far > farthest ? far : farthest;
        };
        add(fabs(d.x), half.x);
        add(fabs(d.y), half.y);
        add(fabs(d.z), half.z);
        return squares <= cut_ * cut_ &&
               (squares <= accepted * accepted || farthest + radius_ >= 0.5 * box_.side);
    }

    Vec3<double> center_;
    double estimate_, min_, guard_, relative_; // distances
    double radius_, cut_;                      // in a box: of the cell, and with the cut
    bool has_estimates_;
    Periodicity box_;
};

/// A cell of the coarse tree on one rank, for the search for owners of remote leaves.
struct CoarseOpening {
    RemoteOpeningTest test;
    Index next;      ///< first cell behind the subtree
    int owner;       ///< rank that owns a remote leaf; -1: a local leaf, or not a leaf
    bool has_remote; ///< a leaf of the subtree is remote

    /// Calls ask(rank) for each remote leaf that the region opens, until `ranks` calls have
    /// returned true. `cells`: the coarse tree.
    template <class Ask>
    static CHAMOMILE_HD void find(const CoarseOpening* cells, std::size_t n,
                                  const ImportRegion& region, int ranks, const Ask& ask)
    {
        for (Index c = 0; c < n && ranks > 0;) {
            const CoarseOpening& cell = cells[c];
            if (!cell.has_remote) {
                c = cell.next;
                continue;
            }
            const auto [daughters, particles] = cell.test.by(region);
            if ((daughters || particles) && cell.owner >= 0)
                ranks -= ask(cell.owner);
            c = daughters ? c + 1 : cell.next;
        }
    }
};

} // namespace chamomile
