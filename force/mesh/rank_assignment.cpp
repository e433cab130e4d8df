#include "chamomile/force/mesh/rank_assignment.hpp"

#include <atomic>
#include <bit>
#include <cmath>

#include "chamomile/core/exact_sum.hpp"
#include "chamomile/core/threads.hpp"

namespace chamomile {

void mark_rows(const MassAssignment& assignment, std::size_t n, const ArrayView& position,
               MarkedRows& rows)
{
    const MeshFrame& frame = assignment.frame();
    with_points(assignment.kernel(), [&](auto points) {
#pragma omp parallel for schedule(static) if (n >= worth_threads)
        for (std::size_t p = 0; p < n; ++p) {
            const double x = position.load(p, 0), y = position.load(p, 1);
            if (!std::isfinite(x + y))
                continue;
            rows.of.for_first_plane<points>(
                frame.in_cells(x), frame.in_cells(y), [&](std::size_t k) {
                    const std::atomic_ref<std::uint8_t> mark(rows.marks[k]);
                    if (!mark.load(std::memory_order_relaxed))
                        mark.store(1, std::memory_order_relaxed);
                });
        }
    });
}

double scale_of_masses(std::size_t n, const ArrayView& mass, Communicator* ranks)
{
    ExactSums<double> sum;
    sum.add(0, n, [&](std::size_t i) { return mass ? std::abs(mass.load(i)) : 1; });
    if (ranks)
        ranks->sum(sum);
    int exponent = 0;
    const double all = sum.value();
    std::frexp(all, &exponent);
    return all > 0 && std::isfinite(all) ? std::ldexp(1., 61 - exponent) : 1;
}

void assign_of_ranks(MassAssignment& assignment, std::size_t n, const ArrayView& position,
                     const ArrayView& mass, double scale, SlabFourier<double>& fourier,
                     Grid<double>& grid, const MarkedRows& marked, std::span<Grid<double>> others)
{
    fourier.cover(marked);
    const auto assign = [&] {
        grid.reshape(fourier.own(), {0, grid.side()});
        grid.reserve_rows(fourier.covered());
        for (Grid<double>& other : others)
            other.reserve_rows(fourier.covered());
        assignment.assign_integers(n, position, mass, scale, grid, fourier.rows());
    };
    fourier.ranks() ? fourier.ranks()->run_and_agree(assign) : assign();
    fourier.sum_integers(grid);
    double* const point = grid.data();
    const double unit = 1 / scale; // exact: a power of two
    const std::size_t end = std::size_t(fourier.own().count()) * grid.plane();
#pragma omp parallel for schedule(static)
    for (std::size_t p = 0; p < end; ++p)
        point[p] = double(std::bit_cast<std::int64_t>(point[p])) * unit;
}

} // namespace chamomile
