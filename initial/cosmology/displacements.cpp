#include "chamomile/initial/cosmology/displacements.hpp"

#include <cmath>
#include <complex>
#include <cstdlib>
#include <numbers>
#include <optional>
#include <utility>

namespace chamomile {
namespace {

double wave_unit(double side)
{
    return 2 * std::numbers::pi / side;
}

/// Returns the factor of a derivative, -i k.
std::complex<double> slope(int k, int n, double unit)
{
    return {0, 2 * std::abs(k) == n ? 0 : -unit * k};
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

/// Sets `field` to the values at its mesh points of factor(ky, kz) times the spectrum at planes.
template <class Factor>
void from_planes(const Grid<double>& half, SlabFourier<double>& fourier, Grid<double>& field,
                 const Factor& factor)
{
    const int n = half.side();
    const MeshRange planes = field.planes();
#pragma omp parallel for collapse(2) schedule(static) if (planes.count() > 1)
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

PlaneSpectra at_planes(Grid<double> phi, SlabFourier<double>& fourier, double side)
{
    const int n = phi.side();
    const double unit = wave_unit(side);
    PlaneSpectra spectra{std::move(phi), fourier.spectrum()};
    to_planes(spectra.phi, fourier, spectra.along_first,
              [&](int kx, int, int) { return slope(kx, n, unit); });
    fourier.columns_backward(spectra.phi);
    return spectra;
}

SecondOrder second_order(Grid<double> phi1, SlabFourier<double>& fourier, double side)
{
    using Mode = std::complex<double>;
    const int n = phi1.side();
    const double unit = wave_unit(side);
    Grid<double> sum = fourier.spectrum();
    to_planes(phi1, fourier, sum, [&](int kx, int, int) { return -unit * unit * kx * kx; });
    PlaneSpectra first = at_planes(std::move(phi1), fourier, side);
    const Grid<double>&phi = first.phi, &along_first = first.along_first;
    const MeshRange planes = sum.planes();
#pragma omp parallel
    {
        Grid<double> field(n, {0, 1}, {0, n}), source(n, {0, 1}, {0, n}); // a plane, in cache
#pragma omp for schedule(static)
        for (int i = planes.begin; i < planes.end; ++i) {
            const auto for_points = [&](const auto& combine) {
                for (int j = 0; j < n; ++j)
                    for (int k = 0; k < n; ++k)
                        combine(sum(i, j, k), field(i, j, k), source(i, j, k));
            };
            const auto add_product = [&](double& diagonal, double& next, double& s) {
                s += diagonal * next;
                diagonal += next;
            };
            const auto subtract_square = [&](double&, double& d, double& s) { s -= d * d; };
            const auto set_field = [&](const Grid<double>& half, const auto& factor) {
                from_planes(half, fourier, field, factor);
            };
            field.reshape({i, i + 1}, {0, n});
            source.reshape({i, i + 1}, {0, n});
            source.fill(0);
            fourier.planes_backward(sum, {i, i + 1}); // phi_,xx
            set_field(phi, [&](int ky, int) { return -unit * unit * ky * ky; });
            for_points(add_product);
            set_field(phi, [&](int, int kz) { return -unit * unit * kz * kz; });
            for_points(add_product);
            set_field(phi, [&](int ky, int kz) { return -unit * unit * ky * kz; });
            for_points(subtract_square);
            set_field(along_first, [&](int ky, int) { return Mode(0, unit * ky); });
            for_points(subtract_square);
            set_field(along_first, [&](int, int kz) { return Mode(0, unit * kz); });
            for_points([](double& result, double& d, double& s) { result = s - d * d; });
        }
    }
    fourier.forward(sum);
    const double points = double(n) * n * n;
    sum.for_each_mode([&](int, int, int, Mode& mode) { mode /= points; });
    solve_poisson(sum, side);
    return {std::move(sum), std::move(first)};
}

Displacement::Displacement(PlaneSpectra spectra, SlabFourier<double>& fourier, double side,
                           MeshRange planes)
    : fourier_(fourier), unit_(wave_unit(side)), spectra_(std::move(spectra))
{
    for (Grid<double>* grid : {&spectra_.along_first, &spectra_.phi}) {
        std::optional<Grid<double>> of_ranks;
        fourier.window(*grid, planes, of_ranks);
        if (of_ranks)
            *grid = std::move(*of_ranks);
    }
}

void Displacement::fill(int axis, Grid<double>& field) const
{
    const int n = field.side();
    if (axis == 0)
        from_planes(spectra_.along_first, fourier_, field, [](int, int) { return 1.0; });
    else
        from_planes(spectra_.phi, fourier_, field,
                    [&](int ky, int kz) { return slope(axis == 1 ? ky : kz, n, unit_); });
}

} // namespace chamomile
