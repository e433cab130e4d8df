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
          has_estimates(criterion.takes_tolerance())
    {}

    double guard_part;  ///< AcceptanceCriterion::guard_part()
    double clearance;   ///< in OpeningRadius::min of each cell, subtracted for estimates
    bool has_estimates; ///< true: the criterion compares with estimated accelerations
};

/// A RemoteOpeningTest finds the regions that open a cell: all whose walk or estimated acceleration
/// opens it and, by rounding, hardly any more.
class RemoteOpeningTest {
public:
    CHAMOMILE_HD RemoteOpeningTest(const OpeningRule& rule, const Vec3<double>& center,
                                   const OpeningRadius& reach)
        : center_(center),
          estimate_(AcceptanceCriterion::estimate_opening * (reach.min - rule.clearance)),
          min_(rounding * reach.min), guard_(rounding * rule.guard_part * reach.min),
          relative_(rounding * reach.relative), has_estimates_(rule.has_estimates)
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
        const bool is_near = region.box.distance_squared(center_) <= accepted * accepted;
        Answer answer{is_near, is_near};
        if (has_estimates_ && !is_near) {
            const double estimate = rounding * (estimate_ + region.extent);
            answer.daughters = norm_squared(center_ - region.center_of_mass) < estimate * estimate;
        }
        return answer;
    }

private:
    /// RemoteOpeningTest radii grow by this factor, so that rounding in the walk opens no missing
    /// cell.
    static constexpr double rounding = 1 + 1e-9;

    Vec3<double> center_;
    double estimate_, min_, guard_, relative_; // distances
    bool has_estimates_;
};

} // namespace chamomile
