// Transforms by KissFFT, for binaries distributed under Apache-2.0: rows first, then columns along
// the second index, then along the first. Two rows are transformed at once, as real and imaginary
// part, so that any number of points works.
#include "chamomile/force/mesh/fourier.hpp"

#include <vector>

#include <kissfft/kissfft.hh>

#include "chamomile/force/mesh/fourier_columns.hpp"

namespace chamomile {
namespace {

/// Transforms n points in place. One per thread, because KissFFT's plan contains a buffer.
template <class T>
class Line {
public:
    Line(const kissfft<T>& plan, int n) : plan_(plan), given_(std::size_t(n)), result_(given_) {}

    void transform(std::complex<T>* points, int step = 1)
    {
        for (std::size_t k = 0; k < given_.size(); ++k)
            given_[k] = points[k * std::size_t(step)];
        plan_.transform(given_.data(), result_.data());
        for (std::size_t k = 0; k < given_.size(); ++k)
            points[k * std::size_t(step)] = result_[k];
    }

    /// Transforms the columns of a ColumnBlock.
    void operator()(std::complex<T>* columns)
    {
        for (int c = 0; c < ColumnBlock<T>::width; ++c)
            transform(columns + c, ColumnBlock<T>::width);
    }

private:
    kissfft<T> plan_;
    std::vector<std::complex<T>> given_, result_;
};

} // namespace

std::string fourier_library()
{
    return "KissFFT";
}

/// KissFFT plans for one grid size.
template <class T>
struct Fourier<T>::Plans {
    using Complex = std::complex<T>;

    explicit Plans(int side)
        : n(checked_side(side)), forward(std::size_t(n), false), backward(std::size_t(n), true)
    {}

    /// Transforms two real rows to the first halves of their spectra. `row` holds n points.
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

    /// Transforms the first halves of two spectra to real rows.
    void transform_back(Grid<T>& grid, int i, int j, Line<T>& line, Complex* row) const
    {
        const bool two = j + 1 < n;
        const Complex *first = grid.spectrum_row(i, j),
                      *second = two ? grid.spectrum_row(i, j + 1) : nullptr;
        for (int k = 0; k <= n / 2; ++k) {
            Complex a = first[k], b = two ? second[k] : Complex();
            if (k == 0 || 2 * k == n) // a real field has real modes here
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

    /// Transforms along the second index.
    void transform_columns(Grid<T>& grid, int i, Line<T>& line, ColumnBlock<T>& columns) const
    {
        for (int first = 0; first <= n / 2; first += columns.width)
            columns.transform([&](int j) { return grid.spectrum_row(i, j) + first; }, line);
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
void Fourier<T>::planes_forward(Grid<T>& grid, MeshRange planes) const
{
    const Plans& plans = *plans_;
#pragma omp parallel
    {
        Line<T> line(plans.forward, plans.n);
        ColumnBlock<T> columns(plans.n);
        std::vector<std::complex<T>> row(std::size_t(plans.n));
#pragma omp for schedule(static)
        for (int i = planes.begin; i < planes.end; ++i) {
            for (int j = 0; j < plans.n; j += 2)
                plans.transform_rows(grid, i, j, line, row.data());
            plans.transform_columns(grid, i, line, columns);
        }
    }
}

template <class T>
void Fourier<T>::columns_forward(Grid<T>& grid, MeshRange rows) const
{
    transform_across(grid, rows, [&] { return Line<T>(plans_->forward, plans_->n); });
}

template <class T>
void Fourier<T>::columns_backward(Grid<T>& grid, MeshRange rows) const
{
    transform_across(grid, rows, [&] { return Line<T>(plans_->backward, plans_->n); });
}

template <class T>
void Fourier<T>::planes_backward(Grid<T>& grid, MeshRange planes) const
{
    const Plans& plans = *plans_;
#pragma omp parallel if (planes.count() > 1)
    {
        Line<T> line(plans.backward, plans.n);
        ColumnBlock<T> columns(plans.n);
        std::vector<std::complex<T>> row(std::size_t(plans.n));
#pragma omp for schedule(static)
        for (int i = planes.begin; i < planes.end; ++i) {
            plans.transform_columns(grid, i, line, columns);
            for (int j = 0; j < plans.n; j += 2)
                plans.transform_back(grid, i, j, line, row.data());
        }
    }
}

template class Fourier<float>;
template class Fourier<double>;

} // namespace chamomile
