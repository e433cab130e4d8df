// P(k) by meshes against sums over particles mode by mode, Poisson's noise, folding, interlacing.
#include <algorithm>
#include <cmath>
#include <complex>

#include <doctest/doctest.h>
#include <omp.h>

#include "chamomile/analysis/power_spectrum.hpp"
#include "chamomile/core/error.hpp"
#include "tests/unit/clouds.hpp"
#include "tests/unit/within.hpp"

using namespace chamomile;
using tests::Random;

TEST_SUITE_BEGIN("power_spectrum");

namespace {

/// Returns clumps with unequal masses in a cube with side `side`.
Particles clumped(std::size_t n, double side, std::uint64_t seed)
{
    Random random(seed);
    Particles p;
    p.resize(n);
    Vec3<double> center;
    for (std::size_t i = 0; i < n; ++i) {
        if (i % 10 == 0)
            center = {random(0, side), random(0, side), random(0, side)};
        p.mass[i] = random(0.5, 1.5);
        p.position[i] = center + tests::on_sphere(random, 0.02 * side * random());
    }
    return p;
}

Particles poisson(std::size_t n, std::uint64_t seed)
{
    return tests::cloud(n, seed, [](Random& random) {
        return Vec3<double>{random(), random(), random()};
    });
}

PowerSpectrum measured(const Particles& p, double side, const PowerSpectrumOptions& options)
{
    return power_spectrum(p.size(), view_of(std::span(p.position)), view_of(std::span(p.mass)),
                          {side}, options);
}

/// Mean of side^3 |delta_k|^2 over modes in a bin that are multiples of `step`, from sums over
/// particles, with shot noise.
struct DirectBin {
    double power = 0, k = 0;
    std::uint64_t modes = 0;
};

DirectBin direct(const Particles& p, double side, const PowerBin& bin, int step)
{
    const double fundamental = 2 * M_PI / side;
    const int max = int(bin.high / fundamental) + 1;
    double total = 0;
    for (double m : p.mass)
        total += m;
    DirectBin sum;
    for (int x = -max / step * step; x <= max; x += step)
        for (int y = -max / step * step; y <= max; y += step)
            for (int z = -max / step * step; z <= max; z += step) {
                const double k = fundamental * std::hypot(x, y, z);
                if (k < bin.low || k >= bin.high)
                    continue;
                ++sum.modes;
                sum.k += k;
                if (x < 0 || (x == 0 && (y < 0 || (y == 0 && z < 0))))
                    continue; // the conjugate
                std::complex<double> mode;
                for (std::size_t i = 0; i < p.size(); ++i)
                    mode += std::polar(p.mass[i],
                                       -fundamental * (x * p.position[i].x + y * p.position[i].y +
                                                       z * p.position[i].z));
                sum.power += 2 * side * side * side * std::norm(mode) / (total * total);
            }
    sum.power /= double(sum.modes);
    sum.k /= double(sum.modes);
    return sum;
}

} // namespace

TEST_CASE("power bins match means over modes summed particle by particle")
{
    for (double side : {1.0, 250.0}) {
        const Particles p = clumped(400, side, 1);
        const PowerSpectrum spectrum = measured(p, side, {.mesh = 64});
        double squares = 0, total = 0;
        for (double m : p.mass) {
            squares += m * m;
            total += m;
        }
        CHECK(spectrum.shot_noise == within(1e-12, side * side * side * squares / total / total));
        CHECK(spectrum.nyquist == within(1e-14, 64 * M_PI / side));
        REQUIRE(spectrum.bins.size() > 10);
        CHECK(spectrum.bins[0].low == within(1e-14, M_PI / side));
        for (std::size_t b = 0; spectrum.bins[b].high < 0.25 * spectrum.nyquist; ++b) {
            const PowerBin& bin = spectrum.bins[b];
            const DirectBin reference = direct(p, side, bin, 1);
            CHECK(bin.modes == reference.modes);
            CHECK(bin.k == within(1e-12, reference.k));
            CHECK(bin.power == within(1e-5, reference.power - spectrum.shot_noise));
            CHECK(bin.total == within(1e-5, reference.power));
            CHECK(bin.error == within(1e-5, reference.power * std::sqrt(2 / double(bin.modes))));
        }
    }
}

