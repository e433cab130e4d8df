#include "mesh/ewald.hpp"

#include <cmath>

#include "core/periodic.hpp"

namespace chamomile {
namespace {

/// In a cube of side 1. With it terms beyond 4 images and 4 waves are below 1e-17.
constexpr double alpha = 2;
constexpr int images = 4, waves = 4;
const double two_over_root_pi = 2 / std::sqrt(M_PI);

void add_image(const Vec3<double>& r, EwaldField& field)
{
    const double r2 = dot(r, r);
    if (r2 == 0) { // erf(alpha r) / r is left where the mass is left out
        field.potential += alpha * two_over_root_pi;
        return;
    }
    const double d = std::sqrt(r2), u = alpha * d, erfc = std::erfc(u);
    field.potential -= erfc / d;
    field.acceleration -= ((erfc + two_over_root_pi * u * std::exp(-u * u)) / (d * r2)) * r;
}

void add_wave(const Vec3<double>& h, const Vec3<double>& r, EwaldField& field)
{
    const double h2 = dot(h, h), phase = 2 * M_PI * dot(h, r);
    const double weight = std::exp(-(M_PI * M_PI / (alpha * alpha)) * h2) / (M_PI * h2);
    field.potential -= weight * std::cos(phase);
    field.acceleration -= (2 * M_PI * weight * std::sin(phase)) * h;
}

} // namespace

EwaldField ewald_field(const Vec3<double>& r, double side)
{
    const Vec3<double> x = Periodicity{1}.nearest((1 / side) * r);
    EwaldField field{M_PI / (alpha * alpha), {}};
    for (int i = -waves; i <= waves; ++i)
        for (int j = -waves; j <= waves; ++j)
            for (int k = -waves; k <= waves; ++k)
                if (const Vec3<double> h{double(i), double(j), double(k)};
                    dot(h, h) > 0 && dot(h, h) <= waves * waves)
                    add_wave(h, x, field);
    for (int i = -images; i <= images; ++i)
        for (int j = -images; j <= images; ++j)
            for (int k = -images; k <= images; ++k)
                if (const Vec3<double> d = x - Vec3<double>{double(i), double(j), double(k)};
                    dot(d, d) < 3.2 * 3.2) // exp(-(alpha 3.2)^2) = 2e-18
                    add_image(d, field);
    field.potential = field.potential / side;
    field.acceleration = (1 / (side * side)) * field.acceleration;
    return field;
}

} // namespace chamomile
