/// \file  Origin and units of a direct sum on the device.
#pragma once

#include <algorithm>

#include "chamomile/core/threads.hpp"
#include "chamomile/force/cancellation.hpp"
#include "chamomile/force/scale.hpp"
#include "chamomile/force/singular_pairs.hpp"

namespace chamomile {

/// What one pass over the particles tells; summed over chunks of fixed size, so that no bit
/// depends on the number of threads.
struct DirectExtent {
    Vec3<double> low{Box::infinity, Box::infinity, Box::infinity}, high = -1.0 * low, sum;
    double mass = 0; // the sum of |m|
    double least_mass = Box::infinity, most_mass = -Box::infinity;
    double probe = 0;   // NaN if a coordinate is not finite
    double squares = 0; // of the masses

    void add(const DirectExtent& e)
    {
        low = {std::min(low.x, e.low.x), std::min(low.y, e.low.y), std::min(low.z, e.low.z)};
        high = {std::max(high.x, e.high.x), std::max(high.y, e.high.y), std::max(high.z, e.high.z)};
        sum += e.sum;
        mass += e.mass;
        least_mass = std::min(least_mass, e.least_mass);
        most_mass = std::max(most_mass, e.most_mass);
        probe += e.probe;
        squares += e.squares;
    }
};

/// Particles as the caller holds them on the host.
struct DirectSources {
    std::span<const Vec3<double>> position;
    std::span<const double> mass;
};

inline DirectExtent extent_of(const DirectSources& sources, std::size_t begin, std::size_t end)
{
    DirectExtent e;
    for (std::size_t i = begin; i < end; ++i) {
        const Vec3<double>& x = sources.position[i];
        const double m = sources.mass[i];
        e.add({x, x, x, std::abs(m), m, m, 0 * (x.x + x.y + x.z), m * m});
    }
    return e;
}

inline DirectExtent extent_of(const DirectSources& sources)
{
    constexpr std::size_t chunk = 2048;
    const std::size_t n = sources.mass.size(), chunks = (n + chunk - 1) / chunk;
    if (chunks <= 1)
        return extent_of(sources, 0, n);
    std::vector<DirectExtent> parts(chunks);
#pragma omp parallel for if (n > worth_threads)
    for (std::size_t c = 0; c < chunks; ++c)
        parts[c] = extent_of(sources, c * chunk, std::min(n, (c + 1) * chunk));
    DirectExtent all;
    for (const DirectExtent& part : parts)
        all.add(part);
    return all;
}

/// From the caller's coordinates and masses to the device's.
struct DirectFrame {
    Vec3<double> origin; ///< that coordinates in float are taken about
    double length = 1, mass = 1;
    bool scaled = false; // whether masses may go into the coordinates
    MassSums masses;     // the caller's

    DirectFrame() = default;
    /// Throws Error(input) for what is not finite, of particles that `named` makes.
    template <class Named>
    DirectFrame(const DirectSources& sources, const Softening& softening, Precision precision,
                const Named& named)
    {
        const DirectExtent e = extent_of(sources);
        if (e.probe != 0)
            bounding_cube(sources.position); // throws
        if (!std::isfinite(e.mass))
            require_masses(named(), false);
        const Vec3<double> size = e.high - e.low;
        const double n = double(sources.mass.size()), side = std::max({size.x, size.y, size.z});
        length = InternalScale::of(side, softening.length, 1).length;
        // Near the mean position, which an outlier does not move far from the others; a multiple
        // of what no order of the sum can change. Doubles are finest where they came from.
        if (precision == Precision::single_precision) {
            const double grid = 0x1p-16 * length;
            const auto rounded = [&](double x) { return grid * std::nearbyint(x / n / grid); };
            origin = {rounded(e.sum.x), rounded(e.sum.y), rounded(e.sum.z)};
        }
        // Equal masses get a root that is exact in float.
        if (e.mass > 0)
            mass = InternalScale::power_of_two_above(e.mass);
        if (e.least_mass == e.most_mass && e.least_mass > 0)
            for (mass = e.most_mass; mass < e.mass;)
                mass *= 4;
        masses = {e.mass, e.squares};
        scaled = softening.kind == SofteningKind::plummer && e.least_mass > 0x1p-60 * mass;
    }
};

} // namespace chamomile
