/// \file  The acceptance criterion: when a cell stands for its particles, and when its field may be
/// expanded about a common center.
#pragma once

#include <bit>
#include <cstdint>

#include "chamomile/core/periodic.hpp"
#include "chamomile/core/softening.hpp"
#include "chamomile/tree/moments.hpp"

namespace chamomile {

/// Returns x^(-1/n) to relative accuracy 1e-10 for normal x > 0, 2 <= n <= 12, with the same bits
/// on every machine.
CHAMOMILE_HD double inverse_root(double x, int n)
{
    const auto power = [](double y, int k) {
        double p = k & 1 ? y : 1;
        while (k >>= 1) {
            y *= y;
            p = k & 1 ? p * y : p;
        }
        return p;
    };
    constexpr auto one = std::bit_cast<std::int64_t>(1.0);
    const double part = 1.0 / n;
    // Divides the exponent by n, then applies Newton's method.
    double y = std::bit_cast<double>(
        one + std::int64_t(part * double(one - std::bit_cast<std::int64_t>(x))));
    for (int step = 0; step < 4; ++step)
        y += part * y * (1 - x * power(y, n));
    return y;
}

/// Returns x^(1/n) with the same accuracy; 0 for x below 1e-300.
CHAMOMILE_HD double root(double x, int n)
{
    return x < 1e-300 ? 0 : 1 / inverse_root(x, n);
}

/// Powers of two near the size and mass of the whole system, in which nothing over- or underflows.
struct WalkUnits {
    double length = 1, mass = 1;

    /// Returns the units for the root's moments.
    static CHAMOMILE_HD WalkUnits of(const Multipole& whole, const Box& bounds)
    {
        return {power_of_two(bounds.longest_side()), power_of_two(whole.mass)};
    }

private:
    /// Returns the power of two at or below x, within 1e-300 and 1e300; 1 unless x is positive and
    /// finite.
    static CHAMOMILE_HD double power_of_two(double x)
    {
        if (!(x > 0 && x <= 1.7e308))
            return 1;
        const double clamped = x < 1e-300 ? 1e-300 : x > 1e300 ? 1e300 : x;
        return std::bit_cast<double>(std::bit_cast<std::uint64_t>(clamped) & 0x7ff0000000000000u);
    }
};

/// The kind of criterion; AcceptanceCriterion has the formulas.
enum class Criterion {
    geometric,        ///< opening angle theta of the cell, seen from its center of mass
    minimum_distance, ///< opening angle, seen from the nearest point of the cell's bounds
    relative,         ///< error from mass and size is at most `tolerance` times the acceleration
    moments           ///< error from second moments is at most `tolerance` times the acceleration
};

/// Returns whether a criterion compares errors with the acceleration. It then uses `tolerance`,
/// else theta.
CHAMOMILE_HD constexpr bool compares_accelerations(Criterion criterion)
{
    return criterion == Criterion::relative || criterion == Criterion::moments;
}

/// What a cell contributes to its opening radius (variables named `reach`); targets contribute
/// factors. Targets whose box is closer to the cell's center of mass than the larger of `min` and
/// relative * relative_factor() + guard_part() * min open the cell.
struct OpeningRadius {
    double min;      ///< holds for any tolerance; includes the clearance
    double relative; ///< holds at an acceleration of 1 in WalkUnits; 0: opening-angle criterion
    /// Times expansion_factor(): min distance, from the center of the targets' box, for expanding
    /// the cell's field. With a cut there are no expansions: the cell's radius about its center of
    /// mass.
    double expansion;
};

/// An AcceptanceCriterion accepts a cell if the distance from the targets' box to the cell's center
/// of mass exceeds the cell's opening radius.
///
/// Geometric: Barnes & Hut's opening angle is measured from the group's box to the cell's center of
/// mass (Barnes 1990) and guarded against off-center cells: a cell is accepted beyond l/theta +
/// |center of mass - center of box| (Barnes 1995), with l the longest side of its tight box.
///
/// Minimum distance (Salmon & Warren 1994): demands l / d <= theta, with d the distance to the
/// nearest point of the cell's bounds. With b the distance from the center of mass to the farthest
/// corner, that point is no farther than b from the center, so l/theta + b is safe from every side.
///
/// Relative: the first neglected term of the multipole expansion to order p, M b^n / d^(n+2) with n
/// = p + 1 (order 0: n = 2, since dipoles vanish), is at most `tolerance` times the acceleration of
/// the targets (after Springel 2005, eq. 18).
///
/// Moments: the same limit from the cell's moments, as in Dehnen (2014). Salmon & Warren (1994)
/// bound the error by a constant times B_n / d^(n+2) (1 - b/d)^-2, where B_n = sum_j m_j |d_j|^n.
/// Here B_n <= tr S b^(n-2), with the second moments S. Their factor (1 - b/d)^-2 is for mass at
/// the farthest corner; here it is (1 - b/d)^(-3/2). To get d in closed form, d^(n+2) (1 -
/// b/d)^(3/2) is replaced by (d - guard_part b)^(n+2), equal to first order in b/d. Constants were
/// chosen by measurement (docs/explanation/decisions.md, 44).
///
/// No criterion accepts a cell if any particle in it comes closer than `clearance` to the box of
/// the targets.
///
/// Per-particle softening enlarges the opening radius (tree/own_softenings.hpp).
///
/// With local_order = P > 0 an accepted cell's field is expanded about the center of the targets'
/// box if the distance d of the two centers exceeds kappa times the box's radius. With a tolerance,
/// also the first neglected term, M radius^P / d^(P+2), must be at most lambda * tolerance times
/// the acceleration.
struct AcceptanceCriterion {
    Criterion kind = Criterion::relative;
    double theta = 0.6;
    double tolerance = 0.001;
    double clearance = 0; ///< closer pairs are softened in a way that multipoles do not follow
    double softening = 0; ///< Plummer-equivalent length, for the estimate of the acceleration
    double softening_reach = 0; ///< SofteningForm::reach
    SofteningRule softening_rule = SofteningRule::larger;
    double min_softening_squared = 0; ///< eps^2, with per-particle softening
    int order = 2;                    ///< of the multipoles: 0, 2, 3 or 4
    int local_order = 0;              ///< of the expansion about the targets' center; 0: none
    /// In a periodic cube sources act only by their nearest image, and only within `cut`. Local
    /// expansions are off.
    Periodicity periodicity = {};
    double cut = 0;
    /// Lower limit of the estimated acceleration, with G = 1 in the particles' units.
    double min_acceleration = 0;

