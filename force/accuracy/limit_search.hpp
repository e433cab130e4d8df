/// \file  Finds the tolerance or opening angle at which the error reaches a goal.
#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "chamomile/tree/acceptance.hpp"

namespace chamomile {

/// Estimate of the 99 % error as a function of a criterion's limit (tolerance or opening angle):
/// 1e-3 (limit / at_1e_3)^slope. Only the start of a search.
struct LimitLaw {
    double at_1e_3, slope;
    double min, max; ///< allowed by the criterion

    static LimitLaw of(Criterion criterion);

    double guess(double error) const;
    /// Returns the error at a limit.
    double error_at(double limit) const;
};

/// Allowed ranges for the measured error, in units of the goal. The sample determines it to 7 %, so
/// that another sample stays below the goal. The search aims at `aimed` and accepts `min_aimed`
/// to `max_aimed`; from `min_kept` to `max_kept` nothing changes.
struct GoalBand {
    static constexpr double aimed = 0.82, min_aimed = 0.76, max_aimed = 0.88;
    static constexpr double min_kept = 0.5, max_kept = 1;
};

/// Secants in ln(error) against ln(limit), within the bracket known so far. The next trial depends
/// on errors only.
class LimitSearch {
public:
    LimitSearch(const LimitLaw& law, double goal, double first);

    struct Point {
        double limit, error;
    };

    /// Returns the limit for the next trial, to three digits.
    double next() const;

    /// `all_pairs`: lists were about as long as for a direct sum, so a lower limit cannot help.
    void add(const Point& point, bool all_pairs);

    /// Whether another trial would gain nothing.
    bool done() const { return done_; }

    /// Returns the coarsest point that keeps the goal with its margin; none if no point does.
    std::optional<Point> best() const;

    const std::vector<Point>& points() const { return points_; }

private:
    /// ln of the nearest limits with errors known to be below and above the aim.
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
