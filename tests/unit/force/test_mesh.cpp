// Fourier transforms and assignment against sums written out.
#include <array>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <thread>

#include <doctest/doctest.h>
#include <omp.h>

#include "chamomile/core/error.hpp"
#include "chamomile/force/mesh/assignment.hpp"
#include "chamomile/force/mesh/fourier.hpp"
#include "tests/unit/clouds.hpp"
#include "tests/unit/within.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("mesh");

namespace {

constexpr Assignment kernels[] = {Assignment::nearest_point, Assignment::cloud_in_cell,
                                  Assignment::triangular, Assignment::piecewise_cubic};

template <class T>
Grid<T> random_grid(int n)
{
    Grid<T> grid(n);
    Random random(5);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            for (int k = 0; k < n; ++k)
                grid(i, j, k) = T(random(-1, 1));
    return grid;
}

template <class T>
bool same_bits(const Grid<T>& a, const Grid<T>& b)
{
    return std::memcmp(a.data(), b.data(), sizeof(T) * a.plane() * std::size_t(a.side())) == 0;
}

/// Top hats convolved p - 1 times, from truncated powers (Schoenberg 1946).
double spline(int p, double x)
{
    if (std::abs(x) >= 0.5 * p)
        return 0;
    double sum = 0, binomial = 1, factorial = 1;
    for (int k = 0; k <= p; ++k) {
        const double y = x + 0.5 * p - k;
        if (y > 0)
            sum += (k % 2 ? -1 : 1) * binomial * std::pow(y, p - 1);
        binomial *= double(p - k) / (k + 1);
    }
    for (int k = 2; k < p; ++k)
        factorial *= k;
    return sum / factorial;
}

/// Returns mass per mesh point by definition, images included.
std::vector<double> shared_mass(const Particles& p, int kernel, double side, int n, double shift)
{
    std::vector<double> mass(std::size_t(n * n * n));
    const auto weight = [&](double x, int point) {
        double w = 0;
        for (int image = -3; image <= 3; ++image)
            w += spline(kernel, x / side * n + shift - point + image * n);
        return w;
    };
    for (std::size_t particle = 0; particle < p.size(); ++particle)
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j)
                for (int k = 0; k < n; ++k)
                    mass[std::size_t((i * n + j) * n + k)] +=
                        p.mass[particle] * weight(p.position[particle].x, i) *
                        weight(p.position[particle].y, j) * weight(p.position[particle].z, k);
    return mass;
}

Grid<double> assigned(const Particles& p, Assignment kernel, double side, int n, double shift = 0)
{
    Grid<double> grid(n);
    MassAssignment(kernel, {side}, n, shift)
        .assign(p.size(), view_of(std::span(p.position)), view_of(std::span(p.mass)), grid);
    return grid;
}

} // namespace

TEST_CASE_TEMPLATE("Fourier transforms match direct sums, also for odd and prime sides", T, float,
                   double)
{
    const double rounding = sizeof(T) == 4 ? 1e-5 : 1e-13;
    for (int n : {2, 3, 8, 13, 30}) {
        CAPTURE(n);
        const Grid<T> field = random_grid<T>(n);
        Grid<T> spectrum = random_grid<T>(n);
        const Fourier<T> fourier(n);
        fourier.forward(spectrum);
        for (const auto& [a, b, c] : {std::array{0, 0, 0}, std::array{1 % n, n - 1, n / 2},
                                      std::array{n / 2, 2 % n, n / 3}}) {
            std::complex<double> sum = 0;
            for (int i = 0; i < n; ++i)
                for (int j = 0; j < n; ++j)
                    for (int k = 0; k < n; ++k)
                        sum += double(field(i, j, k)) *
                               std::polar(1.0, -2 * M_PI * double(a * i + b * j + c * k) / n);
            CHECK(std::abs(sum - std::complex<double>(spectrum.mode(a, b, c))) <
                  rounding * n * n * n);
        }
        fourier.backward(spectrum);
        double worst = 0;
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j)
                for (int k = 0; k < n; ++k)
                    worst = std::max(worst, std::abs(double(spectrum(i, j, k)) / (n * n * n) -
                                                     double(field(i, j, k))));
        CHECK(worst < rounding);
    }
}

TEST_CASE("Fourier transforms match bitwise for any number of threads")
{
    const int all = omp_get_max_threads();
    for (int n : {31, 64}) {
        Grid<double> once = random_grid<double>(n);
        Grid<float> single = random_grid<float>(n);
        for (int threads = 1; threads <= 4; ++threads) {
            omp_set_num_threads(threads);
            Grid<double> grid = random_grid<double>(n);
            Grid<float> floats = random_grid<float>(n);
            const Fourier<double> fourier(n);
            const Fourier<float> in_float(n);
            fourier.forward(grid);
            if (threads == 1)
                fourier.forward(once);
            if (threads == 1)
                in_float.forward(single);
            in_float.forward(floats);
            CHECK(same_bits(once, grid));
            CHECK(same_bits(single, floats));
        }
    }
    omp_set_num_threads(all);
}

TEST_CASE("several threads can make plans at once")
{
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([] {
            for (int n = 8; n < 24; ++n) {
                Fourier<double> fourier(n);
                Grid<double> grid(n);
                fourier.forward(grid);
            }
        });
    for (std::thread& thread : threads)
        thread.join();
    CHECK_THROWS_WITH_AS(Fourier<double>(1), "mesh: 1: must be 2 to 32768", Error);
}

TEST_CASE("grid modes carry signed wave numbers")
{
    Grid<double> grid(6);
    grid.for_each_mode(
        [](int kx, int ky, int kz, std::complex<double>& mode) { mode = 100 * kx + 10 * ky + kz; });
    CHECK(grid.mode(3, 4, 2).real() == 300 - 20 + 2);
    CHECK(grid.mode(5, 0, 3).real() == -100 + 3);
}

