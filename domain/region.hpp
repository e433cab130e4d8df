/// \file  The regions whose lists a rank makes, and the cells that these open.
#pragma once

#include "chamomile/tree/own_softenings.hpp"

namespace chamomile {

/// A Region tells what a cluster's walk opens: by the box of its targets and the factor of its
/// criterion, and by the place at which its acceleration is estimated.
struct Region {
    Box box;
    double relative_factor = 0;
    Vec3<double> center_of_mass;
    double extent = 0; ///< about the centre of mass, where places around it are looked at too
};

/// An OpeningRule is what all Openings of one import have in common.
struct OpeningRule {
    explicit OpeningRule(const AcceptanceCriterion& criterion)
        : guard_part(criterion.guard_part()),
          clearance(criterion.clearance + shared_clearance(criterion)),
          has_estimates(criterion.is_relative())
    {}

    double guard_part;  ///< AcceptanceCriterion::guard_part()
    double clearance;   ///< of every cell, which its estimate leaves out
    bool has_estimates; ///< of accelerations, with which the criterion compares
};

/// An Opening decides which regions open a cell: all those whose walks open it, and by rounding
/// hardly any more.
class Opening {
public:
    CHAMOMILE_HD Opening(const OpeningRule& rule, const Vec3<double>& center,
                         const CellReach& reach)
        : center_(center),
          estimate_(AcceptanceCriterion::estimate_opening * (reach.least - rule.clearance)),
          least_(rounding * reach.least), guard_(rounding * rule.guard_part * reach.least),
          relative_(rounding * reach.relative), has_estimates_(rule.has_estimates)
    {}

    /// An Answer tells whether the cell's daughters are needed, or a leaf's particles.
    struct Answer {
        bool daughters, particles;
    };
    CHAMOMILE_HD Answer by(const Region& region) const
    {
        const double relative = relative_ * region.relative_factor + guard_,
                     accepted = relative > least_ ? relative : least_;
        const bool is_near = region.box.distance_squared(center_) <= accepted * accepted;
        Answer answer{is_near, is_near};
        if (has_estimates_ && !is_near) {
            const double estimate = rounding * (estimate_ + region.extent);
            answer.daughters = norm_squared(center_ - region.center_of_mass) < estimate * estimate;
        }
        return answer;
    }

private:
    /// The reach is made longer by this part, so that no rounding of the walk opens more.
    static constexpr double rounding = 1 + 1e-9;

    Vec3<double> center_;
    double estimate_, least_, guard_, relative_; // distances
    bool has_estimates_;
};

} // namespace chamomile
