/// \file  At which tolerance or opening angle does the error become what was asked for?
#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "chamomile/tree/acceptance.hpp"

namespace chamomile {

/// How the 99 % error goes with the limit of a criterion, its tolerance or opening angle: about
/// 1e-3 (limit / at_1e_3)^slope. Where the search starts, no more.
struct LimitLaw {
    double at_1e_3, slope;
    double least, most; ///< that the criterion takes

    static LimitLaw of(Criterion criterion);

    double guess(double error) const;
};

/// Where the measured error of a goal should lie: the sample knows it to 7 %, so that another
/// sample stays below the goal. Within `kept` of the goal nothing changes; `aimed` is aimed at and
/// `least_aimed` to `most_aimed` taken.
struct GoalBand {
    static constexpr double aimed = 0.82, least_aimed = 0.76, most_aimed = 0.88;
    static constexpr double least_kept = 0.5, most_kept = 1;
};

/// Secants of ln(error) against ln(limit), kept within what is known to be too low and too high.
/// What is tried next depends on errors alone.
class LimitSearch {
public:
    LimitSearch(const LimitLaw& law, double goal, double first);

    struct Point {
        double limit, error;
    };

    /// The limit to try next, of three digits.
    double next() const;

    /// `all_pairs`: the lists were as long as those of a direct sum; less is not to be had.
    void add(const Point& point, bool all_pairs);

    /// Whether another trial would gain nothing.
    bool done() const { return done_; }

    /// The coarsest that keeps the goal with its margin; none if no point does.
    std::optional<Point> best() const;

    const std::vector<Point>& points() const { return points_; }

private:
    /// ln of the nearest limits whose errors are known to be below and above the aim.
    struct Bracket {
        double low = -std::numeric_limits<double>::infinity(),
               high = std::numeric_limits<double>::infinity();
    };
    Bracket bracket() const;
    double secant() const;

    LimitLaw law_;
    double goal_, first_;
    std::vector<Point> points_;
    bool done_ = false;
};

} // namespace chamomile
