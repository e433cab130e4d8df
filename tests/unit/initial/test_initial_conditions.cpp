// Random fields, Lagrangian perturbation theory, and the resulting particles.
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <numbers>

#include <doctest/doctest.h>

#include "chamomile/core/error.hpp"
#include "chamomile/core/periodic.hpp"
#include "chamomile/force/threads.hpp"
#include "chamomile/initial/cosmology/displacements.hpp"
#include "chamomile/initial/cosmology/glass.hpp"
#include "chamomile/initial/cosmology/initial_conditions.hpp"
#include "chamomile/initial/cosmology/initial_plan.hpp"
#include "tests/unit/error_line.hpp"
#include "tests/unit/planck_power.hpp"
#include "tests/unit/within.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("initial_conditions");

namespace {

using std::numbers::pi;
constexpr double G = 43.0071; // Mpc, 1e10 Msun, km/s

InitialConditionsOptions small_box()
{
    InitialConditionsOptions options;
    options.power = planck();
    options.particles = 16;
    return options;
}

/// Returns the field -d phi / d axis for a potential given at points in a cube of side 2 pi.
template <class Potential>
Grid<double> spectrum_of(int n, SlabFourier<double>& fourier, const Potential& potential)
{
    Grid<double> grid(n);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            for (int k = 0; k < n; ++k)
                grid(i, j, k) = potential(2 * pi * i / n, 2 * pi * j / n, 2 * pi * k / n);
    fourier.forward(grid);
    grid.for_each_mode(
        [&](int, int, int, std::complex<double>& mode) { mode /= double(n) * n * n; });
    return grid;
}

} // namespace

TEST_CASE("Gaussian fields are real and share large scales with coarser meshes")
{
    const LinearPower power(planck());
    Grid<double> coarse(16), fine(32);
    for (Grid<double>* grid : {&coarse, &fine})
        fill_gaussian_field(*grid, grid->side() / 2, rms_of_modes(grid->side(), 100, power, 1),
                            {.seed = 7});
    for (int i = -7; i <= 7; ++i)
        for (int j = -7; j <= 7; ++j)
            for (int k = 0; k <= 7; ++k) {
                const auto of = [&](Grid<double>& grid) {
                    const int n = grid.side();
                    return grid.mode((i + n) % n, (j + n) % n, k);
                };
                CHECK(of(coarse) == of(fine));
            }
    Grid<double> same(32);
    std::memcpy(same.data(), fine.data(), sizeof(double) * fine.plane() * 32);
    const Fourier<double> fourier(32);
    fourier.backward(same);
    fourier.forward(same);
    double worst = 0, largest = 0;
    for (int i = 0; i < 32; ++i)
        for (int j = 0; j < 32; ++j)
            for (int k = 0; k <= 16; ++k) {
                worst = std::max(
                    worst, std::abs(same.mode(i, j, k) / (32. * 32 * 32) - fine.mode(i, j, k)));
                largest = std::max(largest, std::abs(fine.mode(i, j, k)));
            }
    CHECK(worst < 1e-13 * largest);
    CHECK(fine.mode(0, 0, 0) == 0.0);
    CHECK(fine.mode(16, 3, 2) == 0.0);
    CHECK(fine.mode(3, 2, 16) == 0.0);
}

