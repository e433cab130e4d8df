#include "chamomile/initial/cosmology/linear_power.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "chamomile/core/cosmology/growth.hpp"
#include "chamomile/core/cosmology/quadrature.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/core/number_text.hpp"
#include "chamomile/initial/cosmology/power_table.hpp"

namespace chamomile {
namespace {

using std::numbers::pi;
constexpr double pivot = 0.05; // 1/Mpc
/// Less than 1 % of sigma(8) comes from outside this range in k (h/Mpc).
constexpr double min_needed = 0.01, max_needed = 1;
constexpr double min_flat = 2e-4 * (1 + 1e-6); ///< below this k, T = 1 within 4e-4

/// Returns the Fourier transform of a sphere of volume 1; x = k radius.
double top_hat(double x)
{
    if (x < 0.01)
        return 1 - x * x / 10;
    return 3 * (std::sin(x) - x * std::cos(x)) / (x * x * x);
}

/// Returns the second derivatives of a natural cubic spline through y(x) (Press et al. 2007, 3.3).
std::vector<double> spline(const std::vector<double>& x, const std::vector<double>& y)
{
    const std::size_t n = x.size();
    std::vector<double> second(n, 0), u(n, 0);
    for (std::size_t i = 1; i + 1 < n; ++i) {
        const double part = (x[i] - x[i - 1]) / (x[i + 1] - x[i - 1]), p = part * second[i - 1] + 2;
        second[i] = (part - 1) / p;
        const double bend =
            (y[i + 1] - y[i]) / (x[i + 1] - x[i]) - (y[i] - y[i - 1]) / (x[i] - x[i - 1]);
        u[i] = (6 * bend / (x[i + 1] - x[i - 1]) - part * u[i - 1]) / p;
    }
    for (std::size_t i = n - 1; i-- > 0;)
        second[i] = second[i] * second[i + 1] + u[i];
    return second;
}

} // namespace

LinearPower::LinearPower(const PowerOptions& options) : options_(options)
{
    const auto refuse = [](const char* name, double value, const char* requirement) {
        throw Error(Fault::usage,
                    std::string(name) + ": " + number_text(value) + ": " + requirement);
    };
    if (!std::isfinite(options.spectral_index))
        refuse("n-s", options.spectral_index, "must be finite");
    if (options.sigma8 && !(*options.sigma8 > 0))
        refuse("sigma8", *options.sigma8, "must be > 0");
    if (options.primordial && !(*options.primordial > 0))
        refuse("A-s", *options.primordial, "must be > 0");
    if (options.sigma8 && options.primordial)
        throw Error(Fault::usage, "sigma8 and A-s: give one of the two");
    const bool is_power = options.transfer == TransferKind::power_table;
    if (is_power && options.primordial)
        throw Error(Fault::usage, "A-s: contradicts the table of the power spectrum; give sigma8");
    if (is_power || options.transfer == TransferKind::transfer_table) {
        for (const PowerTableRow& row : read_power_table(
                 options.table, is_power ? PowerColumn::second : PowerColumn::matter)) {
            log_k_.push_back(std::log(row.k));
            log_value_.push_back(std::log(row.value));
        }
        second_ = spline(log_k_, log_value_);
        min_k_ = std::exp(log_k_.front());
        max_k_ = std::exp(log_k_.back());
        if (min_k_ > min_needed * (1 + 1e-6) || max_k_ < max_needed * (1 - 1e-6))
            throw Error(Fault::input, options.table.string() + ": k from " +
                                          std::to_string(min_k_) + " to " + std::to_string(max_k_) +
                                          " h/Mpc: must reach from 0.01 to 1 at least");
        constexpr double step = 0.2; // wider than the effect of rounding in a table
        const double end = log_k_.back();
        last_slope_ = std::log(tabled(end) / tabled(end - step)) / step;
        const double excess = last_slope_ - (options.spectral_index - 4); // 2 / ln(c k)
        if (!(excess < 2))
            throw Error(Fault::input, options.table.string() + ": P goes as k^" +
                                          std::to_string(last_slope_) +
                                          " at its end: must fall faster than 1/k");
        last_logarithm_ = excess > 0.05 ? 2 / excess + step / 2 : 0;
        if (options.primordial && min_k_ > min_flat)
            throw Error(Fault::input, options.table.string() + ": k from " +
                                          std::to_string(min_k_) +
                                          " h/Mpc: must begin at 0.0002 for A-s, where T is 1");
    } else {
        fit_.emplace(options.background, options.omega_baryon, options.temperature);
        min_k_ = 1e-5;
        max_k_ = 1e5;
    }
    if (options.primordial) {
        // delta = 2/5 (k c/H0)^2 / Omega_m T D1 R, with the comoving curvature R (Dodelson 2003,
        // 7.1).
        const Background& b = options.background;
        const double D1 = growth(b, 1).D1;
        scale_ = 4. / 25 * std::pow(hubble_distance, 4) / (b.omega_matter * b.omega_matter) * D1 *
                 D1 * 2 * pi * pi * *options.primordial *
                 std::pow(b.hubble / pivot, options.spectral_index - 1);
    } else if (options.sigma8 || !is_power) {
        const double factor = options.sigma8.value_or(0.811) / sigma(8);
        scale_ = factor * factor;
    }
}

double LinearPower::shape(double k) const
{
    if (fit_) {
        const bool smooth = options_.transfer == TransferKind::no_wiggle;
        const double T = smooth ? fit_->smooth(k) : (*fit_)(k);
        return std::pow(k, options_.spectral_index) * T * T;
    }
    const double log_k = std::log(k);
    return log_k < log_k_.front() || log_k > log_k_.back() ? beyond(log_k) : tabled(log_k);
}

/// Returns P(k) outside the range of a table.
double LinearPower::beyond(double log_k) const
{
    const double n = options_.spectral_index;
    if (log_k < log_k_.front())
        return tabled(log_k_.front()) * std::exp(n * (log_k - log_k_.front()));
    const double end = tabled(log_k_.back()), farther = log_k - log_k_.back();
    if (last_logarithm_ == 0)
        return end * std::exp(last_slope_ * farther);
    const double growth = 1 + farther / last_logarithm_;
    return end * std::exp((n - 4) * farther) * growth * growth;
}

double LinearPower::tabled(double x) const
{
    const auto after = std::upper_bound(log_k_.begin() + 1, log_k_.end() - 1, x);
    const std::size_t i = std::size_t(after - log_k_.begin());
    const double h = log_k_[i] - log_k_[i - 1], t = (x - log_k_[i - 1]) / h, s = 1 - t;
    const double value =
        std::exp(s * log_value_[i - 1] + t * log_value_[i] +
                 ((s * s * s - s) * second_[i - 1] + (t * t * t - t) * second_[i]) * h * h / 6);
    if (options_.transfer == TransferKind::power_table)
        return value;
    return std::exp(options_.spectral_index * x) * value * value;
}

double LinearPower::operator()(double k) const
{
    return k > 0 ? scale_ * shape(k) : 0;
}

double LinearPower::sigma(double radius) const
{
    const auto rate = [&](double x) {
        const double k = std::exp(x), W = top_hat(k * radius);
        return k * k * k * (*this)(k) / (2 * pi * pi) * W * W;
    };
    return std::sqrt(integral(rate, std::log(1e-5), std::log(800 / radius), 0.02));
}

} // namespace chamomile
