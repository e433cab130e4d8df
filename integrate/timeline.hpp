/// \file  A timeline says where steps begin and end, so that the times asked for are hit exactly.
#pragma once

#include <cstdint>
#include <vector>

#include "chamomile/integrate/time_step.hpp"

namespace chamomile {

class Archive;

/// A run of more steps than these would not end.
inline constexpr double most_steps = 1e12;

/// A Timeline plans the steps from a start to an end by way of the times of any number of series,
/// start + k * interval or listed. Times do not drift: a fixed step ends at (last time hit) + k *
/// length, and the last one before a time is shortened to end on it; adaptive steps are shortened
/// evenly towards it. Times that differ by their rounding alone are one time.
class Timeline {
public:
    /// Throws Error(usage) unless both are finite and end >= start.
    Timeline(double start, double end);

    /// Adds a series of times to hit and returns its number; interval > least_interval(), else
    /// Error(usage).
    std::size_t add_series(double interval);

    /// Adds a list of times in any order; those not after the start or beyond the end are left out.
    /// Throws Error(usage) for one that is not finite.
    std::size_t add_list(std::vector<double> times);

    /// Returns what an interval or step must exceed so as not to be lost in the digits of such
    /// times.
    static double least_interval(double start, double end);

    double time() const { return time_; }
    bool at_end() const { return time_ >= end_; }

    struct Step {
        double length, end;
        bool hits; ///< ends on the end or on a time of a series
    };
    /// Returns the next step, of the length given or less.
    Step plan(double length, TimeStepKind kind) const;

    /// Tells whether the planned step ends on a time of the series.
    bool hits(const Step& step, std::size_t series) const;

    /// Takes the planned step.
    void advance(const Step& step);

    /// Tells whether the present time (before the first step: the start) is one of the series.
    bool due(std::size_t series) const { return series_[series].due; }

    /// Keeps or restores all but the end and the times of lists, which may be others in a run that
    /// goes on, and the intervals of series too.
    /// Throws Error(restart) where the present time lies beyond the end or other series were kept.
    void exchange(Archive& archive);

    double start() const { return start_; }
    double end() const { return end_; }

private:
    struct Series {
        double interval;        ///< of a list that of the whole timeline, for comparisons
        std::uint64_t next = 1; ///< k of the next time
        bool due = true;
        std::vector<double> times = {}; ///< of a list, in order
        bool is_list = false;
    };
    static double last_place(double start, double end);
    double tolerance(double length) const; ///< within which two times are one, beside such a length
    double time_of(const Series& series) const;
    double next_target() const;
    std::uint64_t next_of(const Series& list) const; ///< the first of the list that is to come

    double start_, end_;
    double rounding_; ///< by which times that mean the same may differ
    double time_;
    double last_hit_; ///< where the fixed steps are counted from
    std::uint64_t steps_since_hit_ = 0;
    std::vector<Series> series_;
};

} // namespace chamomile
