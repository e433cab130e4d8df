/// \file  Origin and units of a direct sum on the device.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "chamomile/core/threads.hpp"
#include "chamomile/force/repairs/cancellation.hpp"
#include "chamomile/force/repairs/singular_pairs.hpp"
#include "chamomile/force/scale.hpp"

namespace chamomile {

/// A DirectExtent is the result of one pass over the particles. Host and device sum chunks of fixed
/// size by rows of lanes: results are bitwise equal on both, for any number of threads.
struct DirectExtent {
    static constexpr std::size_t lanes = 32, chunk = 32 * lanes; ///< particles

    Vec3<double> low{HUGE_VAL, HUGE_VAL, HUGE_VAL}, high{-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, sum;
    double mass = 0; ///< the sum of |m|
    double min_mass = HUGE_VAL, max_mass = -HUGE_VAL;
    double probe = 0;   ///< NaN if a coordinate is not finite
    double squares = 0; ///< of the masses

    CHAMOMILE_HD void add(const DirectExtent& e)
    {
        low = {smaller(low.x, e.low.x), smaller(low.y, e.low.y), smaller(low.z, e.low.z)};
        high = {larger(high.x, e.high.x), larger(high.y, e.high.y), larger(high.z, e.high.z)};
        sum += e.sum;
        mass += e.mass;
        min_mass = smaller(min_mass, e.min_mass);
        max_mass = larger(max_mass, e.max_mass);
        probe += e.probe;
        squares += e.squares;
    }
    CHAMOMILE_HD void add(const Vec3<double>& x, double m)
    {
        add({x, x, x, fabs(m), m, m, 0 * (x.x + x.y + x.z), m * m});
    }

private:
    CHAMOMILE_HD static double smaller(double a, double b) { return b < a ? b : a; }
    CHAMOMILE_HD static double larger(double a, double b) { return a < b ? b : a; }
};

/// The caller's particles on the host.
struct DirectSources {
    std::span<const Vec3<double>> position;
    std::span<const double> mass;
};

/// Adds the extents of chunks in order.
inline DirectExtent extent_of(std::span<const DirectExtent> chunks)
{
    DirectExtent all;
    for (const DirectExtent& chunk : chunks)
        all.add(chunk);
    return all;
}

inline DirectExtent extent_of(const DirectSources& sources)
{
    constexpr std::size_t chunk = DirectExtent::chunk, lanes = DirectExtent::lanes;
    const std::size_t n = sources.mass.size();
    std::vector<DirectExtent> parts((n + chunk - 1) / chunk);
#pragma omp parallel for if (n > worth_threads)
    for (std::size_t c = 0; c < parts.size(); ++c) {
        DirectExtent lane[lanes];
        for (std::size_t i = c * chunk; i < std::min(n, (c + 1) * chunk); ++i)
            lane[i % lanes].add(sources.position[i], sources.mass[i]);
        for (std::size_t half = lanes / 2; half > 0; half /= 2)
            for (std::size_t l = 0; l < half; ++l)
                lane[l].add(lane[l + half]);
        parts[c] = lane[0];
    }
    return extent_of(parts);
}

/// A DirectFrame converts the caller's coordinates and masses to the device's units.
struct DirectFrame {
    Vec3<double> origin; ///< center of coordinates in float
    double length = 1, mass = 1;
    bool scaled = false; // whether masses may be folded into coordinates
    MassSums masses;     // the caller's

    bool operator==(const DirectFrame&) const = default;

    DirectFrame() = default;
    /// Chooses the frame of n particles. Throws Error(input) for values that are not finite;
    /// `particles` returns the particles to name.
    template <class GetParticles>
    DirectFrame(const DirectExtent& e, std::size_t n, const Softening& softening,
                Precision precision, const GetParticles& particles)
    {
        if (e.probe != 0 || !std::isfinite(e.mass)) {
            const Particles& all = particles();
            bounding_cube(all.position);
            require_masses(all, false);
        }
        const Vec3<double> size = e.high - e.low;
        const double side = std::max({size.x, size.y, size.z});
        length = InternalScale::of(side, softening.length, 1).length;
        // The origin is near the mean position, robust against an outlier, and rounded to a grid
        // coarser than rounding errors of the sum. In double the origin stays 0, where resolution
        // is finest.
        if (precision == Precision::single_precision) {
            const double grid = 0x1p-16 * length;
            const auto rounded = [&](double x) {
                return grid * std::nearbyint(x / double(n) / grid);
            };
            origin = {rounded(e.sum.x), rounded(e.sum.y), rounded(e.sum.z)};
        }
        // Equal masses get a root that is exact in float.
        if (e.mass > 0)
            mass = InternalScale::power_of_two_above(e.mass);
        if (e.min_mass == e.max_mass && e.min_mass > 0)
            for (mass = e.max_mass; mass < e.mass;)
                mass *= 4;
        masses = {e.mass, e.squares};
        scaled = softening.kind == SofteningKind::plummer && e.min_mass > 0x1p-60 * mass;
    }
};

} // namespace chamomile
