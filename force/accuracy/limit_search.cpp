#include "chamomile/force/accuracy/limit_search.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace chamomile {
namespace {

constexpr std::size_t max_points = 12;
constexpr double narrow = 0.01; // of a bracket, in ln(limit) times slope

/// Rounds to a number that people can type again.
double three_digits(double x)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.3g", x);
    return std::strtod(text, nullptr);
}

double ln(double x)
{
    return std::log(std::max(x, 1e-300));
}

} // namespace

LimitLaw LimitLaw::of(Criterion criterion)
{
    if (compares_accelerations(criterion))
        return {0.0015, 0.75, 1e-15, 1};
    return {0.65, 4.3, 1e-4, 1.5};
}

double LimitLaw::guess(double error) const
{
    return three_digits(std::clamp(at_1e_3 * std::pow(error / 1e-3, 1 / slope), min, max));
}

double LimitLaw::error_at(double limit) const
{
    return 1e-3 * std::pow(limit / at_1e_3, slope);
}

LimitSearch::LimitSearch(const LimitLaw& law, double goal, double first)
    : law_(law), goal_(goal), first_(std::clamp(first, law.min, law.max))
{}

double LimitSearch::next() const
{
    return points_.empty() ? first_ : three_digits(std::clamp(secant(), law_.min, law_.max));
}

double LimitSearch::secant() const
{
    const double aim = ln(GoalBand::aimed * goal_);
    std::vector<Point> near = points_;
    std::sort(near.begin(), near.end(), [&](const Point& a, const Point& b) {
        return std::abs(ln(a.error) - aim) < std::abs(ln(b.error) - aim);
    });
    double slope = law_.slope;
    if (near.size() > 1 && near[0].limit != near[1].limit)
        slope = std::clamp((ln(near[1].error) - ln(near[0].error)) /
                               (ln(near[1].limit) - ln(near[0].limit)),
                           0.5 * law_.slope, 2 * law_.slope);
    double step = (aim - ln(near[0].error)) / slope;
    step = std::clamp(step, -6 / law_.slope, 6 / law_.slope);
    double x = ln(near[0].limit) + step;

    const auto [low, high] = bracket();
    if (std::isfinite(low) && std::isfinite(high)) {
        const double margin = 0.05 * (high - low);
        if (!(x > low + margin && x < high - margin))
            x = 0.5 * (low + high);
    }
    return std::exp(x);
}

LimitSearch::Bracket LimitSearch::bracket() const
{
    Bracket bracket;
    for (const Point& point : points_)
        if (point.error <= GoalBand::aimed * goal_)
            bracket.low = std::max(bracket.low, ln(point.limit));
        else
            bracket.high = std::min(bracket.high, ln(point.limit));
    return bracket;
}

void LimitSearch::add(const Point& point, bool all_pairs)
{
    points_.push_back(point);
    const double part = point.error / goal_;
    const bool at_most = point.limit >= law_.max && part <= GoalBand::aimed,
               at_least = (point.limit <= law_.min || all_pairs) && part > GoalBand::aimed;
    const auto [low, high] = bracket();
    done_ = done_ || (part >= GoalBand::min_aimed && part <= GoalBand::max_aimed) || at_most ||
            at_least || (high - low) * law_.slope < narrow || points_.size() >= max_points;
}

std::optional<LimitSearch::Point> LimitSearch::best() const
{
    std::optional<Point> best;
    for (const Point& point : points_)
        if (point.error <= GoalBand::max_aimed * goal_ && (!best || point.limit > best->limit))
            best = point;
    return best;
}

} // namespace chamomile