    CHAMOMILE_HD bool takes_tolerance() const { return compares_accelerations(kind); }
    /// Returns the degree n of the first neglected multipole.
    CHAMOMILE_HD int neglected() const { return order == 0 ? 2 : order + 1; }
    /// Returns the fraction of OpeningRadius::min that its second limit adds: 0 except for moments.
    double guard_part() const { return kind == Criterion::moments ? 1.5 / (neglected() + 2) : 0; }

    /// Fraction of the tolerance for local expansions, chosen by measurement
    /// (docs/explanation/decisions.md, 20).
    static constexpr double lambda = 0.02;
    /// Estimates of the acceleration open cells nearer than this factor times the cell's radius
    /// about its center of mass.
    static constexpr double estimate_opening = 1.25;

    /// Min distance of expanded cells over the radius of the targets' box.
    double group_kappa() const { return takes_tolerance() ? 1.3 : 2 / theta; }
    double cluster_kappa() const { return takes_tolerance() ? 1.3 : 2 / theta; }

    /// Returns the opening radius of a cell, for one softening length.
    CHAMOMILE_HD OpeningRadius reach(const Multipole& multipole, const Box& bounds,
                                     const WalkUnits& units) const
    {
        const double farthest = bounds.farthest_distance(multipole.center);
        OpeningRadius reach{farthest + clearance, 0, cut > 0 ? farthest : 0};
        if (!takes_tolerance()) {
            const double offset =
                kind == Criterion::geometric ? norm(multipole.center - bounds.center()) : farthest;
            const double opening = bounds.longest_side() / theta + offset;
            reach.min = opening > reach.min ? opening : reach.min;
            return reach;
        }
        const double mass = multipole.mass / units.mass, b = farthest / units.length;
        double moment = kind == Criterion::relative
                            ? mass * b * b
                            : multipole.second.trace() / units.mass / units.length / units.length;
        for (int k = 2; k < neglected(); ++k)
            moment *= b;
        reach.relative = units.length * root(moment / tolerance, neglected() + 2);
        if (local_order > 0)
            reach.expansion = root(mass, local_order + 2);
        return reach;
    }

    /// Returns min_acceleration in WalkUnits.
    double scaled_min_acceleration(const WalkUnits& units) const
    {
        return min_acceleration * units.length * units.length / units.mass;
    }

    /// Returns the factor of OpeningRadius::relative for targets with `acceleration` in units mass
    /// / length^2 (G = 1).
    double relative_factor(double acceleration) const
    {
        return takes_tolerance() ? inverse_root(std::max(acceleration, 1e-300), neglected() + 2)
                                 : 0;
    }

    /// Returns the factor of OpeningRadius::expansion for a box of this radius at this
    /// acceleration.
    double expansion_factor(double radius, double acceleration, const WalkUnits& units) const
    {
        if (!takes_tolerance() || local_order == 0)
            return 0;
        double power = 1;
        for (int k = 0; k < local_order; ++k)
            power *= radius / units.length;
        const double limit = lambda * tolerance * std::max(acceleration, 1e-280);
        return units.length * root(power / limit, local_order + 2);
    }
};

} // namespace chamomile