TEST_CASE("mass assignment convolves with top hats, at any shift and for tiny meshes")
{
    Particles p = moved(uniform_cube(40), 7.5, {-2, 3, 0});
    p.position.push_back({7.5, -7.5, 15});
    p.position.push_back({0, std::nextafter(7.5, 0.0), -1e-18});
    p.mass.resize(42, 0.7);
    for (Assignment kernel : kernels)
        for (int n : {4, 5, 12, 33})
            for (double shift : {0.0, 0.45, -0.25}) {
                CAPTURE(int(kernel));
                CAPTURE(n);
                CAPTURE(shift);
                const Grid<double> grid = assigned(p, kernel, 7.5, n, shift);
                if (n == 33 && shift != 0.45)
                    continue;
                const auto expected = shared_mass(p, int(kernel), 7.5, n, shift);
                double worst = 0, sum = 0;
                for (int i = 0; i < n; ++i)
                    for (int j = 0; j < n; ++j)
                        for (int k = 0; k < n; ++k) {
                            sum += grid(i, j, k);
                            worst = std::max(worst,
                                             std::abs(grid(i, j, k) -
                                                      expected[std::size_t((i * n + j) * n + k)]));
                        }
                CHECK(worst < 1e-14);
                CHECK(sum == within(1e-14, 2.4)); // 40 / 40 + 2 * 0.7
            }
}

TEST_CASE("the assignment window is the Fourier transform of the cloud")
{
    // The squared window summed over aliases has a closed form (Jing 2005, eq. 20), here for CIC.
    const int n = 16;
    for (int k : {1, 3, 8}) {
        const double s = std::sin(M_PI * k / n);
        double aliased = 0; // squared CIC window: 1 - 2/3 sin^2
        for (int m = -200; m <= 200; ++m)
            aliased +=
                std::pow(assignment_window(Assignment::cloud_in_cell, k + m * n, 0, 0, n), 2);
        CHECK(aliased == within(1e-7, 1 - 2 * s * s / 3));
    }
    CHECK(assignment_window(Assignment::triangular, 0, 0, 0, n) == 1);
    CHECK(assignment_window(Assignment::piecewise_cubic, 2, -3, 1, n) ==
          within(1e-14, std::pow(assignment_window(Assignment::nearest_point, -2, 3, 1, n), 4)));
}

TEST_CASE("translation by whole cells moves the mesh without changing a bit")
{
    const int n = 32;
    for (Assignment kernel : kernels) {
        // Positions with 30 bits make the translation exact.
        Particles exact = uniform_cube(2000);
        for (Vec3<double>& x : exact.position)
            x = {std::floor(x.x * 0x1p30) * 0x1p-30, std::floor(x.y * 0x1p30) * 0x1p-30,
                 std::floor(x.z * 0x1p30) * 0x1p-30};
        const Grid<double> before = assigned(exact, kernel, 1, n);
        // Translated by two columns, so each point keeps its summation order.
        const Grid<double> after = assigned(moved(exact, 1, {0.5, -1.5, -3.09375}), kernel, 1, n);
        bool same = true;
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j)
                for (int k = 0; k < n; ++k)
                    same =
                        same && before(i, j, k) == after((i + 16) % n, (j + 16) % n, (k + 29) % n);
        CHECK(same);
    }
}

TEST_CASE("mass assignment is bitwise equal for any number of threads")
{
    const int all = omp_get_max_threads();
    Particles p = plummer(30000); // mostly in few columns
    for (Assignment kernel : kernels) {
        omp_set_num_threads(1);
        const Grid<double> once = assigned(p, kernel, 16, 64);
        for (int threads = 2; threads <= 4; ++threads) {
            omp_set_num_threads(threads);
            CHECK(same_bits(once, assigned(p, kernel, 16, 64)));
        }
    }
    omp_set_num_threads(all);
}

TEST_CASE("interpolation is the adjoint of assignment")
{
    const int n = 12;
    const Grid<double> field = random_grid<double>(n);
    const Particles p = moved(uniform_cube(500), 3, {});
    for (Assignment kernel : kernels) {
        MassAssignment assignment(kernel, {3}, n, 0.5);
        Grid<double> grid(n);
        assignment.assign(p.size(), view_of(std::span(p.position)), view_of(std::span(p.mass)),
                          grid);
        std::vector<double> value(p.size());
        assignment.interpolate(field, p.size(), view_of(std::span(p.position)), value);
        double of_points = 0, of_particles = 0;
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j)
                for (int k = 0; k < n; ++k)
                    of_points += grid(i, j, k) * field(i, j, k);
        for (std::size_t i = 0; i < p.size(); ++i)
            of_particles += p.mass[i] * value[i];
        CHECK(std::abs(of_points - of_particles) < 1e-14);
    }
}

TEST_CASE("mass assignment refuses invalid input with an error line")
{
    Particles p = uniform_cube(20);
    p.position[7].y = std::numeric_limits<double>::quiet_NaN();
    p.mass[11] = std::numeric_limits<double>::infinity();
    CHECK_THROWS_WITH_AS(assigned(p, Assignment::triangular, 1, 8),
                         "particle 7: position and mass: must be finite", Error);
    CHECK_THROWS_WITH_AS(MassAssignment(Assignment::triangular, {}, 8),
                         "box: 0.000000: must be above 0", Error);
    CHECK_THROWS_WITH_AS(MassAssignment(Assignment::triangular, {1}, 3),
                         "mesh: 3: must be 4 to 32768", Error);
}

TEST_SUITE_END();
