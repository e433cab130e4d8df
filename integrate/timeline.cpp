#include "chamomile/integrate/timeline.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <string>

#include "chamomile/core/error.hpp"
#include "chamomile/core/files/archive.hpp"

namespace chamomile {
namespace {

/// Times closer than this, relative to an interval or step, are equal: decimal fractions such as 3
/// * 0.1 and 0.3 differ by rounding.
constexpr double same = 1e-9;

/// Max rounding error of sums and products of times, and min step or interval, both in units in the
/// last place of the times.
constexpr double rounding = 4, min_parts = 64;

} // namespace

Timeline::Timeline(double start, double end)
    : start_(start), end_(end), rounding_(rounding * last_place(start, end)), time_(start),
      last_hit_(start)
{
    if (!std::isfinite(start) || !std::isfinite(end) || end < start)
        throw Error(Fault::usage, "end time: " + std::to_string(end) +
                                      ": must not be before the start at " + std::to_string(start));
}

std::size_t Timeline::add_series(double interval)
{
    if (!(interval > min_interval(start_, end_)) || !std::isfinite(interval))
        throw Error(Fault::usage, "interval: " + std::to_string(interval) +
                                      ": must be > 0 and above the rounding of the time");
    series_.push_back({interval});
    return series_.size() - 1;
}

std::size_t Timeline::add_list(std::vector<double> times)
{
    for (double time : times)
        if (!std::isfinite(time))
            throw Error(Fault::usage, "times: " + std::to_string(time) + ": must be finite");
    const double span = end_ - start_;
    std::erase_if(times,
                  [&](double time) { return time <= start_ + tolerance(span) || time > end_; });
    std::sort(times.begin(), times.end());
    series_.push_back({span, 1, true, std::move(times), true});
    return series_.size() - 1;
}

double Timeline::last_place(double start, double end)
{
    return std::numeric_limits<double>::epsilon() * std::max(std::abs(start), std::abs(end));
}

double Timeline::min_interval(double start, double end)
{
    return min_parts * last_place(start, end);
}

double Timeline::tolerance(double length) const
{
    return std::max(same * length, rounding_);
}

double Timeline::time_of(const Series& series) const
{
    if (!series.is_list)
        return start_ + double(series.next) * series.interval;
    return series.next <= series.times.size() ? series.times[std::size_t(series.next - 1)]
                                              : std::numeric_limits<double>::infinity();
}

double Timeline::next_target() const
{
    double target = end_;
    for (const Series& series : series_)
        if (time_of(series) < end_ - tolerance(series.interval))
            target = std::min(target, time_of(series));
    return target;
}

Timeline::Step Timeline::plan(double length, TimeStepKind kind) const
{
    const double target = next_target();
    if (kind == TimeStepKind::adaptive) {
        const double exact = (target - time_) / length;
        const double steps = std::ceil(exact - std::max(same * exact, rounding_ / length));
        if (steps <= 1)
            return {target - time_, target, true};
        return {(target - time_) / steps, time_ + (target - time_) / steps, false};
    }
    const double steps = (target - last_hit_) / length;
    const double margin = std::max(same * std::max(1.0, steps), rounding_ / length);
    const double whole = std::max(1.0, std::ceil(steps - margin));
    if (double(steps_since_hit_ + 1) < whole)
        return {length, last_hit_ + double(steps_since_hit_ + 1) * length, false};
    const bool divides = std::abs(steps - whole) <= margin;
    return {divides ? length : target - time_, target, true};
}

bool Timeline::hits(const Step& step, std::size_t series) const
{
    return step.hits && time_of(series_[series]) <= step.end + tolerance(series_[series].interval);
}

void Timeline::advance(const Step& step)
{
    assert(step.end > time_ && step.end <= end_ + tolerance(end_ - start_));
    for (std::size_t k = 0; k < series_.size(); ++k) {
        series_[k].due = hits(step, k);
        if (series_[k].due)
            ++series_[k].next;
        while (series_[k].is_list && hits(step, k)) // times given twice
            ++series_[k].next;
    }
    time_ = step.end;
    ++steps_since_hit_;
    if (step.hits) {
        last_hit_ = time_;
        steps_since_hit_ = 0;
    }
}

std::uint64_t Timeline::next_of(const Series& series) const
{
    const double now = time_ + tolerance(series.interval);
    if (!series.is_list)
        return std::uint64_t(std::floor((now - start_) / series.interval)) + 1;
    const auto later = std::upper_bound(series.times.begin(), series.times.end(), now);
    return std::uint64_t(later - series.times.begin()) + 1;
}

void Timeline::exchange(Archive& archive)
{
    archive("timeline/start", start_);
    archive("timeline/time", time_);
    archive("timeline/last_hit", last_hit_);
    archive("timeline/steps_since_hit", steps_since_hit_);
    const std::size_t n = series_.size();
    std::vector<double> intervals;
    std::vector<std::uint64_t> next;
    std::vector<std::uint8_t> due, lists;
    for (const Series& series : series_) {
        lists.push_back(series.is_list);
        intervals.push_back(series.interval);
        next.push_back(series.next);
        due.push_back(series.due);
    }
    archive("timeline/intervals", intervals);
    archive("timeline/next", next);
    archive("timeline/due", due);
    if (intervals.size() != n || next.size() != n || due.size() != n)
        throw Error(Fault::restart, "timeline: " + std::to_string(intervals.size()) +
                                        " series of times: must be " + std::to_string(n));
    if (!archive.is_reading() || archive.has("timeline/lists")) // not in earlier versions
        archive("timeline/lists", lists);
    for (std::size_t k = 0; k < n; ++k) {
        Series& series = series_[k];
        const bool was_list = k < lists.size() && lists[k] != 0;
        if (!series.is_list && !was_list)
            series.interval = intervals[k];
        series.next =
            archive.is_reading() && (series.is_list || was_list) ? next_of(series) : next[k];
        series.due = due[k] != 0;
    }
    if (!(time_ <= end_))
        throw Error(Fault::restart, "end time: " + std::to_string(end_) +
                                        ": must not be before the time of the checkpoint, " +
                                        std::to_string(time_));
}

} // namespace chamomile
