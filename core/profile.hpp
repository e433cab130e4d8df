/// \file  The time of a step, by named phase.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "chamomile/core/trace.hpp"

namespace chamomile {

/// Returns the seconds of a monotonic clock.
inline double wall_clock_seconds()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

/// Seconds per named phase, in the order in which phases first appeared.
class Profile {
public:
    struct Phase {
        std::string name;
        double seconds = 0;
    };

    void add(std::string_view name, double seconds)
    {
        for (Phase& phase : phases_)
            if (phase.name == name) {
                phase.seconds += seconds;
                return;
            }
        phases_.push_back({std::string(name), seconds});
    }
    void clear() { phases_.clear(); }
    const std::vector<Phase>& phases() const { return phases_; }
    double seconds(std::string_view name) const
    {
        for (const Phase& phase : phases_)
            if (phase.name == name)
                return phase.seconds;
        return 0;
    }

private:
    std::vector<Phase> phases_;
};

/// Adds its lifetime to a phase, and marks a range with this name for a profiler.
class TimedPhase {
public:
    TimedPhase(Profile& profile, const char* name)
        : profile_(profile), name_(name), range_(name), start_(wall_clock_seconds())
    {}
    ~TimedPhase() { profile_.add(name_, wall_clock_seconds() - start_); }
    TimedPhase(const TimedPhase&) = delete;
    TimedPhase& operator=(const TimedPhase&) = delete;

private:
    Profile& profile_;
    const char* name_;
    TraceRange range_;
    double start_;
};

} // namespace chamomile
