#include "chamomile/initial/models/exponential_disk.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "chamomile/core/parallel_loop.hpp"
#include "chamomile/initial/models/model.hpp"
#include "chamomile/initial/models/self_energy.hpp"

namespace chamomile {
namespace {

using std::numbers::pi;

constexpr double largest_height = 8; // in scale heights; 2e-7 of the mass lies beyond

double mass_inside(double radius)
{
    return 1 - (1 + radius) * std::exp(-radius);
}

/// Returns the mass within a sphere, as a sum over rings.
double mass_within(const ThinDiskOptions& disk, double radius)
{
    constexpr int rings = 2000;
    const double end = std::min(radius, disk.truncation);
    double mass = 0;
    for (int k = 0; k < rings; ++k) {
        const double R = (k + 0.5) * end / rings;
        mass += R * std::exp(-R) * std::tanh(std::sqrt(radius * radius - R * R) / disk.height);
    }
    return mass * end / rings;
}

double sech_squared(double x)
{
    const double e = std::exp(-2 * std::abs(x));
    return 4 * e / ((1 + e) * (1 + e));
}

/// Returns the overlap of two unit sech^2 profiles at distance s: int sech^2(x) sech^2(x + s) dx /
/// 4.
double overlap(double s)
{
    if (s < 1e-2)
        return 1.0 / 3 - 4 * s * s / 45;
    const double sinh = std::sinh(s);
    return (s / std::tanh(s) - 1) / (sinh * sinh);
}

} // namespace

double thin_disk_circular_speed_squared(double radius)
{
    if (radius <= 0)
        return 0;
    const double y = 0.5 * radius;
    if (y > 100) // Bessel functions overflow; as a point mass, to 4.5 / radius^2
        return 1 / radius;
    return 2 * y * y *
           (std::cyl_bessel_i(0.0, y) * std::cyl_bessel_k(0.0, y) -
            std::cyl_bessel_i(1.0, y) * std::cyl_bessel_k(1.0, y));
}

Vec3<double> draw_disk_position(RandomStream& random, double height, double truncation)
{
    // R exp(-R) is the distribution of the sum of two exponential variates.
    double radius = 0;
    do
        radius = -std::log(random.uniform() * random.uniform());
    while (radius > truncation);
    const double angle = 2 * pi * random.uniform();
    const double z = height * std::atanh(std::tanh(largest_height) * (2 * random.uniform() - 1));
    return {radius * std::cos(angle), radius * std::sin(angle), z};
}

ExponentialDiskField::ExponentialDiskField(double height)
{
    constexpr std::size_t n_radii = 256, n_heights = 40, n_k = 1500, n_s = 801;
    constexpr double dk = 0.04, ds = 0.02;
    for (std::size_t i = 0; i < n_radii; ++i)
        radii_.push_back(12 * std::pow(double(i) / (n_radii - 1), 1.5));
    for (std::size_t j = 0; j < n_heights; ++j)
        heights_.push_back(largest_height * std::pow(double(j) / (n_heights - 1), 2));
    inward_.resize(n_radii);
    downward_.resize(n_radii * n_heights);

    // Averages a wave exp(-k |z|) and its slope at z over the vertical profile, by Simpson's rule
    // over the distance s between source and target.
    std::vector<double> overlaps(n_s), differences(n_s * n_heights);
    for (std::size_t s = 0; s < n_s; ++s) {
        const double distance = ds * double(s);
        const double weight = (s == 0 || s == n_s - 1 ? 1 : s % 2 ? 4 : 2) * ds / 3;
        overlaps[s] = weight * 2 * overlap(distance);
        for (std::size_t j = 0; j < n_heights; ++j)
            differences[s * n_heights + j] =
                weight * 0.5 *
                (sech_squared(heights_[j] - distance) - sech_squared(heights_[j] + distance));
    }
    std::vector<double> averaged(n_k), slope(n_k * n_heights);
    parallel_loop(n_k, 8, [&](std::size_t m) {
        for (std::size_t s = 0; s < n_s; ++s) {
            const double wave = std::exp(-dk * (double(m) + 0.5) * height * ds * double(s));
            averaged[m] += wave * overlaps[s];
            for (std::size_t j = 0; j < n_heights; ++j)
                slope[m * n_heights + j] += wave * differences[s * n_heights + j];
        }
    });
    // 2 pi G times the transform of the surface density is (1 + k^2)^(-3/2).
    parallel_loop(n_radii, 8, [&](std::size_t i) {
        for (std::size_t m = 0; m < n_k; ++m) {
            const double k = dk * (double(m) + 0.5), w = 1 + k * k;
            const double weight = dk * k / (w * std::sqrt(w));
            inward_[i] += weight * ::j1(k * radii_[i]) * averaged[m];
            const double wave = weight * ::j0(k * radii_[i]);
            for (std::size_t j = 0; j < n_heights; ++j)
                downward_[i * n_heights + j] += wave * slope[m * n_heights + j];
        }
    });
}

Snapshot make_thin_disk(const ThinDiskOptions& options)
{
    require(options.height > 0 && std::isfinite(options.height), "height", options.height,
            "must be positive");
    require(options.truncation >= 0.1 && std::isfinite(options.truncation), "truncation",
            options.truncation, "must be at least 0.1");
    Snapshot snapshot =
        equal_mass_snapshot(options.particles, mass_inside(options.truncation), disk_type);
    snapshot.provenance = {{"model", "disk"}, {"seed", std::to_string(options.seed)}};
    Particles& particles = snapshot.particles;
    parallel_loop(particles.size(), 1024, [&](std::size_t i) {
        RandomStream random(options.seed, disk_type, i);
        const Vec3<double> r = draw_disk_position(random, options.height, options.truncation);
        const double radius = norm(Vec3<double>{r.x, r.y, 0});
        const double rate = std::sqrt(thin_disk_circular_speed_squared(radius)) / radius;
        particles.position[i] = r;
        particles.velocity[i] = {-rate * r.y, rate * r.x, 0};
    });
    move_to_barycenter(particles);
    options.size.apply(half_mass_radius_of(mass_inside(options.truncation),
                                           [&](double r) { return mass_within(options, r); }),
                       snapshot);
    return snapshot;
}

} // namespace chamomile