TEST_CASE("random amplitudes match spectrum and exponential spread; fixed amplitudes are exact")
{
    const LinearPower power(planck());
    Grid<double> random(48), fixed(48), paired(48);
    const std::vector<double> rms = rms_of_modes(48, 100, power, 0.5);
    fill_gaussian_field(random, 24, rms, {.seed = 3});
    fill_gaussian_field(fixed, 24, rms, {.seed = 3, .fixed = true});
    fill_gaussian_field(paired, 24, rms, {.seed = 3, .paired = true});
    double sum = 0, squares = 0, count = 0;
    std::complex<double> squared_sum = 0;
    for (int i = 0; i < 48; ++i)
        for (int j = 0; j < 48; ++j)
            for (int k = 1; k < 24; ++k) {
                if (i == 24 || j == 24)
                    continue;
                const double kx = wave_number(i, 48), ky = wave_number(j, 48);
                const double wave = 2 * pi / 100 * std::sqrt(kx * kx + ky * ky + double(k) * k);
                const double mean = 0.5 * power(wave) / 1e6;
                const std::complex<double> mode = random.mode(i, j, k) / std::sqrt(mean);
                sum += std::norm(mode);
                squares += std::norm(mode) * std::norm(mode);
                squared_sum += mode * mode;
                ++count;
                CHECK(std::norm(fixed.mode(i, j, k)) == within(1e-12, mean));
                CHECK(std::abs(std::arg(fixed.mode(i, j, k) / random.mode(i, j, k))) < 1e-12);
                CHECK(paired.mode(i, j, k) == -random.mode(i, j, k));
            }
    CHECK(std::abs(sum / count - 1) < 4 / std::sqrt(count));
    CHECK(std::abs(squares / count - 2) < 4 * std::sqrt(20 / count)); // for exp(-x): <x^4> - 4 = 20
    CHECK(std::abs(squared_sum) / count < 4 / std::sqrt(count));      // phases everywhere
}

TEST_CASE("second-order displacements match theory for two waves and vanish for a single wave")
{
    constexpr int n = 16;
    const double A = 0.03, k = 1, side = 2 * pi;
    SlabFourier<double> fourier(n, nullptr);
    SecondOrder found =
        second_order(spectrum_of(n, fourier,
                                 [&](double x, double y, double) {
                                     return -A / k * (std::cos(k * x) + std::cos(k * y));
                                 }),
                     fourier, side);
    const auto compare = [&](PlaneSpectra spectra, const auto& exact) {
        Vec3<double> worst{};
        Displacement displacement(std::move(spectra), fourier, side, {0, n});
        Grid<double>& field = displacement.mesh();
        for (int axis = 0; axis < 3; ++axis) {
            displacement.fill(axis, field);
            for (int i = 0; i < n; ++i)
                for (int j = 0; j < n; ++j)
                    for (int l = 0; l < n; ++l) {
                        const Vec3<double> place =
                                               2 * pi / n * Vec3<double>{1. * i, 1. * j, 1. * l},
                                           there = exact(place);
                        double& of_axis = axis == 0 ? worst.x : axis == 1 ? worst.y : worst.z;
                        const double value = axis == 0 ? there.x : axis == 1 ? there.y : there.z;
                        of_axis = std::max(of_axis, std::abs(field(i, j, l) - value));
                    }
        }
        CHECK(worst.x < 1e-12 * A);
        CHECK(worst.y < 1e-12 * A);
        CHECK(worst.z < 1e-12 * A);
    };
    compare(std::move(found.phi1), [&](const Vec3<double>& x) {
        return Vec3<double>{-A * std::sin(k * x.x), -A * std::sin(k * x.y), 0};
    });
    const double half = A * A * k / 2; // the displacement is 3/7 of it, -(3/14) A^2 k
    const auto compare_second = [&](Grid<double> phi2, const auto& exact) {
        compare(at_planes(std::move(phi2), fourier, side), exact);
    };
    compare_second(std::move(found.phi2), [&](const Vec3<double>& x) {
        return Vec3<double>{-half * std::sin(k * x.x) * std::cos(k * x.y),
                            -half * std::cos(k * x.x) * std::sin(k * x.y), 0};
    });
    Grid<double> in_x_and_z = spectrum_of(n, fourier, [&](double x, double, double z) {
        return -A / k * (std::cos(k * x) + std::cos(k * z));
    });
    compare_second(second_order(std::move(in_x_and_z), fourier, side).phi2,
                   [&](const Vec3<double>& x) {
                       return Vec3<double>{-half * std::sin(k * x.x) * std::cos(k * x.z), 0,
                                           -half * std::cos(k * x.x) * std::sin(k * x.z)};
                   });

    for (double phase : {0.0, 0.4}) {
        Grid<double> wave = spectrum_of(n, fourier, [&](double x, double y, double z) {
            return A * std::cos(2 * x + y - 3 * z + phase);
        });
        compare_second(second_order(std::move(wave), fourier, side).phi2,
                       [](const Vec3<double>&) { return Vec3<double>{}; });
    }
}

