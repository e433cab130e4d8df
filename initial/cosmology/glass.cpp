#include "chamomile/initial/cosmology/glass.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "chamomile/core/error.hpp"
#include "chamomile/core/periodic.hpp"
#include "chamomile/core/random.hpp"
#include "chamomile/force/mesh/assignment.hpp"
#include "chamomile/initial/cosmology/displacements.hpp"

namespace chamomile {
namespace {

constexpr int iterations = 300;
constexpr double memory = 0.9, pull = 0.3; // fractions: of the last step, of psi below

} // namespace

std::vector<Vec3<double>> make_glass(int n, unsigned seed)
{
    if (n < 2 || n > 512)
        throw Error(Fault::usage, "glass: " + std::to_string(n) + ": must be 2 to 512");
    const std::size_t count = std::size_t(n) * std::size_t(n) * std::size_t(n);
    const Periodicity box{1};
    std::vector<Vec3<double>> x(count), speed(count);
    for (std::size_t p = 0; p < count; ++p) {
        RandomStream random(seed, 0x67, p);
        const double first = random.uniform(), second = random.uniform();
        x[p] = {first, second, random.uniform()};
    }
    const int cells = 2 * n;
    MassAssignment cloud(Assignment::piecewise_cubic, box, cells);
    SlabFourier<double> fourier(cells, nullptr);
    std::vector<double> value(count);
    // In linear theory the displacement psi with -div psi = delta removes all overdensities. Each
    // step is a fraction of psi plus a fraction of the last step, limited to a small fraction of
    // the spacing. Mesh smoothing is not corrected: sharper forces between neighbours never settle.
    const double max = 0.1 / n;
    for (int iteration = 0; iteration < iterations; ++iteration) {
        Grid<double> potential(cells);
        cloud.assign(count, view_of(std::span(x)), {}, potential);
        fourier.forward(potential);
        potential.for_each_mode(
            [&](int, int, int, std::complex<double>& mode) { mode /= double(count); });
        solve_poisson(potential, 1);
        Displacement displacement(at_planes(std::move(potential), fourier, 1), fourier, 1,
                                  {0, cells});
        Grid<double>& field = displacement.mesh();
        for (int axis = 0; axis < 3; ++axis) {
            displacement.fill(axis, field);
            cloud.interpolate(field, count, view_of(std::span(x)), value);
            for (std::size_t p = 0; p < count; ++p) {
                double& v = axis == 0 ? speed[p].x : axis == 1 ? speed[p].y : speed[p].z;
                v = std::clamp(memory * v - pull * value[p], -max, max);
            }
        }
        for (std::size_t p = 0; p < count; ++p)
            x[p] = box.wrapped(x[p] + speed[p]);
    }
    return x;
}

std::vector<Vec3<double>> tiled_glass(std::span<const Vec3<double>> glass, int tiles, double side,
                                      std::size_t begin, std::size_t end)
{
    std::vector<Vec3<double>> places;
    resize_large(end - begin, places);
    const double unit = side / tiles;
    const std::size_t n = std::size_t(tiles);
#pragma omp parallel for schedule(static)
    for (std::size_t p = begin; p < end; ++p) {
        const std::size_t tile = p / glass.size();
        const Vec3<double> corner{double(tile / (n * n)), double(tile / n % n), double(tile % n)};
        places[p - begin] = unit * (glass[p % glass.size()] + corner);
    }
    return places;
}

} // namespace chamomile
