#include "chamomile/force/mesh/rank_assignment.hpp"

#include <bit>
#include <cmath>

#include "chamomile/core/exact_sum.hpp"

namespace chamomile {

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
                     Grid<double>& grid)
{
    const auto assign = [&] { assignment.assign_integers(n, position, mass, scale, grid); };
    fourier.ranks() ? fourier.ranks()->run_and_agree(assign) : assign();
    fourier.sum_integers(grid);
    double* const point = grid.data();
    const double unit = 1 / scale; // exact: a power of two
    const std::size_t end = std::size_t(fourier.own().end) * grid.plane();
#pragma omp parallel for schedule(static)
    for (std::size_t p = std::size_t(fourier.own().begin) * grid.plane(); p < end; ++p)
        point[p] = double(std::bit_cast<std::int64_t>(point[p])) * unit;
}

} // namespace chamomile
