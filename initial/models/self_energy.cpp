#include "chamomile/initial/models/self_energy.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <parallel/algorithm>

#include "chamomile/core/parallel_loop.hpp"

namespace chamomile {
namespace {

constexpr int lanes = 8;

/// Columns holds coordinates and masses in separate arrays, padded to a multiple of `lanes` with
/// zero masses far away.
struct Columns {
    std::vector<double> x, y, z, mass;

    explicit Columns(const Particles& particles)
    {
        const std::size_t n = particles.size(), padded = (n + lanes - 1) / lanes * lanes;
        double extent = 1;
        for (const Vec3<double>& r : particles.position)
            extent = std::max({extent, std::abs(r.x), std::abs(r.y), std::abs(r.z)});
        x.assign(padded, 4 * extent);
        y = z = x;
        mass.assign(padded, 0);
        for (std::size_t i = 0; i < n; ++i) {
            x[i] = particles.position[i].x;
            y[i] = particles.position[i].y;
            z[i] = particles.position[i].z;
            mass[i] = particles.mass[i];
        }
    }
};

/// Returns the sum of m_j / r_j about the point r0 over j in [first, last), a multiple of `lanes`
/// entries. Explicit lanes make the order of summation independent of the vector length.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&                             \
    !defined(__SANITIZE_ADDRESS__)
__attribute__((target_clones("default", "avx2", "avx512f")))
#endif
double
row_sum(const Columns& columns, Vec3<double> r0, std::size_t first, std::size_t last)
{
    const double *x = columns.x.data(), *y = columns.y.data(), *z = columns.z.data();
    const double* mass = columns.mass.data();
    double sums[lanes] = {};
    for (std::size_t j = first; j < last; j += lanes)
#pragma omp simd
        for (int k = 0; k < lanes; ++k) {
            const double dx = x[j + k] - r0.x, dy = y[j + k] - r0.y, dz = z[j + k] - r0.z;
            sums[k] += mass[j + k] / std::sqrt(dx * dx + dy * dy + dz * dz);
        }
    return ((sums[0] + sums[1]) + (sums[2] + sums[3])) +
           ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

} // namespace

void move_to_barycenter(Particles& particles)
{
    for (std::vector<Vec3<double>>* vectors : {&particles.position, &particles.velocity})
        for (int pass = 0; pass < 2; ++pass) { // the second removes rounding
            double mass = 0;
            Vec3<double> sum;
            for (std::size_t i = 0; i < particles.size(); ++i) {
                mass += particles.mass[i];
                sum += particles.mass[i] * (*vectors)[i];
            }
            const Vec3<double> mean = (1 / mass) * sum;
            for (Vec3<double>& vector : *vectors)
                vector -= mean;
        }
}

double kinetic_energy(const Particles& particles)
{
    double sum = 0;
    for (std::size_t i = 0; i < particles.size(); ++i)
        sum += 0.5 * particles.mass[i] * norm_squared(particles.velocity[i]);
    return sum;
}

double pair_energy(const Particles& particles)
{
    const Columns columns(particles);
    const std::size_t n = particles.size(), padded = columns.x.size();
    std::vector<double> rows(n);
    parallel_loop(n, 64, [&](std::size_t i) {
        const Vec3<double> r = particles.position[i];
        const std::size_t next = i / lanes * lanes + lanes;
        double sum = row_sum(columns, r, next, padded);
        for (std::size_t j = i + 1; j < std::min(next, n); ++j)
            sum += particles.mass[j] / norm(particles.position[j] - r);
        rows[i] = particles.mass[i] * sum;
    });
    return -std::accumulate(rows.begin(), rows.end(), 0.0);
}

double shell_energy(const Particles& particles)
{
    std::vector<std::pair<double, double>> shells(particles.size()); // radius, mass
#pragma omp parallel for
    for (std::size_t i = 0; i < particles.size(); ++i)
        shells[i] = {norm(particles.position[i]), particles.mass[i]};
    __gnu_parallel::sort(shells.begin(), shells.end());
    double inside = 0, sum = 0;
    for (const auto& [radius, mass] : shells) {
        if (inside > 0)
            sum += mass * inside / radius;
        inside += mass;
    }
    return -sum;
}

} // namespace chamomile
