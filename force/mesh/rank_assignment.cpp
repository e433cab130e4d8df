#include "chamomile/force/mesh/rank_assignment.hpp"

#include <atomic>
#include <bit>
#include <cmath>

#include "chamomile/core/exact_sum.hpp"
#include "chamomile/core/threads.hpp"

namespace chamomile {

namespace {

/// Returns the marks of rows near these positions; those that are not finite have none.
std::vector<std::uint8_t> marks_of(const MassAssignment& assignment, std::size_t n,
                                   const ArrayView& position, int margin)
{
    const MeshFrame& frame = assignment.frame();
    const RowMarks rows{frame.cells};
    std::vector<std::uint8_t> marks(rows.count());
    const auto wrapped = [&](int i) {
        return i < 0 ? i + frame.cells : i >= frame.cells ? i - frame.cells : i;
    };
    with_points(assignment.kernel(), [&](auto points) {
#pragma omp parallel for schedule(static) if (n >= worth_threads)
        for (std::size_t p = 0; p < n; ++p) {
            const double at_x = position.load(p, 0), at_y = position.load(p, 1);
            if (!std::isfinite(at_x + at_y))
                continue;
            const int x = cloud_at<points>(frame.in_cells(at_x)).first - margin,
                      y = cloud_at<points>(frame.in_cells(at_y)).first - margin,
                      last = points + 2 * margin - 1;
            for (int b = 0, before = -1; b <= last; ++b) {
                const int in_plane = wrapped(y + b) / RowMarks::rows_of_mark;
                if (in_plane == before)
                    continue;
                before = in_plane;
                for (int a = 0; a <= last; ++a) {
                    const std::atomic_ref<std::uint8_t> mark(
                        marks[std::size_t(wrapped(x + a)) * std::size_t(rows.of_plane()) +
                              std::size_t(in_plane)]);
                    if (!mark.load(std::memory_order_relaxed))
                        mark.store(1, std::memory_order_relaxed);
                }
            }
        }
    });
    return marks;
}

} // namespace

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
                     Grid<double>& grid, int margin)
{
    if (fourier.ranks())
        fourier.cover(marks_of(assignment, n, position, margin));
    const auto assign = [&] {
        grid.reshape(fourier.own(), {0, grid.side()});
        grid.reserve_rows(fourier.covered());
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
