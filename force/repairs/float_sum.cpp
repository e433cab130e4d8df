#include "chamomile/force/repairs/float_sum.hpp"

#include <algorithm>
#include <cmath>

namespace chamomile {
namespace {

constexpr std::size_t lanes = 16; // targets side by side

struct Lanes {
    float x[lanes] = {}, y[lanes] = {}, z[lanes] = {};
};

} // namespace

std::vector<Vec3<double>> float_sum(const Particles& particles, double eps, std::size_t bag)
{
    const std::size_t n = particles.size();
    std::vector<Vec3<float>> position;
    std::vector<float> mass;
    for (std::size_t j = 0; j < n; ++j) {
        const Vec3<double>& x = particles.position[j];
        position.push_back({float(x.x), float(x.y), float(x.z)});
        mass.push_back(float(particles.mass[j]));
    }
    const float eps2 = float(eps * eps);
    std::vector<Vec3<double>> sums(n);
#pragma omp parallel for schedule(dynamic, 4)
    for (std::size_t first = 0; first < n; first += lanes) {
        Lanes target, backup;
        for (std::size_t k = 0; k < lanes; ++k) {
            const Vec3<float>& x = position[std::min(first + k, n - 1)];
            target.x[k] = x.x;
            target.y[k] = x.y;
            target.z[k] = x.z;
        }
        for (std::size_t begin = 0; begin < n; begin += bag) {
            Lanes current;
            for (std::size_t j = begin; j < std::min(begin + bag, n); ++j)
#pragma omp simd
                for (std::size_t k = 0; k < lanes; ++k) {
                    const float x = position[j].x - target.x[k], y = position[j].y - target.y[k],
                                z = position[j].z - target.z[k];
                    const float r2 = x * x + y * y + z * z, u2 = r2 + eps2;
                    const float over_u = 1 / std::sqrt(u2 > 0 ? u2 : 1.0f);
                    const float m_over_u3 = r2 > 0 ? mass[j] * over_u * over_u * over_u : 0.0f;
                    current.x[k] += m_over_u3 * x;
                    current.y[k] += m_over_u3 * y;
                    current.z[k] += m_over_u3 * z;
                }
            for (std::size_t k = 0; k < lanes; ++k) {
                backup.x[k] += current.x[k];
                backup.y[k] += current.y[k];
                backup.z[k] += current.z[k];
            }
        }
        for (std::size_t k = 0; k < lanes && first + k < n; ++k)
            sums[first + k] = {backup.x[k], backup.y[k], backup.z[k]};
    }
    return sums;
}

} // namespace chamomile
