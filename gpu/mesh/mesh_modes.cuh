/// \file  Kernels on the modes of a mesh. A thread computes one mode, in double: limited by memory.
#pragma once

#include <cstddef>

#include "chamomile/force/mesh/green_function.hpp"
#include "chamomile/gpu/mesh/device_mesh.cuh"

namespace chamomile {

constexpr int block_of_modes = 256;

inline unsigned blocks_for(std::size_t threads)
{
    return unsigned((threads + block_of_modes - 1) / block_of_modes);
}

/// A complex number.
template <class T>
struct alignas(2 * sizeof(T)) Mode {
    T x, y;
};

/// Multiplies masses by Green's function, and differentiates along the first index unless `first`
/// is null. Spectra have the rows `own` of each plane.
template <class T>
__global__ void __launch_bounds__(block_of_modes)
    multiply_modes(Mode<T>* potential, Mode<T>* first, GreenFunction green, const double* of_rows,
                   int n, MeshRange own)
{
    const std::size_t mode = std::size_t(blockIdx.x) * block_of_modes + threadIdx.x,
                      half = std::size_t(n / 2 + 1), rows = std::size_t(own.end - own.begin);
    if (mode >= std::size_t(n) * rows * half)
        return;
    const int k = int(mode % half), j = own.begin + int(mode / half % rows),
              i = int(mode / (half * rows));
    const double *wave = of_rows, *factor = of_rows + n, *gradient = of_rows + 2 * n;
    const double g = green(wave, factor, gradient, i, j, k);
    const Mode<T> mass = potential[mode];
    const double x = g * double(mass.x), y = g * double(mass.y);
    potential[mode] = {T(x), T(y)};
    if (first) // -i times
        first[mode] = {T(gradient[i] * y), T(-gradient[i] * x)};
}

/// Differentiates along the second (d = 1) or third (2) index, at planes in space along the first:
/// these two components need no transform along it, and on ranks no transposition.
template <class T>
__global__ void __launch_bounds__(block_of_modes)
    differentiate_planes(const Mode<T>* potential, Mode<T>* component, const double* gradient,
                         int n, int planes, int d)
{
    const std::size_t mode = std::size_t(blockIdx.x) * block_of_modes + threadIdx.x,
                      half = std::size_t(n / 2 + 1);
    if (mode >= std::size_t(planes) * std::size_t(n) * half)
        return;
    const Mode<T> of = potential[mode];
    const double slope = gradient[d == 1 ? mode / half % std::size_t(n) : mode % half];
    component[mode] = {T(slope * double(of.y)), T(-slope * double(of.x))}; // -i times
}

/// Adds to the spectrum of Psi that of component d of lambda, or of mu for d = -1.
template <class T>
__global__ void __launch_bounds__(block_of_modes)
    add_dual_modes(const Mode<T>* charge, const MassScale* scale, GreenFunction green,
                   const double* of_rows, int n, int d, Mode<T>* psi)
{
    const std::size_t mode = std::size_t(blockIdx.x) * block_of_modes + threadIdx.x,
                      half = std::size_t(n / 2 + 1);
    if (mode >= std::size_t(n) * std::size_t(n) * half)
        return;
    const int k = int(mode % half), j = int(mode / half % std::size_t(n)),
              i = int(mode / (half * std::size_t(n)));
    const double *wave = of_rows, *factor = of_rows + n, *gradient = of_rows + 2 * n;
    const double g = scale->unit * green(wave, factor, gradient, i, j, k);
    const double x = g * double(charge[mode].x), y = g * double(charge[mode].y);
    const double slope = gradient[d == 0 ? i : d == 1 ? j : k];
    Mode<T>& sum = psi[mode]; // of accelerations i times
    sum.x = T(double(sum.x) + (d < 0 ? x : -slope * y));
    sum.y = T(double(sum.y) + (d < 0 ? y : slope * x));
}

/// Returns the modes in an array of a spectrum.
template <class T>
Mode<T>* modes(T* values)
{
    return reinterpret_cast<Mode<T>*>(values);
}

} // namespace chamomile
