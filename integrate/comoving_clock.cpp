#include "chamomile/integrate/comoving_clock.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "chamomile/core/error.hpp"

namespace chamomile {

ComovingClock::ComovingClock(const ComovingOptions& options) : options_(options)
{
    const auto need_positive = [](const char* name, double value) {
        if (!(value > 0) || !std::isfinite(value))
            throw Error(Fault::usage, std::string("comoving time: ") + name + ": " +
                                          std::to_string(value) + ": must be > 0");
    };
    need_positive("H0", options.hubble_rate);
    need_positive("longest step", options.longest_step);
    if (!(options.physical_softening >= 0))
        throw Error(Fault::usage, "comoving time: physical softening: " +
                                      std::to_string(options.physical_softening) +
                                      ": must be 0 or more");
}

double ComovingClock::kick(double from, double to) const
{
    return options_.background.kick(std::exp(from), std::exp(to)) / options_.hubble_rate;
}

double ComovingClock::drift(double from, double to) const
{
    return options_.background.drift(std::exp(from), std::exp(to)) / options_.hubble_rate;
}

double ComovingClock::step(double time, double dynamical_time) const
{
    const double a = std::exp(time);
    return options_.hubble_rate * options_.background.expansion(a) * a * std::sqrt(a) *
           dynamical_time;
}

double ComovingClock::softening(double time, double length) const
{
    const double max = options_.physical_softening;
    return max > 0 ? std::min(length, max / std::exp(time)) : length;
}

double ComovingClock::file_time(double time) const
{
    return std::exp(time);
}

} // namespace chamomile
