#include "chamomile/initial/cosmology/displacements.hpp"

#include <cmath>
#include <complex>
#include <cstdlib>
#include <numbers>

namespace chamomile {
namespace {

double wave_unit(double side)
{
    return 2 * std::numbers::pi / side;
}

/// Calls combine(one, other) with the values of two meshes at this rank's points.
template <class Combine>
void at_points(Grid<double>& one, Grid<double>& other, const Combine& combine)
{
    const int n = one.side();
    const MeshRange planes = one.planes();
#pragma omp parallel for collapse(2) schedule(static)
    for (int i = planes.begin; i < planes.end; ++i)
        for (int j = 0; j < n; ++j)
            for (int k = 0; k < n; ++k)
                combine(one(i, j, k), other(i, j, k));
}

/// Sets `half` to the spectrum of factor(kx, ky, kz) phi at this rank's planes.
template <class Factor>
void to_planes(const Grid<double>& phi, SlabFourier<double>& fourier, Grid<double>& half,
               const Factor& factor)
{
    const int n = phi.side();
    const MeshRange planes = phi.planes(), rows = phi.rows();
    half.reshape(planes, rows);
#pragma omp parallel for collapse(2) schedule(static)
    for (int i = planes.begin; i < planes.end; ++i)
        for (int j = rows.begin; j < rows.end; ++j)
            for (int k = 0; k <= n / 2; ++k)
                half.mode(i, j, k) =
                    factor(wave_number(i, n), wave_number(j, n), k) * phi.mode(i, j, k);
    fourier.columns_backward(half);
}

/// Sets `field` to the values at the mesh points of factor(ky, kz) times the spectrum at planes.
template <class Factor>
void from_planes(const Grid<double>& half, SlabFourier<double>& fourier, Grid<double>& field,
                 const Factor& factor)
{
    const int n = half.side();
    const MeshRange planes = half.planes();
    field.reshape(planes, half.rows());
#pragma omp parallel for collapse(2) schedule(static)
    for (int i = planes.begin; i < planes.end; ++i)
        for (int j = 0; j < n; ++j)
            for (int k = 0; k <= n / 2; ++k)
                field.mode(i, j, k) = factor(wave_number(j, n), k) * half.mode(i, j, k);
    fourier.planes_backward(field);
}

} // namespace

void solve_poisson(Grid<double>& spectrum, double side)
{
    const double unit = wave_unit(side);
    spectrum.for_each_mode([&](int kx, int ky, int kz, std::complex<double>& mode) {
        const double k2 = double(kx) * kx + double(ky) * ky + double(kz) * kz;
        mode *= k2 > 0 ? -1 / (unit * unit * k2) : 0;
    });
}

Grid<double> second_order_potential(const Grid<double>& phi1, SlabFourier<double>& fourier,
                                    double side)
{
    using Mode = std::complex<double>;
    const int n = phi1.side();
    const double unit = wave_unit(side);
    Grid<double> half = fourier.spectrum(), sum = fourier.spectrum(), field = fourier.spectrum(),
                 source = fourier.spectrum();
    const auto set_field = [&](const auto& factor) { from_planes(half, fourier, field, factor); };
    const auto multiply_and_add = [&] { // adds sum times field to the source, and field to the sum
        at_points(sum, field, [](double& diagonal, double& next) {
            const double product = diagonal * next;
            diagonal += next;
            next = product;
        });
        at_points(source, field, [](double& s, double& product) { s += product; });
    };
    const auto subtract_square = [&] {
        at_points(source, field, [](double& s, double& d) { s -= d * d; });
    };
    to_planes(phi1, fourier, sum, [&](int kx, int, int) { return -unit * unit * kx * kx; });
    fourier.planes_backward(sum); // phi_,xx
    source.reshape(sum.planes(), sum.rows());
    to_planes(phi1, fourier, half, [](int, int, int) { return 1.0; });
    set_field([&](int ky, int) { return -unit * unit * ky * ky; });
    multiply_and_add();
    set_field([&](int, int kz) { return -unit * unit * kz * kz; });
    multiply_and_add();
    set_field([&](int ky, int kz) { return -unit * unit * ky * kz; });
    subtract_square();
    to_planes(phi1, fourier, half, [&](int kx, int, int) { return Mode(0, unit * kx); });
    set_field([&](int ky, int) { return Mode(0, unit * ky); });
    subtract_square();
    set_field([&](int, int kz) { return Mode(0, unit * kz); });
    subtract_square();
    fourier.forward(source);
    const double points = double(n) * n * n;
    source.for_each_mode([&](int, int, int, Mode& mode) { mode /= points; });
    solve_poisson(source, side);
    return source;
}

void for_each_displacement(Grid<double>& phi, SlabFourier<double>& fourier, double side,
                           std::optional<Assignment> window,
                           const std::function<void(int axis, const Grid<double>& field)>& take)
{
    const double unit = wave_unit(side);
    const int n = phi.side();
    Grid<double> field = fourier.spectrum();
    if (window)
        phi.for_each_mode([&](int kx, int ky, int kz, std::complex<double>& mode) {
            mode /= assignment_window(*window, kx, ky, kz, n);
        });
    const auto slope = [&](int k) { // -i k
        return std::complex<double>(0, 2 * std::abs(k) == n ? 0 : -unit * k);
    };
    to_planes(phi, fourier, field, [&](int kx, int, int) { return slope(kx); });
    fourier.planes_backward(field);
    take(0, field);
    fourier.columns_backward(phi); // now at planes
    from_planes(phi, fourier, field, [&](int ky, int) { return slope(ky); });
    take(1, field);
    from_planes(phi, fourier, field, [&](int, int kz) { return slope(kz); });
    take(2, field);
}

} // namespace chamomile
