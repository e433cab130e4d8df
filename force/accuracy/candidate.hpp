/// \file  One method that a solver with a goal compares, and its measurements.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "chamomile/force/accuracy/box_ranges.hpp"
#include "chamomile/force/accuracy/limit_search.hpp"
#include "chamomile/force/solver.hpp"

namespace chamomile {

/// The tolerance or opening angle, depending on the criterion.
inline double& limit_of(SolverOptions& options)
{
    return compares_accelerations(options.criterion) ? options.tolerance : options.theta;
}

/// Returns the law for these options. In a box smaller limits than its min leave the error of the
/// cut.
inline LimitLaw law_of(const SolverOptions& options)
{
    LimitLaw law = LimitLaw::of(options.criterion);
    if (options.is_periodic())
        law.min = std::max(law.min, law.guess(min_error_in_box(options.precision)));
    return law;
}

/// Sets the limit and, in a box, the ranges that go with it.
inline void set_limit(SolverOptions& options, const AccuracyGoal& goal, double limit)
{
    limit_of(options) = limit;
    if (options.is_periodic())
        set_ranges(options, goal, law_of(options).error_at(limit));
}

/// One method, with its measurements.
struct Candidate {
    Candidate(const SolverOptions& options, double goal)
        : options(options), search(law_of(options), goal, law_of(options).guess(goal))
    {}

    SolverOptions options; ///< with the limit from the last trial
    LimitSearch search;
    double pairs = 0; ///< per particle, in the last trial

    struct Timing {
        double ratio; ///< ln(error / aimed error)
        double seconds;
    };
    std::vector<Timing> timings;

    /// Time goes about as error^-0.3, for ratios near 1.
    static constexpr double usual_power = 0.3;
    static constexpr double far_apart = 0.25, as_near = 0.1; ///< of ln(error)

    /// Distance of the nearest trial from the aim, in ln(error).
    double distance() const
    {
        double min = 1e300;
        for (const Timing& t : timings)
            min = std::min(min, std::abs(t.ratio));
        return min;
    }

    /// Power of the error with which time falls; `otherwise` if no two trials determine it.
    double power(double otherwise) const
    {
        double power = otherwise;
        for (const Timing& a : timings)
            for (const Timing& b : timings)
                if (b.ratio - a.ratio > far_apart)
                    power = std::clamp(std::log(a.seconds / b.seconds) / (b.ratio - a.ratio), 0.15,
                                       0.6);
        return power;
    }

    /// Time for an evaluation at the aimed error, from the nearest trials.
    double seconds(double otherwise) const
    {
        const double p = power(otherwise), near = distance() + as_near;
        double min = 1e300;
        for (const Timing& t : timings)
            if (std::abs(t.ratio) <= near)
                min = std::min(min, t.seconds * std::exp(p * t.ratio));
        return min;
    }
};

} // namespace chamomile
