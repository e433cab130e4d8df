/// \file  Fourier transforms of grids, by FFTW or KissFFT (CHAMOMILE_FFT) in all threads.
#pragma once

#include <memory>
#include <string>

#include "chamomile/mesh/grid.hpp"

namespace chamomile {

/// Returns the name and version of the library that transforms.
std::string fourier_library();

/// A Fourier transforms grids with n points along a side in place, T being float or double. The
/// results have the same bits for any number of threads: these share planes and columns, each
/// transformed by one of them. Any number of threads may plan and transform at a time.
template <class T>
class Fourier {
public:
    /// Plans the transforms. Throws Error(usage) unless n is 2 to 32768.
    explicit Fourier(int n);
    ~Fourier();
    Fourier(Fourier&&) noexcept;

    /// Turns a field into its spectrum: mode k becomes sum_x f(x) exp(-i k x).
    void forward(Grid<T>& grid) const;

    /// Turns a spectrum into n^3 times the field whose spectrum forward() gives: field x becomes
    /// sum_k f_k exp(+i k x) over all n^3 modes.
    void backward(Grid<T>& grid) const;

private:
    struct Plans;
    std::unique_ptr<Plans> plans_;
};

extern template class Fourier<float>;
extern template class Fourier<double>;

} // namespace chamomile
