// Transforms by KissFFT, for binaries that are passed on under Apache-2.0. They go over rows, then
// over columns along the second index, then along the third. Two rows are transformed at once, as
// real and imaginary part, so that any number of points will do.
#include "chamomile/mesh/fourier.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include <kissfft/kissfft.hh>

#include "chamomile/core/error.hpp"

namespace chamomile {
namespace {

std::size_t checked(int n)
{
    if (n < 2 || n > 32768)
        throw Error(Fault::usage, "mesh: " + std::to_string(n) + ": must be 2 to 32768");
    return std::size_t(n);
}

/// So many columns are copied at once, two lines of cache of each plane.
template <class T>
constexpr int batch = 128 / sizeof(std::complex<T>);

/// A Line transforms n points in place. A thread has its own, because KissFFT's has a buffer.
template <class T>
class Line {
public:
    Line(const kissfft<T>& plan, int n) : plan_(plan), result_(std::size_t(n)) {}

    void transform(std::complex<T>* points)
    {
        plan_.transform(points, result_.data());
        std::copy(result_.begin(), result_.end(), points);
    }

private:
    kissfft<T> plan_;
    std::vector<std::complex<T>> result_;
};

} // namespace

std::string fourier_library()
{
    return "KissFFT";
}

/// Plans holds KissFFT's plans for one size of grid.
template <class T>
struct Fourier<T>::Plans {
    using Complex = std::complex<T>;

    explicit Plans(int side) : n(side), forward(checked(side), false), backward(checked(side), true)
    {}

    /// Turns two rows of reals into the first halves of their spectra. `row` holds n points.
    void transform_rows(Grid<T>& grid, int i, int j, Line<T>& line, Complex* row) const
    {
        const bool two = j + 1 < n;
        const T *a = &grid(i, j, 0), *b = two ? &grid(i, j + 1, 0) : nullptr;
        for (int k = 0; k < n; ++k)
            row[k] = {a[k], two ? b[k] : T(0)};
        line.transform(row);
        Complex *first = grid.spectrum_row(i, j),
                *second = two ? grid.spectrum_row(i, j + 1) : nullptr;
        for (int k = 0; k <= n / 2; ++k) {
            const Complex z = row[k], mirrored = std::conj(row[(n - k) % n]);
            first[k] = T(0.5) * (z + mirrored);
            const Complex difference = T(0.5) * (z - mirrored);
            if (two)
                second[k] = {difference.imag(), -difference.real()};
        }
    }

    /// Turns the first halves of two spectra into rows of reals.
    void transform_back(Grid<T>& grid, int i, int j, Line<T>& line, Complex* row) const
    {
        const bool two = j + 1 < n;
        const Complex *first = grid.spectrum_row(i, j),
                      *second = two ? grid.spectrum_row(i, j + 1) : nullptr;
        for (int k = 0; k <= n / 2; ++k) {
            Complex a = first[k], b = two ? second[k] : Complex();
            if (k == 0 || 2 * k == n) // these waves of a real field are real
                a = a.real(), b = b.real();
            row[k] = {a.real() - b.imag(), a.imag() + b.real()};
            if (k > 0)
                row[n - k] = {a.real() + b.imag(), b.real() - a.imag()};
        }
        line.transform(row);
        for (int k = 0; k < n; ++k) {
            grid(i, j, k) = row[k].real();
            if (two)
                grid(i, j + 1, k) = row[k].imag();
        }
    }

    /// Transforms a block of columns, whose point l is in the row `row_of(l)`. Columns lie a power
    /// of two apart in memory, or nearly so, and would evict each other from the cache; therefore
    /// they are copied.
    template <class RowOf>
    void transform_block(int first, const RowOf& row_of, Line<T>& line, Complex* columns) const
    {
        const int count = std::min(batch<T>, n / 2 + 1 - first);
        for (int l = 0; l < n; ++l)
            for (int c = 0; c < count; ++c)
                columns[c * n + l] = row_of(l)[first + c];
        for (int c = 0; c < count; ++c)
            line.transform(columns + c * n);
        for (int l = 0; l < n; ++l)
            for (int c = 0; c < count; ++c)
                row_of(l)[first + c] = columns[c * n + l];
    }

    void transform_columns(Grid<T>& grid, int i, Line<T>& line, Complex* columns) const
    {
        for (int first = 0; first <= n / 2; first += batch<T>)
            transform_block(
                first, [&](int j) { return grid.spectrum_row(i, j); }, line, columns);
    }

    /// Transforms along the slowest index.
    void transform_across(Grid<T>& grid, const kissfft<T>& plan) const
    {
#pragma omp parallel
        {
            Line<T> line(plan, n);
            std::vector<Complex> columns(std::size_t(n) * batch<T>);
#pragma omp for schedule(static)
            for (int j = 0; j < n; ++j)
                for (int first = 0; first <= n / 2; first += batch<T>)
                    transform_block(
                        first, [&](int i) { return grid.spectrum_row(i, j); }, line,
                        columns.data());
        }
    }

    int n;
    kissfft<T> forward, backward;
};

template <class T>
Fourier<T>::Fourier(int n) : plans_(std::make_unique<Plans>(n))
{}

template <class T>
Fourier<T>::~Fourier() = default;

template <class T>
Fourier<T>::Fourier(Fourier&&) noexcept = default;

template <class T>
void Fourier<T>::forward(Grid<T>& grid) const
{
    const Plans& plans = *plans_;
#pragma omp parallel
    {
        Line<T> line(plans.forward, plans.n);
        std::vector<std::complex<T>> columns(std::size_t(plans.n) * batch<T>);
#pragma omp for schedule(static)
        for (int i = 0; i < plans.n; ++i) {
            for (int j = 0; j < plans.n; j += 2)
                plans.transform_rows(grid, i, j, line, columns.data());
            plans.transform_columns(grid, i, line, columns.data());
        }
    }
    plans.transform_across(grid, plans.forward);
}

template <class T>
void Fourier<T>::backward(Grid<T>& grid) const
{
    const Plans& plans = *plans_;
    plans.transform_across(grid, plans.backward);
#pragma omp parallel
    {
        Line<T> line(plans.backward, plans.n);
        std::vector<std::complex<T>> columns(std::size_t(plans.n) * batch<T>);
#pragma omp for schedule(static)
        for (int i = 0; i < plans.n; ++i) {
            plans.transform_columns(grid, i, line, columns.data());
            for (int j = 0; j < plans.n; j += 2)
                plans.transform_back(grid, i, j, line, columns.data());
        }
    }
}

template class Fourier<float>;
template class Fourier<double>;

} // namespace chamomile
