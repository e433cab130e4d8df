// The long range of a periodic box beside individual steps: it kicks over whole steps.
#include <cmath>

#include "chamomile/core/threads.hpp"
#include "chamomile/force/long_range_field.hpp"
#include "chamomile/integrate/block_leapfrog.hpp"
#include "chamomile/integrate/ordered_sum.hpp"

namespace chamomile {

ForceStatistics BlockLeapfrog::evaluate_all(Particles& particles, Quantities quantities, Moment now)
{
    Request request = request_of(particles, quantities);
    request.number = now.step;
    request.softening_length = softening(now.time);
    if (!splits_forces())
        return solver_.evaluate(request);
    put_long_range_apart(request);
    ForceStatistics statistics = solver_.evaluate(request);
    BlockLeapfrog::add_long_range(particles); // which are those of the host
    return statistics;
}

void BlockLeapfrog::put_long_range_apart(Request& request)
{
    long_range_.assign(request.count, {});
    request.long_range = LongRangePart::apart;
    request.apart = view_of(std::span(long_range_));
}

double BlockLeapfrog::long_range_factor(Half half) const
{
    const double length = levels_.whole(), middle = begin_ + length / 2;
    return clock_.is_plain()     ? length / 2
           : half == Half::first ? clock_.kick(begin_, middle)
                                 : clock_.kick(middle, begin_ + length);
}

void BlockLeapfrog::kick_by_long_range(Particles& particles, double factor)
{
    const std::size_t n = particles.size();
#pragma omp parallel for if (n > worth_threads) schedule(static)
    for (std::size_t i = 0; i < n; ++i)
        particles.velocity[i] += factor * long_range_[i];
}

void BlockLeapfrog::take_long_range_off(Particles& particles)
{
    const std::size_t n = particles.size();
#pragma omp parallel for if (n > worth_threads) schedule(static)
    for (std::size_t i = 0; i < n; ++i)
        particles.acceleration[i] -= long_range_[i];
}

void BlockLeapfrog::add_long_range(Particles& particles)
{
    const std::size_t n = particles.size();
#pragma omp parallel for if (n > worth_threads) schedule(static)
    for (std::size_t i = 0; i < n; ++i)
        particles.acceleration[i] += long_range_[i];
}

double BlockLeapfrog::sum_of_squared_velocities(const Particles& particles)
{
    return ordered_sum<double>(particles.size(),
                               [&](std::size_t i) { return norm_squared(particles.velocity[i]); });
}

double BlockLeapfrog::longest_for_long_range(const Particles& particles, double now)
{
    constexpr double part = 0.25, short_while = 1. / 1024;
    const double sum = sum_of_squared_velocities(particles),
                 moved = std::sqrt(sum / double(particles.size())) *
                         clock_.drift(now, now + short_while);
    if (!(moved > 0))
        return std::numeric_limits<double>::infinity();
    // A power of two, so that whole steps change by factors of two alone.
    const double split =
        split_radius(with_mesh(forces().periodic, forces().box, particles.size()), forces().box);
    return std::exp2(std::floor(std::log2(short_while * part * split / moved)));
}

} // namespace chamomile
