#include "chamomile/initial/cosmology/displacements.hpp"

#include <cmath>
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

/// Sets field to the inverse transform of factor(kx, ky, kz) times the spectrum.
template <class Factor>
void transformed(const Grid<double>& spectrum, SlabFourier<double>& fourier, Grid<double>& field,
                 const Factor& factor)
{
    const int n = spectrum.side();
    const MeshRange planes = spectrum.planes(), rows = spectrum.rows();
    field.reshape(planes, rows);
#pragma omp parallel for collapse(2) schedule(static)
    for (int i = planes.begin; i < planes.end; ++i)
        for (int j = rows.begin; j < rows.end; ++j)
            for (int k = 0; k <= n / 2; ++k)
                field.mode(i, j, k) =
                    factor(wave_number(i, n), wave_number(j, n), k) * spectrum.mode(i, j, k);
    fourier.backward(field);
}

/// Computes phi_,ab at the mesh points.
void second_derivative(const Grid<double>& phi, int a, int b, SlabFourier<double>& fourier,
                       double side, Grid<double>& field)
{
    const double unit = wave_unit(side);
    transformed(phi, fourier, field, [&](int kx, int ky, int kz) {
        const int k[3] = {kx, ky, kz};
        return -unit * unit * k[a] * k[b];
    });
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
    const int n = phi1.side();
    Grid<double> sum = fourier.spectrum(), field = fourier.spectrum(), source = fourier.spectrum();
    second_derivative(phi1, 0, 0, fourier, side, sum);
    second_derivative(phi1, 1, 1, fourier, side, field);
    const auto multiply_and_add = [](double& diagonal, double& next) {
        const double product = diagonal * next;
        diagonal += next;
        next = product;
    };
    at_points(sum, field, multiply_and_add); // sum is now xx + yy, field is xx yy
    source.reshape(field.planes(), field.rows());
    at_points(source, field, [](double& s, double& product) { s = product; });
    second_derivative(phi1, 2, 2, fourier, side, field);
    at_points(sum, field, multiply_and_add); // field is now (xx + yy) zz
    at_points(source, field, [](double& s, double& product) { s += product; });
    for (const auto& [a, b] : {std::pair(0, 1), std::pair(0, 2), std::pair(1, 2)}) {
        second_derivative(phi1, a, b, fourier, side, field);
        at_points(source, field, [](double& s, double& d) { s -= d * d; });
    }
    fourier.forward(source);
    const double points = double(n) * n * n;
    source.for_each_mode([&](int, int, int, std::complex<double>& mode) { mode /= points; });
    solve_poisson(source, side);
    return source;
}

void displacement(const Grid<double>& phi, int axis, SlabFourier<double>& fourier, double side,
                  Grid<double>& field)
{
    const double unit = wave_unit(side);
    const int n = phi.side();
    transformed(phi, fourier, field, [&](int kx, int ky, int kz) {
        const int k[3] = {kx, ky, kz};
        const bool has_no_sign = 2 * std::abs(k[axis]) == n;
        return std::complex<double>(0, has_no_sign ? 0 : -unit * k[axis]);
    });
}

} // namespace chamomile
