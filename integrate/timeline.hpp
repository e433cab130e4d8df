/// \file  Plans the begins and ends of steps, so that requested times are hit exactly.
#pragma once

#include <cstdint>
#include <vector>

#include "chamomile/integrate/time_step.hpp"

namespace chamomile {

class Archive;

/// A run of more steps would not end.
inline constexpr double max_steps = 1e12;

/// A Timeline plans the steps from start to end through the times of any number of series, start +
/// k * interval or listed. Times do not drift: a fixed step ends at (last time hit) + k * length,
/// and the last step before a time is shortened to end on it. Adaptive steps are shortened evenly
/// towards a time. Times that differ only by rounding are equal.
class Timeline {
public:
    /// Throws Error(usage) unless both are finite and end >= start.
    Timeline(double start, double end);

    /// Adds a series of times to hit and returns its number. Throws Error(usage) unless interval >
    /// min_interval().
    std::size_t add_series(double interval);

    /// Adds a list of times in any order. Times not after the start or beyond the end are ignored.
    /// Throws Error(usage) for a time that is not finite.
    std::size_t add_list(std::vector<double> times);

    /// Returns the lower bound of intervals and steps, set by the rounding of these times.
    static double min_interval(double start, double end);

    double time() const { return time_; }
    bool at_end() const { return time_ >= end_; }

    struct Step {
        double length, end;
        bool hits; ///< ends on the end or on a time of a series
    };
    /// Returns the next step, of the given length or less.
    Step plan(double length, TimeStepKind kind) const;

    /// True if the planned step ends on a time of the series.
    bool hits(const Step& step, std::size_t series) const;

    /// Takes the planned step.
    void advance(const Step& step);

    /// True if the present time (before the first step: the start) is in the series.
    bool due(std::size_t series) const { return series_[series].due; }

    /// Keeps or restores the state, with the intervals of series, but without the end and the times
    /// of lists: a continued run may change these. Throws Error(restart) if the present time is
    /// beyond the end, or if the number of series differs.
    void exchange(Archive& archive);

    double start() const { return start_; }
    double end() const { return end_; }

private:
    struct Series {
        double interval;        ///< for a list: of the whole timeline, for comparisons
        std::uint64_t next = 1; ///< k of the next time
        bool due = true;
        std::vector<double> times = {}; ///< of a list, ascending
        bool is_list = false;
    };
    static double last_place(double start, double end);
    /// Returns the max difference of times that count as equal, for steps of this length.
    double tolerance(double length) const;
    double time_of(const Series& series) const;
    double next_target() const;
    std::uint64_t next_of(const Series& series) const; ///< its first time after now

    double start_, end_;
    double rounding_; ///< max rounding difference of equal times
    double time_;
    double last_hit_; ///< fixed steps are counted from here
    std::uint64_t steps_since_hit_ = 0;
    std::vector<Series> series_;
};

} // namespace chamomile
