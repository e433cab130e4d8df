#include "chamomile/core/cosmology/background.hpp"

#include <cmath>
#include <cstdio>
#include <string>

#include "chamomile/core/cosmology/quadrature.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/core/number_text.hpp"

namespace chamomile {
namespace {

/// Panel width in ln a. Within a panel, terms in Friedmann's equation change by a factor e^2 at
/// most.
constexpr double panel = 0.5;

/// Terms holds the contributions to E^2 in Friedmann's equation.
struct Terms {
    double radiation, matter, curvature, dark_energy;

    Terms(const Background& b, double a)
        : radiation(b.omega_radiation / (a * a * a * a)), matter(b.omega_matter / (a * a * a)),
          curvature(b.omega_curvature() / (a * a)),
          dark_energy(b.omega_lambda * std::pow(a, -3 * (1 + b.w0 + b.wa)) *
                      std::exp(-3 * b.wa * (1 - a)))
    {}
    double sum() const { return radiation + matter + curvature + dark_energy; }
};

} // namespace

double Background::expansion(double a) const
{
    return std::sqrt(Terms(*this, a).sum());
}

double Background::expansion_slope(double a) const
{
    const Terms t(*this, a);
    const double w = w0 + wa * (1 - a);
    return -(4 * t.radiation + 3 * t.matter + 2 * t.curvature + 3 * (1 + w) * t.dark_energy) /
           (2 * t.sum());
}

double Background::matter_part(double a) const
{
    const Terms t(*this, a);
    return t.matter / t.sum();
}

double Background::age(double a) const
{
    // The part before a e^-28 is negligible: with matter only, e^-42 of the age.
    return integral([this](double x) { return 1 / expansion(std::exp(x)); }, std::log(a) - 28,
                    std::log(a), panel);
}

double Background::kick(double from, double to) const
{
    const auto rate = [this](double x) {
        const double a = std::exp(x);
        return 1 / (a * expansion(a));
    };
    return integral(rate, std::log(from), std::log(to), panel);
}

double Background::drift(double from, double to) const
{
    const auto rate = [this](double x) {
        const double a = std::exp(x);
        return 1 / (a * a * expansion(a));
    };
    return integral(rate, std::log(from), std::log(to), panel);
}

void validate(const Background& b, double from, double to)
{
    const auto refuse = [](const char* name, double value, const std::string& requirement) {
        throw Error(Fault::usage,
                    std::string(name) + ": " + number_text(value) + ": " + requirement);
    };
    for (const BackgroundRange& parameter : background_ranges)
        if (const double value = b.*parameter.value; !parameter.range.contains(value))
            refuse(parameter.name, value, "must be a number" + parameter.range.words());
    constexpr int samples = 1000;
    for (int k = 0; k <= samples; ++k) {
        const double a = from * std::pow(to / from, double(k) / samples);
        if (!(Terms(b, a).sum() > 0))
            refuse("omega-l", b.omega_lambda, "must let the universe expand at all times");
    }
}

} // namespace chamomile
