#include "chamomile/integrate/integrator.hpp"

#include <algorithm>
#include <cmath>

#include "chamomile/core/error.hpp"
#include "chamomile/core/files/archive.hpp"
#include "chamomile/core/ranks/rank_subset.hpp"
#include "chamomile/core/threads.hpp"
#include "chamomile/integrate/light_cone.hpp"

namespace chamomile {

namespace {

/// Returns the lowest number(i) of a value that is not finite; `none` if all are finite.
template <class Number>
std::uint64_t first_not_finite(std::span<const Vec3<double>> values, std::uint64_t none,
                               const Number& number)
{
    std::uint64_t found = none;
#pragma omp parallel for if (values.size() > worth_threads) schedule(static) reduction(min : found)
    for (std::size_t i = 0; i < values.size(); ++i) {
        const Vec3<double>& v = values[i];
        if (!(std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z)))
            found = std::min<std::uint64_t>(found, number(i));
    }
    return found;
}

} // namespace

SampledErrors Integrator::sample_errors(Particles& particles, std::size_t targets,
                                        Quantities quantities, double time)
{
    fetch(particles);
    Communicator alone;
    return sampled_errors(forces(), clock().softening(time, forces().softening.length), particles,
                          targets, quantities, {field(), time}, ranks() ? *ranks() : alone);
}

void Integrator::record_passages(double)
{
    throw Error(Fault::usage, "{encounters}: needs {integrator} hermite");
}

void Integrator::record_crossings(LightCone)
{
    throw Error(Fault::usage, "{light-cone}: needs {integrator} leapfrog");
}

std::vector<Crossing> Integrator::take_crossings()
{
    return {};
}

void require_finite(const Particles& particles, std::span<const Vec3<double>> values,
                    const char* what, Moment now, std::size_t first)
{
    const std::size_t n = values.size(),
                      found = first_not_finite(values, n, [](std::size_t i) { return i; });
    if (found < n)
        throw Error(Fault::numeric,
                    "particle id " + std::to_string(particles.id[first + found]) + ": " + what +
                        ": not finite in step " + std::to_string(now.step) + ", t = " +
                        std::to_string(now.time) + "; try a shorter step or more softening");
}

void Integrator::after_blocks(std::uint64_t, BlockObserver)
{
    throw Error(Fault::usage, "needs individual steps, not hierarchical, of a single rank");
}

void require_finite(const Particles& particles, const RankSubset& part,
                    std::span<const Vec3<double>> values, const char* what, Moment now)
{
    const std::uint64_t own =
        first_not_finite(values, part.count, [&](std::size_t i) { return part.number_of(i); });
    double first = double(own); // exact below 2^53
    part.ranks.min(std::span(&first, 1));
    part.ranks.run_and_agree([&] {
        for (std::size_t i = 0; own < part.count && own == std::uint64_t(first); ++i)
            if (part.number_of(i) == own)
                require_finite(particles, values.subspan(i, 1), what, now, i);
    });
}

} // namespace chamomile
