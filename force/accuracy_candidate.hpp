/// \file  One of the ways to sum that a solver with a goal compares, and what it has measured of
/// it.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "force/limit_search.hpp"
#include "force/solver.hpp"

namespace chamomile {

/// The tolerance or opening angle, whichever the criterion takes.
inline double& limit_of(SolverOptions& options)
{
    return compares_accelerations(options.criterion) ? options.tolerance : options.theta;
}

/// One way to sum, and what is known of it.
struct Candidate {
    Candidate(const SolverOptions& options, double goal)
        : options(options),
          search(LimitLaw::of(options.criterion), goal, LimitLaw::of(options.criterion).guess(goal))
    {}

    SolverOptions options; ///< the limit is that of the last trial
    LimitSearch search;
    double pairs = 0; ///< per particle, in the last trial

    struct Timing {
        double ratio; ///< ln of the error over the one aimed at
        double seconds;
    };
    std::vector<Timing> timings;

    static constexpr double cost_exponent =
        0.3; ///< time goes about as error^-0.3, for ratios near 1
    static constexpr double far_apart = 0.25, as_near = 0.1; ///< of ln(error)

    /// How far from the aim the nearest trial was.
    double distance() const
    {
        double least = 1e300;
        for (const Timing& t : timings)
            least = std::min(least, std::abs(t.ratio));
        return least;
    }

    /// Of an evaluation where the error is the one aimed at: from the trials next to it, by a power
    /// of the error that two trials tell, if they are far enough apart.
    double seconds() const
    {
        double power = cost_exponent, least = 1e300;
        for (const Timing& a : timings)
            for (const Timing& b : timings)
                if (b.ratio - a.ratio > far_apart)
                    power =
                        std::clamp(std::log(a.seconds / b.seconds) / (b.ratio - a.ratio), 0.1, 0.6);
        const double near = distance() + as_near;
        for (const Timing& t : timings)
            if (std::abs(t.ratio) <= near)
                least = std::min(least, t.seconds * std::exp(power * t.ratio));
        return least;
    }
};

} // namespace chamomile
