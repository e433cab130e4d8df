#include "chamomile/force/repairs/singular_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <tuple>

#include "chamomile/core/error.hpp"
#include "chamomile/core/threads.hpp"
#include "chamomile/force/gpu.hpp"
#include "chamomile/force/lists/strided_io.hpp"
#include "chamomile/force/reference_sum.hpp"

namespace chamomile {
namespace {

bool is_finite(const Vec3<double>& a, double potential)
{
    return std::isfinite(a.x + a.y + a.z + potential);
}

/// Returns whether the particles have ids. In particles made by a program they may never have been
/// set.
bool have_ids(const Particles& particles)
{
    return particles.id.size() == particles.size() &&
           std::any_of(particles.id.begin(), particles.id.end(), [](auto id) { return id != 0; });
}

/// Returns "particle with id 7", or without ids "particle 7", counted from 0.
std::string name_of(const Particles& particles, std::size_t i)
{
    return have_ids(particles) ? "particle with id " + std::to_string(particles.id[i])
                               : "particle " + item(i);
}

std::string names_of(const Particles& particles, std::size_t i, std::size_t j)
{
    if (j < i)
        std::swap(i, j);
    if (have_ids(particles) && particles.id[i] != particles.id[j])
        return "particles with ids " + std::to_string(particles.id[i]) + " and " +
               std::to_string(particles.id[j]);
    return "particles " + item(i) + " and " + item(j);
}

} // namespace

Particles particles_of(const Request& request)
{
    Particles particles;
    particles.resize(request.count);
    for (std::size_t i = 0; i < request.count; ++i) {
        particles.position[i] = request.position.load_vector(i);
        particles.mass[i] = request.mass.load(i);
    }
    if (request.softening)
        particles.softening =
            cut_softenings(request.softening, request.count, request.softening_length);
    if (!request.id.empty())
        particles.id.assign(request.id.begin(), request.id.end());
    return particles;
}

std::vector<double> cut_softenings(const ArrayView& softening, std::size_t n,
                                   std::optional<double> max, std::size_t first, const char* word)
{
    if (softening.on_device)
        throw Error(Fault::usage, "softening lengths: must be on the host");
    std::vector<double> lengths(n);
    for (std::size_t i = 0; i < n; ++i) {
        const double length = softening.load(i);
        if (!(length >= 0 && std::isfinite(length)))
            throw Error(Fault::input, std::string(word) + " " + item(first + i) +
                                          ": softening length: " + std::to_string(length) +
                                          ": must be 0 or more");
        lengths[i] = max ? std::min(length, *max) : length;
    }
    return lengths;
}

std::pair<double, double> span_of_softenings(const ArrayView& softening, std::size_t n,
                                             std::optional<double> max, const std::string& device,
                                             std::size_t first)
{
    double min = HUGE_VAL, largest = 0;
    bool are_lengths = true;
    if (softening.on_device) {
        std::tie(min, largest) = span_on_device(first_gpu(device), softening, n);
        are_lengths = min >= 0 && std::isfinite(largest);
    } else {
#pragma omp parallel for if (n > worth_threads) schedule(static) \
    reduction(min : min) reduction(max : largest) reduction(&& : are_lengths)
        for (std::size_t i = 0; i < n; ++i) {
            const double length = softening.load(i);
            are_lengths = are_lengths && length >= 0 && std::isfinite(length);
            min = std::min(min, length);
            largest = std::max(largest, length);
        }
    }
    if (!are_lengths) {
        std::vector<double> lengths = read_rows(softening, n, 1, device);
        cut_softenings(view_of(std::span(lengths)), n, max, first); // throws, naming one
    }
    return {std::min(min, max.value_or(min)), std::min(largest, max.value_or(largest))};
}

SofteningLengths softening_lengths(const ArrayView& own, std::size_t n, std::optional<double> max,
                                   const SolverOptions& options)
{
    if (!own || n == 0)
        return softening_lengths({}, max, options);
    return softening_lengths(span_of_softenings(own, n, max, options.device), max, options);
}

SofteningLengths softening_lengths(std::optional<std::pair<double, double>> own,
                                   std::optional<double> max, const SolverOptions& options)
{
    if (!own)
        return {max.value_or(options.softening.length), {}};
    const double min = std::min(own->first, max.value_or(own->first)),
                 largest = std::min(own->second, max.value_or(own->second));
    if (min < largest)
        return {largest, min};
    const bool sums = options.softening.rule == SofteningRule::root_of_squares;
    return {sums ? std::sqrt(2.0) * largest : largest, {}};
}

void refuse_singular_target(const Particles& particles, Index i, const Softening& softening)
{
    const Vec3<double>& p = particles.position[i];
    char place[120];
    std::snprintf(place, sizeof place, "(%.9g, %.9g, %.9g)", p.x, p.y, p.z);
    const bool own = !particles.softening.empty();
    if (own || softening.length == 0)
        for (std::size_t j = 0; j < particles.size(); ++j)
            if (j != i && particles.position[j] == p &&
                !(own && std::max(particles.softening[i], particles.softening[j]) > 0))
                throw Error(Fault::input, names_of(particles, i, j) + ": position: " + place +
                                              ": coincident particles need a softening > 0");
    throw Error(Fault::numeric,
                name_of(particles, i) + ": acceleration: not finite at position " + place);
}

void repair_singular_targets(Particles& particles, std::span<const Index> singular,
                             const SolverOptions& options, Quantities quantities)
{
    for (std::size_t k = 0; k < singular.size(); ++k) {
        const std::span<const Index> one(&singular[k], 1);
        const ReferenceSums exact =
            reference_sum(particles, one, options.softening, options.gravitational_constant);
        if (!is_finite(exact.acceleration[0], exact.potential[0]))
            refuse_singular_target(particles, singular[k], options.softening);
        particles.acceleration[singular[k]] = exact.acceleration[0];
        if (quantities == Quantities::acceleration_potential)
            particles.potential[singular[k]] = exact.potential[0];
    }
}

double require_masses(const Particles& particles, bool in_cells)
{
    double sum = 0;
    for (std::size_t i = 0; i < particles.size(); ++i) {
        const double m = particles.mass[i];
        const char* wrong = !std::isfinite(m)   ? "must be finite"
                            : in_cells && m < 0 ? "must be 0 or more, or needs {solver} direct"
                                                : nullptr;
        if (wrong)
            throw Error(Fault::input,
                        name_of(particles, i) + ": mass: " + std::to_string(m) + ": " + wrong);
        sum += std::abs(m);
    }
    if (!std::isfinite(sum))
        throw Error(Fault::input, "masses: sum overflows: must be finite");
    return sum;
}

} // namespace chamomile
