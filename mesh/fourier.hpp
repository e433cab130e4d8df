/// \file  Fourier transforms of grids, by FFTW in all threads.
#pragma once

#include <memory>

#include "chamomile/mesh/grid.hpp"

namespace chamomile {

/// Transforms in place of grids with n points along a side, T being float or double. The results
/// have the same bits for any number of threads: these share planes and columns, each transformed
/// by one of them. Any number of threads may plan and transform at a time.
template <class T>
class Fourier {
public:
    /// Throws Error(usage) unless n is 2 to 32768.
    explicit Fourier(int n);
    ~Fourier();
    Fourier(Fourier&&) noexcept;

    /// Mode k becomes sum_x f(x) exp(-i k x).
    void forward(Grid<T>& grid) const;

    /// Field x becomes sum_k f_k exp(+i k x) over all n^3 modes: n^3 times the field whose
    /// spectrum forward() gives.
    void backward(Grid<T>& grid) const;

private:
    struct Plans;
    std::unique_ptr<Plans> plans_;
};

extern template class Fourier<float>;
extern template class Fourier<double>;

} // namespace chamomile
