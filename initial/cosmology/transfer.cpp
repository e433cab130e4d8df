#include "chamomile/initial/cosmology/transfer.hpp"

#include <cmath>
#include <numbers>
#include <string>

#include "chamomile/core/error.hpp"
#include "chamomile/core/number_text.hpp"

namespace chamomile {
namespace {

using std::pow;
using std::numbers::e;

constexpr double square(double x)
{
    return x * x;
}

/// Returns C of equation 19, with the first term divided by alpha.
double curvature_of(double q, double alpha)
{
    return 14.2 / alpha + 386 / (1 + 69.9 * pow(q, 1.08));
}

} // namespace

EisensteinHu::EisensteinHu(const Background& b, double omega_baryon, double temperature)
    : hubble_(b.hubble), baryon_part_(omega_baryon / b.omega_matter), theta_(temperature / 2.7),
      matter_(b.omega_matter * b.hubble * b.hubble)
{
    if (!(omega_baryon > 0) || !(omega_baryon < b.omega_matter))
        throw Error(Fault::usage,
                    "omega-b: " + number_text(omega_baryon) +
                        ": must be > 0 and below omega-m = " + number_text(b.omega_matter));
    if (!(temperature > 0))
        throw Error(Fault::usage, "temperature: " + number_text(temperature) + ": must be > 0");
    const double m = matter_, baryons = m * baryon_part_, f = baryon_part_;
    const double theta4 = square(square(theta_));
    const double z_equality = 2.5e4 * m / theta4; // eq. 2
    k_equality_ = 0.0746 * m / square(theta_);    // eq. 3
    const double b1 = 0.313 * pow(m, -0.419) * (1 + 0.607 * pow(m, 0.674)),
                 b2 = 0.238 * pow(m, 0.223);
    const double z_drag =
        1291 * pow(m, 0.251) / (1 + 0.659 * pow(m, 0.828)) * (1 + b1 * pow(baryons, b2)); // eq. 4
    const double R_drag = 31.5 * baryons / theta4 * 1000 / z_drag,                        // eq. 5
        R_equality = 31.5 * baryons / theta4 * 1000 / z_equality;
    sound_horizon_ = 2 / (3 * k_equality_) * std::sqrt(6 / R_equality) *
                     std::log((std::sqrt(1 + R_drag) + std::sqrt(R_drag + R_equality)) /
                              (1 + std::sqrt(R_equality)));                         // eq. 6
    k_silk_ = 1.6 * pow(baryons, 0.52) * pow(m, 0.73) * (1 + pow(10.4 * m, -0.95)); // eq. 7

    const double a1 = pow(46.9 * m, 0.67) * (1 + pow(32.1 * m, -0.532)),
                 a2 = pow(12 * m, 0.424) * (1 + pow(45 * m, -0.582));
    alpha_c_ = pow(a1, -f) * pow(a2, -f * f * f); // eq. 11
    const double c1 = 0.944 / (1 + pow(458 * m, -0.708)), c2 = pow(0.395 * m, -0.0266);
    beta_c_ = 1 / (1 + c1 * (pow(1 - f, c2) - 1)); // eq. 12
    const double y = (1 + z_equality) / (1 + z_drag), root = std::sqrt(1 + y);
    const double G = y * (-6 * root + (2 + 3 * y) * std::log((root + 1) / (root - 1)));   // eq. 15
    alpha_b_ = 2.07 * k_equality_ * sound_horizon_ * pow(1 + R_drag, -0.75) * G;          // eq. 14
    beta_node_ = 8.41 * pow(m, 0.435);                                                    // eq. 23
    beta_b_ = 0.5 + f + (3 - 2 * f) * std::sqrt(square(17.2 * m) + 1);                    // eq. 24
    smooth_horizon_ = 44.5 * std::log(9.83 / m) / std::sqrt(1 + 10 * pow(baryons, 0.75)); // eq. 26
    alpha_gamma_ = 1 - 0.328 * std::log(431 * m) * f + 0.38 * std::log(22.3 * m) * f * f; // eq. 31
}

double EisensteinHu::operator()(double k_h) const
{
    const double k = k_h * hubble_, f = baryon_part_;
    if (!(k > 0))
        return 1;
    const double q = k / (13.41 * k_equality_), x = k * sound_horizon_; // eq. 10
    const double tilted = std::log(e + 1.8 * beta_c_ * q), straight = std::log(e + 1.8 * q);
    const double C = curvature_of(q, 1), C_alpha = curvature_of(q, alpha_c_);
    const double part = 1 / (1 + square(square(x / 5.4))); // eq. 18
    const double cold = part * tilted / (tilted + C * q * q) +
                        (1 - part) * tilted / (tilted + C_alpha * q * q); // eq. 17
    const double x_tilde = x / std::cbrt(1 + pow(beta_node_ / x, 3));     // eq. 22
    const double bessel = x_tilde < 1e-4 ? 1 : std::sin(x_tilde) / x_tilde;
    const double baryons = bessel * (straight / (straight + C * q * q) / (1 + square(x / 5.2)) +
                                     alpha_b_ / (1 + pow(beta_b_ / x, 3)) *
                                         std::exp(-pow(k / k_silk_, 1.4))); // eq. 21
    return f * baryons + (1 - f) * cold;
}

double EisensteinHu::smooth(double k_h) const
{
    const double k = k_h * hubble_;
    const double shape =
        alpha_gamma_ +
        (1 - alpha_gamma_) / (1 + square(square(0.43 * k * smooth_horizon_))); // eq. 30
    const double q = k * square(theta_) / (matter_ * shape);                   // eq. 28
    const double L = std::log(2 * e + 1.8 * q), C = 14.2 + 731 / (1 + 62.5 * q);
    return L / (L + C * q * q); // eq. 29
}

} // namespace chamomile
