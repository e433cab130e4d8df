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

template <class T>
void fill_gaussian_field(Grid<T>& spectrum, double side, const LinearPower& power, double factor,
                         const FieldOptions& options)
{
    const int n = spectrum.side();
    const double unit = 2 * std::numbers::pi / side, volume = side * side * side;
    spectrum.for_each_mode([&](int kx, int ky, int kz, std::complex<T>& mode) {
        const bool is_mean = kx == 0 && ky == 0 && kz == 0;
        if (is_mean || 2 * std::abs(kx) == n || 2 * std::abs(ky) == n || 2 * kz == n) {
            mode = 0;
            return;
        }
        const double k = unit * std::sqrt(double(kx) * kx + double(ky) * ky + double(kz) * kz);
        mode = std::complex<T>(std::sqrt(factor * power(k) / volume) *
                               white_noise(options, kx, ky, kz));
    });
}

template void fill_gaussian_field(Grid<double>&, double, const LinearPower&, double,
                                  const FieldOptions&);
template void fill_gaussian_field(Grid<float>&, double, const LinearPower&, double,
                                  const FieldOptions&);

} // namespace chamomile
