#include "chamomile/initial/models/king_model.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace chamomile {
namespace {

constexpr double first = 1e-3, step = 0.002; // steps in radius and in its logarithm

/// Returns (2 / sqrt(pi)) sum over k >= min of 2^k w^(k + 1/2) / (2 k + 1)!!: the series of
/// exp(w) erf(sqrt(w)) without its first `min` terms.
double remainder(double w, int min)
{
    double term = 2 * std::sqrt(std::max(w, 0.0) / std::numbers::pi), sum = 0;
    for (int k = 0; k < 200; ++k) {
        if (k >= min)
            sum += term;
        term *= 2 * w / (2 * k + 3);
        if (k >= min && term < 1e-17 * sum)
            break;
    }
    return sum;
}

/// Returns the density at depth w in arbitrary units: exp(w) erf(sqrt(w)) - sqrt(4 w / pi) (1 + 2 w
/// / 3).
double density_at(double w)
{
    return remainder(w, 2);
}

/// Returns d density_at / dw = exp(w) erf(sqrt(w)) - sqrt(4 w / pi).
double derivative_at(double w)
{
    return remainder(w, 1);
}

} // namespace

KingModel::KingModel(double w0) : w0_(w0), central_(density_at(w0))
{
    // With y = ln r and F = -r dW/dr: dW/dy = -F, dF/dy = 9 r^2 rho / rho_0 - F. Fourth-order
    // Runge-Kutta, starting from the series at the center.
    double w = w0 - 1.5 * first * first, fall = 3 * first * first;
    double y = std::log(first);
    const auto rate = [&](double at, double w_at, double fall_at) {
        return 9 * std::exp(2 * at) * density_at(w_at) / central_ - fall_at;
    };
    while (w > 0) {
        depth_.push_back(w);
        fall_.push_back(fall);
        const double a = rate(y, w, fall);
        const double w1 = w - 0.5 * step * fall, f1 = fall + 0.5 * step * a;
        const double b = rate(y + 0.5 * step, w1, f1);
        const double w2 = w - 0.5 * step * f1, f2 = fall + 0.5 * step * b;
        const double c = rate(y + 0.5 * step, w2, f2);
        const double w3 = w - step * f2, f3 = fall + step * c;
        const double d = rate(y + step, w3, f3);
        w -= step / 6 * (fall + 2 * f1 + 2 * f2 + f3);
        fall += step / 6 * (a + 2 * b + 2 * c + d);
        y += step;
    }
    // The last step holds negligible mass: W falls as for a point mass, F r = constant.
    last_ = first * std::exp(step * double(depth_.size() - 1));
    tidal_radius_ = last_ / (1 - depth_.back() / fall_.back());
    // M(r) / (4 pi r_0^3 rho_0) = F r / 9
    scale_ = 9 / (4 * std::numbers::pi * last_ * fall_.back() * central_);
}

KingModel::State KingModel::at(double r) const
{
    if (r >= tidal_radius_)
        return {0, 0};
    if (r <= first)
        return {w0_ - 1.5 * r * r, 3 * r * r};
    const double place = std::log(r / first) / step;
    const auto k = std::size_t(place);
    if (k + 1 >= depth_.size()) { // beyond the last step
        const double fall = fall_.back() * last_ / r;
        return {std::max(0.0, depth_.back() - fall_.back() + fall), fall};
    }
    // Cubic Hermite interpolation, with dF/dy as in the constructor.
    const double t = place - double(k), u = 1 - t;
    const auto cubic = [&](double low, double high, double low_rate, double high_rate) {
        return u * u * (1 + 2 * t) * low + t * t * (3 - 2 * t) * high +
               step * t * u * (u * low_rate - t * high_rate);
    };
    const auto rate = [&](std::size_t at) {
        const double radius = first * std::exp(step * double(at));
        return 9 * radius * radius * density_at(depth_[at]) / central_ - fall_[at];
    };
    return {cubic(depth_[k], depth_[k + 1], -fall_[k], -fall_[k + 1]),
            cubic(fall_[k], fall_[k + 1], rate(k), rate(k + 1))};
}

double KingModel::density(double r) const
{
    return scale_ * density_at(at(r).depth);
}

double KingModel::slope(double r) const
{
    const State state = at(r);
    return -scale_ * derivative_at(state.depth) * state.fall / r;
}

} // namespace chamomile
