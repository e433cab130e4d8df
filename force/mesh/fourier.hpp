/// \file  Fourier transforms of grids, by FFTW or KissFFT (CHAMOMILE_FFT), with all threads.
#pragma once

#include <memory>
#include <string>

#include "chamomile/force/mesh/grid.hpp"

namespace chamomile {

/// Returns name and version of the transform library.
std::string fourier_library();

/// A Fourier transforms grids with n points per side in place; T is float or double. Each plane or
/// column is transformed by a single thread, so that results have the same bits for any number of
/// threads. Any number of threads may plan and transform at a time.
template <class T>
class Fourier {
public:
    /// Plans the transforms. Throws Error(usage) unless n is 2 to 32768.
    explicit Fourier(int n);
    ~Fourier();
    Fourier(Fourier&&) noexcept;

    /// Transforms a field to its spectrum: mode k becomes sum_x f(x) exp(-i k x).
    void forward(Grid<T>& grid) const
    {
        planes_forward(grid, {0, grid.side()});
        columns_forward(grid, {0, grid.side()});
    }

    /// Transforms a spectrum back, without normalization: field x becomes sum_k f_k exp(+i k x)
    /// over all n^3 modes, n^3 times the input of forward().
    void backward(Grid<T>& grid) const
    {
        columns_backward(grid, {0, grid.side()});
        planes_backward(grid, {0, grid.side()});
    }

    /// The two parts of each transform: along the second and third index, in planes of the first;
    /// and along the first, in rows of the second.
    void planes_forward(Grid<T>& grid, MeshRange planes) const;
    void columns_forward(Grid<T>& grid, MeshRange rows) const;
    void columns_backward(Grid<T>& grid, MeshRange rows) const;
    void planes_backward(Grid<T>& grid, MeshRange planes) const;

private:
    struct Plans;
    std::unique_ptr<Plans> plans_;
};

extern template class Fourier<float>;
extern template class Fourier<double>;

} // namespace chamomile
