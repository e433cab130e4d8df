// Transforms planes (second and third index), then columns along the first, each by a
// single-threaded plan: FFTW's multi-threaded plans round differently for each number of threads.
// Plans are estimated, because measured plans would round differently in each run.
#include "chamomile/force/mesh/fourier.hpp"

#include <mutex>

#include <fftw3.h>

#include "chamomile/force/mesh/fourier_columns.hpp"

namespace chamomile {
namespace {

template <class T>
struct Fftw;

template <>
struct Fftw<double> {
    using Plan = fftw_plan;
    using Complex = fftw_complex;
    static constexpr auto plan_real = fftw_plan_many_dft_r2c;
    static constexpr auto plan_back = fftw_plan_many_dft_c2r;
    static constexpr auto plan_columns = fftw_plan_many_dft;
    static constexpr auto execute_real = fftw_execute_dft_r2c;
    static constexpr auto execute_back = fftw_execute_dft_c2r;
    static constexpr auto execute_columns = fftw_execute_dft;
    static constexpr auto destroy = fftw_destroy_plan;
};

template <>
struct Fftw<float> {
    using Plan = fftwf_plan;
    using Complex = fftwf_complex;
    static constexpr auto plan_real = fftwf_plan_many_dft_r2c;
    static constexpr auto plan_back = fftwf_plan_many_dft_c2r;
    static constexpr auto plan_columns = fftwf_plan_many_dft;
    static constexpr auto execute_real = fftwf_execute_dft_r2c;
    static constexpr auto execute_back = fftwf_execute_dft_c2r;
    static constexpr auto execute_columns = fftwf_execute_dft;
    static constexpr auto destroy = fftwf_destroy_plan;
};

/// Returns the lock for FFTW's planner, which is not thread-safe.
std::mutex& planner()
{
    static std::mutex mutex;
    return mutex;
}

} // namespace

std::string fourier_library()
{
    return fftw_version;
}

/// FFTW plans for one grid size.
template <class T>
struct Fourier<T>::Plans {
    using F = Fftw<T>;
    using Complex = typename F::Complex;

    explicit Plans(int side) : n(checked_side(side))
    {
        alignas(128) static std::byte place[128]; // an estimated plan needs only the alignment
        T* real = reinterpret_cast<T*>(place);
        auto* complex = reinterpret_cast<Complex*>(place);
        const int row = int(Grid<T>::row(n));
        const int planes[] = {n, n}, reals[] = {n, row}, modes[] = {n, row / 2};
        const std::lock_guard lock(planner());
        forward =
            F::plan_real(2, planes, 1, real, reals, 1, 0, complex, modes, 1, 0, FFTW_ESTIMATE);
        backward =
            F::plan_back(2, planes, 1, complex, modes, 1, 0, real, reals, 1, 0, FFTW_ESTIMATE);
        for (int sign : {FFTW_FORWARD, FFTW_BACKWARD})
            columns[sign == FFTW_BACKWARD] = F::plan_columns(
                1, &n, ColumnBlock<T>::width, complex, nullptr, ColumnBlock<T>::width, 1, complex,
                nullptr, ColumnBlock<T>::width, 1, sign, FFTW_ESTIMATE);
    }
    ~Plans()
    {
        const std::lock_guard lock(planner());
        for (auto plan : {forward, backward, columns[0], columns[1]})
            F::destroy(plan);
    }

    void transform_columns(Grid<T>& grid, MeshRange rows, typename F::Plan plan) const
    {
        transform_across(grid, rows, [plan] {
            return [plan](std::complex<T>* columns) {
                auto* first = reinterpret_cast<Complex*>(columns);
                F::execute_columns(plan, first, first);
            };
        });
    }

    int n;
    typename F::Plan forward, backward, columns[2];
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
#pragma omp parallel for schedule(static)
    for (int i = planes.begin; i < planes.end; ++i)
        Fftw<T>::execute_real(plans_->forward, &grid(i, 0, 0),
                              reinterpret_cast<typename Fftw<T>::Complex*>(&grid(i, 0, 0)));
}

template <class T>
void Fourier<T>::columns_forward(Grid<T>& grid, MeshRange rows) const
{
    plans_->transform_columns(grid, rows, plans_->columns[0]);
}

template <class T>
void Fourier<T>::columns_backward(Grid<T>& grid, MeshRange rows) const
{
    plans_->transform_columns(grid, rows, plans_->columns[1]);
}

template <class T>
void Fourier<T>::planes_backward(Grid<T>& grid, MeshRange planes) const
{
#pragma omp parallel for schedule(static) if (planes.count() > 1)
    for (int i = planes.begin; i < planes.end; ++i)
        Fftw<T>::execute_back(plans_->backward,
                              reinterpret_cast<typename Fftw<T>::Complex*>(&grid(i, 0, 0)),
                              &grid(i, 0, 0));
}

template class Fourier<float>;
template class Fourier<double>;

} // namespace chamomile