TEST_CASE("a plane wave has the power of its amplitude for any assignment")
{
    // Masses 1 + a cos(k x) on a lattice: |delta_k| = a / 2 in two modes, zero up to far larger k.
    constexpr int side = 32;
    Particles p;
    p.resize(side * side * side);
    for (int i = 0; i < side * side * side; ++i) {
        const Vec3<double> x{(i / side / side + 0.31) / side, (i / side % side + 0.77) / side,
                             (i % side + 0.05) / side};
        p.position[std::size_t(i)] = x;
        p.mass[std::size_t(i)] = 1 + 0.01 * std::cos(2 * M_PI * (2 * x.x - x.y + x.z) + 0.4);
    }
    for (Assignment kernel :
         {Assignment::cloud_in_cell, Assignment::triangular, Assignment::piecewise_cubic})
        for (Interlacing interlacing : {Interlacing::none, Interlacing::two_meshes}) {
            CAPTURE(int(kernel));
            CAPTURE(int(interlacing));
            const PowerSpectrum spectrum = measured(p, 1,
                                                    {.mesh = side,
                                                     .kernel = kernel,
                                                     .interlacing = interlacing,
                                                     .bins = PowerBins::linear});
            const PowerBin& bin = spectrum.bins[1]; // 1.5 <= k < 2.5 in 2 pi / side
            const double power = (bin.power + spectrum.shot_noise) * double(bin.modes);
            const bool is_interlaced = interlacing == Interlacing::two_meshes;
            const double error = kernel != Assignment::cloud_in_cell ? 1e-3
                                 : is_interlaced                     ? 4e-3
                                                                     : 2e-2;
            CHECK(power == within(error, 2 * 0.005 * 0.005));
        }
}

TEST_CASE("shot noise is subtracted up to the Nyquist wave number")
{
    const Particles p = poisson(40000, 3);
    for (Assignment kernel : {Assignment::nearest_point, Assignment::cloud_in_cell,
                              Assignment::triangular, Assignment::piecewise_cubic})
        for (Interlacing interlacing : {Interlacing::none, Interlacing::two_meshes}) {
            CAPTURE(int(kernel));
            CAPTURE(int(interlacing));
            const PowerSpectrum spectrum = measured(
                p, 1,
                {.mesh = 64, .kernel = kernel, .interlacing = interlacing, .bins_per_decade = 6});
            CHECK(spectrum.shot_noise == within(1e-10, 1.0 / 40000));
            for (const PowerBin& bin : spectrum.bins)
                CHECK(std::abs(bin.power) <
                      4 * spectrum.shot_noise * std::sqrt(2 / double(bin.modes)) +
                          0.003 * spectrum.shot_noise);
            CHECK(spectrum.bins.back().high == within(1e-12, spectrum.nyquist));
        }
}

TEST_CASE("interlacing removes aliases")
{
    // Max errors in bins between half and nine tenths of the Nyquist wave number.
    const Particles p = clumped(60, 1, 5);
    const auto worst = [&](Assignment kernel, Interlacing interlacing) {
        const PowerSpectrum spectrum = measured(
            p, 1,
            {.mesh = 24, .kernel = kernel, .interlacing = interlacing, .bins = PowerBins::linear});
        double error = 0;
        for (const PowerBin& bin : spectrum.bins)
            if (bin.low > 0.5 * spectrum.nyquist && bin.high < 0.9 * spectrum.nyquist) {
                const double reference = direct(p, 1, bin, 1).power;
                error = std::max(error,
                                 std::abs(bin.power + spectrum.shot_noise - reference) / reference);
            }
        return error;
    };
    const double cic = worst(Assignment::cloud_in_cell, Interlacing::none);
    const double tsc = worst(Assignment::triangular, Interlacing::none);
    const double pcs = worst(Assignment::piecewise_cubic, Interlacing::none);
    const double cic2 = worst(Assignment::cloud_in_cell, Interlacing::two_meshes);
    const double tsc2 = worst(Assignment::triangular, Interlacing::two_meshes);
    const double pcs2 = worst(Assignment::piecewise_cubic, Interlacing::two_meshes);
    CHECK(cic2 < 0.3 * cic);
    CHECK(tsc2 < 0.15 * tsc);
    CHECK(pcs2 < 0.1 * pcs);
    CHECK(tsc2 < 3e-3);
    CHECK(pcs2 < 1e-3);
}

