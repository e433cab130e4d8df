#include "chamomile/initial/cosmology/gaussian_field.hpp"

#include <cmath>
#include <cstdlib>
#include <numbers>

#include "chamomile/core/random.hpp"

namespace chamomile {

std::complex<double> white_noise(const FieldOptions& options, int kx, int ky, int kz)
{
    // Of k and -k, the mode with positive last non-zero component is drawn.
    const bool turned = kz < 0 || (kz == 0 && (ky < 0 || (ky == 0 && kx < 0)));
    const int sign = turned ? -1 : 1;
    const auto word = [&](int k) { return std::uint64_t(sign * k + (1 << 20)); };
    RandomStream random(options.seed, 0x6b, word(kx) << 42 | word(ky) << 21 | word(kz));
    const double amplitude = std::sqrt(-std::log(random.uniform()));
    const double phase = 2 * std::numbers::pi * random.uniform();
    const double radius = (options.fixed ? 1 : amplitude) * (options.paired ? -1 : 1);
    return {radius * std::cos(phase), sign * radius * std::sin(phase)};
}

std::vector<double> rms_of_modes(int n, double side, const LinearPower& power, double factor)
{
    const double unit = 2 * std::numbers::pi / side, volume = side * side * side;
    const std::size_t max = std::size_t((n - 1) / 2);
    std::vector<double> rms(3 * max * max + 1, 0);
#pragma omp parallel for schedule(static)
    for (std::size_t k2 = 1; k2 < rms.size(); ++k2)
        rms[k2] = std::sqrt(factor * power(unit * std::sqrt(double(k2))) / volume);
    return rms;
}

template <class T>
void fill_gaussian_field(Grid<T>& spectrum, int limit, std::span<const double> rms,
                         const FieldOptions& options)
{
    spectrum.for_each_mode([&](int kx, int ky, int kz, std::complex<T>& mode) {
        const bool is_mean = kx == 0 && ky == 0 && kz == 0;
        if (is_mean || std::abs(kx) >= limit || std::abs(ky) >= limit || kz >= limit) {
            mode = 0;
            return;
        }
        mode = std::complex<T>(rms[std::size_t(kx * kx + ky * ky + kz * kz)] *
                               white_noise(options, kx, ky, kz));
    });
}

template void fill_gaussian_field(Grid<double>&, int, std::span<const double>, const FieldOptions&);
template void fill_gaussian_field(Grid<float>&, int, std::span<const double>, const FieldOptions&);

} // namespace chamomile
