#include "chamomile/initial/cosmology/halofit.hpp"

#include <cmath>
#include <numbers>

#include "chamomile/core/cosmology/quadrature.hpp"

namespace chamomile {
namespace {

double dimensionless(double k, double power)
{
    return k * k * k * power / (2 * std::numbers::pi * std::numbers::pi);
}

/// Moments holds the integrals over ln k of Delta^2(k) exp(-x^2) times 1, x^2 and x^4; x = k R.
struct Moments {
    double zeroth, second, fourth;
};

Moments moments(const std::function<double(double)>& linear, double radius)
{
    const double from = std::log(1e-4), to = std::log(std::min(1e3, 7 / radius));
    const auto moment = [&](double power) {
        return integral(
            [&](double log_k) {
                const double k = std::exp(log_k), x = k * radius;
                return dimensionless(k, linear(k)) * std::exp(-x * x) * std::pow(x, power);
            },
            from, to, 0.25);
    };
    return {moment(0), moment(2), moment(4)};
}

} // namespace

Halofit::Halofit(std::function<double(double)> linear, const Background& background, double a)
    : linear_(std::move(linear))
{
    double low = std::log(1e-2), high = std::log(1e3); // radii
    if (moments(linear_, std::exp(low)).zeroth < 1)
        return;
    while (high - low > 1e-9) {
        const double middle = 0.5 * (low + high);
        (moments(linear_, std::exp(middle)).zeroth > 1 ? low : high) = middle;
    }
    const double radius = std::exp(low);
    nonlinear_k_ = 1 / radius;

    // At sigma^2 = 1: d ln sigma^2 / d ln R and its derivative (Smith et al. 2003, eq. C7 f.).
    const Moments m = moments(linear_, radius);
    const double slope = -2 * m.second / m.zeroth;
    const double n = -3 - slope;
    const double curvature =
        slope * slope + 4 * m.second / m.zeroth - 4 * m.fourth / m.zeroth; // -d^2 / dlnR^2

    const double matter = background.matter_part(a);
    const double expansion = background.expansion(a);
    const double dark = 1 - matter -
                        background.omega_curvature() / (a * a * expansion * expansion) -
                        background.omega_radiation / std::pow(a, 4) / (expansion * expansion);
    const double w = background.w0 + background.wa * (1 - a);
    const auto power_of_ten = [](double exponent) { return std::pow(10, exponent); };
    a_ = power_of_ten(1.5222 + 2.8553 * n + 2.3706 * n * n + 0.9903 * n * n * n +
                      0.2250 * n * n * n * n - 0.6038 * curvature + 0.1749 * dark * (1 + w));
    b_ = power_of_ten(-0.5642 + 0.5864 * n + 0.5716 * n * n - 1.5474 * curvature +
                      0.2279 * dark * (1 + w));
    c_ = power_of_ten(0.3698 + 2.0404 * n + 0.8161 * n * n + 0.5869 * curvature);
    gamma_ = 0.1971 - 0.0843 * n + 0.8460 * curvature;
    alpha_ = std::abs(6.0835 + 1.3373 * n - 0.1959 * n * n - 5.5274 * curvature);
    beta_ = 2.0379 - 0.7354 * n + 0.3157 * n * n + 1.2490 * n * n * n + 0.3980 * n * n * n * n -
            0.1682 * curvature;
    nu_ = power_of_ten(5.2105 + 3.6902 * n);
    // Exponents interpolated between open and flat universes (Smith et al. 2003, eqs. C17 and C18).
    const double flat = matter < 1 - 1e-6 ? dark / (1 - matter) : 1;
    const auto between = [&](double of_flat, double of_open) {
        return flat * std::pow(matter, of_flat) + (1 - flat) * std::pow(matter, of_open);
    };
    f1_ = between(-0.0307, -0.0732);
    f2_ = between(-0.0585, -0.1423);
    f3_ = between(0.0743, 0.0725);
}

double Halofit::operator()(double k) const
{
    const double linear = linear_(k);
    if (nonlinear_k_ == 0)
        return linear;
    const double y = k / nonlinear_k_, delta = dimensionless(k, linear);
    const double two_halos =
        delta * std::pow(1 + delta, beta_) / (1 + alpha_ * delta) * std::exp(-y / 4 - y * y / 8);
    const double one_halo = a_ * std::pow(y, 3 * f1_) /
                            (1 + b_ * std::pow(y, f2_) + std::pow(c_ * f3_ * y, 3 - gamma_)) /
                            (1 + nu_ / (y * y));
    return linear * (two_halos + one_halo) / delta;
}

} // namespace chamomile