TEST_CASE("initial particles match lattice, masses, growth and velocities")
{
    InitialConditionsOptions options = small_box();
    options.order = 1;
    const Background& b = options.power.background;
    const Particles at49 = make_initial_conditions(options, G);
    REQUIRE(at49.size() == 4096);
    options.redshift = 9;
    const Particles at9 = make_initial_conditions(options, G);
    options.order = 2;
    const Particles second = make_initial_conditions(options, G);

    const Periodicity box{100};
    const Growth g49 = growth(b, 0.02), g9 = growth(b, 0.1);
    double mass = 0, displaced = 0, corrected = 0;
    Vec3<double> mean{};
    for (std::size_t p = 0; p < 4096; ++p) {
        const Vec3<double> q{6.25 * double(p / 256), 6.25 * double(p / 16 % 16),
                             6.25 * double(p % 16)};
        const Vec3<double> psi49 = box.nearest(at49.position[p] - q),
                           psi9 = box.nearest(at9.position[p] - q);
        CHECK(norm(psi9 - (g9.D1 / g49.D1) * psi49) < 1e-11);
        const double H = 100 * b.expansion(0.02); // a dx/dt = a H f1 psi
        CHECK(norm(at49.velocity[p] - 0.02 * H * g49.f1 * psi49) < 1e-10);
        const Vec3<double> psi2 = box.nearest(second.position[p] - at9.position[p]);
        const double H9 = 100 * b.expansion(0.1);
        CHECK(norm(second.velocity[p] - at9.velocity[p] - 0.1 * H9 * g9.f2 * psi2) < 1e-10);
        CHECK(at49.id[p] == p + 1);
        mass += at49.mass[p];
        displaced += norm_squared(psi9);
        corrected += norm_squared(psi2);
        mean += psi9;
    }
    CHECK(mass == within(1e-12, 0.3089 * 3e4 / (8 * pi * G) * 1e6));
    CHECK(norm(mean) < 1e-8);
    // The second order is small relative to the first, but present.
    CHECK(corrected < 0.01 * displaced);
    CHECK(corrected > 1e-6 * displaced);
    // In linear theory psi^2 = sum of P / (V k^2) over modes.
    const LinearPower power(options.power);
    double expected = 0;
    for (int i = -7; i <= 7; ++i)
        for (int j = -7; j <= 7; ++j)
            for (int k = -7; k <= 7; ++k)
                if (const double m = 4 * pi * pi / 1e4 * (i * i + j * j + k * k); m > 0)
                    expected += power(std::sqrt(m)) / 1e6 / m;
    expected *= std::pow(g9.D1 / growth(b, 1).D1, 2);
    CHECK(displaced / 4096 == within(0.5, expected)); // dominated by a few large modes
    options.order = 1;
    options.field.fixed = true;
    double fixed = 0;
    const Particles ruled = make_initial_conditions(options, G);
    for (std::size_t p = 0; p < 4096; ++p)
        fixed += norm_squared(box.nearest(
            ruled.position[p] - Vec3<double>{6.25 * double(p / 256), 6.25 * double(p / 16 % 16),
                                             6.25 * double(p % 16)}));
    CHECK(fixed / 4096 == within(1e-10, expected));
}

TEST_CASE("initial conditions match bitwise for any number of threads and vary with the seed")
{
    InitialConditionsOptions options = small_box();
    const int before = thread_count();
    use_threads(1);
    const Particles one = make_initial_conditions(options, G);
    use_threads(3);
    const Particles three = make_initial_conditions(options, G);
    use_threads(before);
    CHECK(std::memcmp(one.position.data(), three.position.data(), 4096 * 24) == 0);
    CHECK(std::memcmp(one.velocity.data(), three.velocity.data(), 4096 * 24) == 0);
    options.field.seed = 2;
    CHECK(norm(make_initial_conditions(options, G).position[5] - one.position[5]) > 1e-3);
}