TEST_CASE("a folded box contains the modes shared with the full box")
{
    const Particles p = clumped(300, 8, 7);
    const PowerSpectrum spectrum = measured(p, 8, {.mesh = 32, .foldings = 2, .fold_factor = 2});
    int bins[3] = {};
    for (const PowerBin& bin : spectrum.bins) {
        ++bins[bin.folding];
        const int step = 1 << bin.folding;
        CHECK((bin.folding == 2 || bin.high <= 0.75 * step * spectrum.nyquist * (1 + 1e-12)));
        if (bin.high > 0.5 * step * spectrum.nyquist)
            continue;
        const DirectBin reference = direct(p, 8, bin, step);
        CHECK(bin.modes == reference.modes);
        CHECK(bin.k == within(1e-12, reference.k));
        CHECK(bin.power == within(1e-3, reference.power - spectrum.shot_noise));
    }
    CHECK(std::min({bins[0], bins[1], bins[2]}) > 2);
    for (std::size_t b = 1; b < spectrum.bins.size(); ++b)
        CHECK(spectrum.bins[b].low >= spectrum.bins[b - 1].high);
    CHECK(spectrum.bins.back().high > 3.5 * spectrum.nyquist);
}

TEST_CASE("a fine mesh and a folded box agree within their errors")
{
    const Particles p = clumped(20000, 1, 9);
    const PowerSpectrum fine = measured(p, 1, {.mesh = 128});
    const PowerSpectrum folded = measured(p, 1, {.mesh = 32, .foldings = 1, .fold_factor = 4});
    int compared = 0;
    for (const PowerBin& bin : folded.bins)
        for (const PowerBin& same : fine.bins)
            if (bin.folding == 1 && same.low == bin.low && same.high < 0.7 * fine.nyquist) {
                ++compared;
                CHECK(std::abs(bin.power - same.power) < 4 * bin.error);
            }
    CHECK(compared > 8);
}

TEST_CASE("spectra match bitwise for any number of threads and for periodic images")
{
    Particles p = clumped(10000, 1, 11);
    const int threads = omp_get_max_threads();
    const auto powers = [&](int t) {
        omp_set_num_threads(t);
        std::vector<double> values;
        for (const PowerBin& bin : measured(p, 1, {.mesh = 32, .foldings = 1}).bins)
            values.push_back(bin.power);
        return values;
    };
    const auto one = powers(1);
    CHECK(powers(2) == one);
    CHECK(powers(5) == one);
    omp_set_num_threads(threads);
    for (Vec3<double>& x : p.position)
        x = x + Vec3<double>{2, -3, 0};
    const auto moved = powers(threads);
    for (std::size_t b = 0; b < one.size(); ++b)
        CHECK(moved[b] == doctest::Approx(one[b]).epsilon(1e-9));
}

TEST_CASE("invalid measurements are refused")
{
    Particles p = poisson(10, 1);
    CHECK_THROWS_AS(measured(p, 0, {}), Error);
    CHECK_THROWS_AS(measured(p, 1, {.mesh = 31}), Error);
    CHECK_THROWS_AS(measured(p, 1, {.mesh = 16, .foldings = 9}), Error);
    CHECK_THROWS_AS(measured(p, 1, {.mesh = 16, .fold_factor = 1}), Error);
    CHECK_THROWS_AS(measured(p, 1, {.mesh = 16, .bins_per_decade = 0}), Error);
    p.mass.assign(10, 0);
    CHECK_THROWS_AS(measured(p, 1, {.mesh = 16}), Error);
    p.mass.assign(10, 1);
    p.position[3].y = NAN;
    CHECK_THROWS_AS(measured(p, 1, {.mesh = 16}), Error);
}

TEST_SUITE_END();
