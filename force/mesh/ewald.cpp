#include "chamomile/force/mesh/ewald.hpp"

#include <array>
#include <cmath>
#include <complex>

#include "chamomile/core/periodic.hpp"

namespace chamomile {
namespace {

/// For a cube of side 1. Terms beyond these distances and waves are below 1e-17.
constexpr double alpha = 2.6, farthest = 2.5;
constexpr int images = 3, waves = 5, max_waves_squared = 28;
const double two_over_root_pi = 2 / std::sqrt(M_PI);

void add_image(const Vec3<double>& r, EwaldField& field)
{
    const double r2 = dot(r, r);
    if (r2 == 0) { // erf(alpha r) / r remains without the mass itself
        field.potential += alpha * two_over_root_pi;
        return;
    }
    const double d = std::sqrt(r2), u = alpha * d, erfc = std::erfc(u);
    field.potential -= erfc / d;
    field.acceleration -= ((erfc + two_over_root_pi * u * std::exp(-u * u)) / (d * r2)) * r;
}

/// Waves holds exp(2 pi i h x) for h = -waves ... waves.
struct Waves {
    std::complex<double> of[2 * waves + 1];

    explicit Waves(double x)
    {
        const std::complex<double> first = std::polar(1.0, 2 * M_PI * x);
        of[waves] = 1;
        for (int h = 1; h <= waves; ++h) {
            of[waves + h] = of[waves + h - 1] * first;
            of[waves - h] = std::conj(of[waves + h]);
        }
    }
    const std::complex<double>& operator()(int h) const { return of[waves + h]; }
};

/// Returns the weight for a wave plus its opposite, by |h|^2.
const std::array<double, max_waves_squared + 1>& wave_weights()
{
    static const auto weights = [] {
        std::array<double, max_waves_squared + 1> weight{};
        for (int h2 = 1; h2 <= max_waves_squared; ++h2)
            weight[std::size_t(h2)] =
                2 * std::exp(-(M_PI * M_PI / (alpha * alpha)) * h2) / (M_PI * h2);
        return weight;
    }();
    return weights;
}

/// Adds all waves, each with its opposite.
void add_waves(const Vec3<double>& r, EwaldField& field)
{
    const auto& weights = wave_weights();
    const Waves x(r.x), y(r.y), z(r.z);
    for (int i = 0; i <= waves; ++i)
        for (int j = i == 0 ? 0 : -waves; j <= waves; ++j) {
            const std::complex<double> xy = x(i) * y(j);
            for (int k = i == 0 && j == 0 ? 1 : -waves; k <= waves; ++k) {
                const int h2 = i * i + j * j + k * k;
                if (h2 > max_waves_squared)
                    continue;
                const std::complex<double> wave = weights[std::size_t(h2)] * (xy * z(k));
                field.potential -= wave.real();
                field.acceleration -=
                    (2 * M_PI * wave.imag()) * Vec3<double>{double(i), double(j), double(k)};
            }
        }
}

} // namespace

EwaldField ewald_field(const Vec3<double>& r, double side)
{
    const Vec3<double> x = Periodicity{1}.nearest((1 / side) * r);
    EwaldField field{M_PI / (alpha * alpha), {}};
    add_waves(x, field);
    for (int i = -images; i <= images; ++i)
        for (int j = -images; j <= images; ++j)
            for (int k = -images; k <= images; ++k)
                if (const Vec3<double> d = x - Vec3<double>{double(i), double(j), double(k)};
                    dot(d, d) < farthest * farthest)
                    add_image(d, field);
    field.potential = field.potential / side;
    field.acceleration = (1 / (side * side)) * field.acceleration;
    return field;
}

} // namespace chamomile