TEST_CASE("a glass has less large-scale power than random points and carries equal waves")
{
    const std::vector<Vec3<double>> glass = make_glass(8);
    REQUIRE(glass.size() == 512);
    double power = 0;
    int modes = 0;
    for (int i = -2; i <= 2; ++i)
        for (int j = -2; j <= 2; ++j)
            for (int k = 1; k <= 2; ++k) {
                std::complex<double> sum = 0;
                for (const Vec3<double>& x : glass)
                    sum += std::polar(1., -2 * pi * (i * x.x + j * x.y + k * x.z));
                power += std::norm(sum) / 512; // 1 in the mean for random points
                ++modes;
            }
    CAPTURE(power / modes);
    CHECK(power / modes < 1e-4);

    InitialConditionsOptions options = small_box();
    options.particles = 32;
    options.order = 1;
    options.side = 400;
    const Particles grid = make_initial_conditions(options, G);
    options.load = ParticleLoad::glass;
    options.glass = 8;
    const Particles loose = make_initial_conditions(options, G);
    REQUIRE(loose.size() == grid.size());
    // A glass particle's velocity equals the grid's field there, summed over its waves.
    const std::vector<Vec3<double>> q = tiled_glass(make_glass(8), 4, 400, 0, 32 * 32 * 32);
    const LinearPower linear(options.power);
    const Background& b = options.power.background;
    const Growth start = growth(b, 0.02);
    const double factor = std::pow(start.D1 / growth(b, 1).D1, 2);
    double worst = 0, largest = 0;
    for (std::size_t p : {std::size_t(0), std::size_t(1234), std::size_t(32767)}) {
        double psi = 0;
        for (int i = -15; i <= 15; ++i)
            for (int j = -15; j <= 15; ++j)
                for (int k = -15; k <= 15; ++k) {
                    const double m = i * i + j * j + k * k, unit = 2 * pi / 400;
                    if (m == 0)
                        continue;
                    const std::complex<double> delta =
                        std::sqrt(factor * linear(unit * std::sqrt(m)) / 6.4e7) *
                        white_noise(options.field, i, j, k);
                    const double phase = unit * (i * q[p].x + j * q[p].y + k * q[p].z);
                    psi += std::real(delta * std::complex<double>(0, i / (m * unit)) *
                                     std::polar(1., phase));
                }
        const double speed = 0.02 * 100 * b.expansion(0.02) * start.f1;
        worst = std::max(worst, std::abs(loose.velocity[p].x - speed * psi));
        largest = std::max(largest, std::abs(speed * psi));
    }
    CHECK(worst < 0.02 * largest);
}

TEST_CASE("invalid initial conditions are refused")
{
    const auto refused = [](const auto& change) {
        InitialConditionsOptions options = small_box();
        change(options);
        CHECK_THROWS_AS(make_initial_conditions(options, G), Error);
    };
    refused([](auto& o) { o.particles = 15; });
    refused([](auto& o) { o.side = 0; });
    refused([](auto& o) { o.redshift = -1; });
    refused([](auto& o) { o.order = 3; });
    refused([](auto& o) {
        o.load = ParticleLoad::glass;
        o.glass = 6;
    });
    refused([](auto& o) { o.power.sigma8 = -1; });
    refused([](auto& o) { o.power.background.omega_matter = 0; });
    InitialConditionsOptions large = small_box();
    large.particles = 1626;
    const auto planned = [&](int ranks) { plan_initial_conditions(large, G, ranks); };
    CHECK(error_line([&] { planned(1); }, Fault::usage) ==
          "particles along a side: 1626: 4298942376 particles: must be below 2^32 on each rank");
    CHECK(error_line([&] { planned(2); }) == "");
    large.particles = 10002;
    CHECK(error_line([&] { planned(1000); }, Fault::usage) ==
          "particles along a side: 10002: must be an even number from 2 to 10000");
}
