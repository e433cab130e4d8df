// Errors of the mesh's long range with exact short-range pairs, against the periodic direct sum, by
// split, cut, kernel and differentiation. Prints CSV rows for docs/scripts/periodic_plot.py.
#include <cmath>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "chamomile/force/lists/list_solver.hpp"
#include "chamomile/force/mesh/mesh_gravity.hpp"
#include "chamomile/force/periodic/periodic_direct.hpp"
#include "tests/unit/clouds.hpp"

using namespace chamomile;
using namespace chamomile::tests;

namespace {

using Vectors = std::vector<Vec3<double>>;

constexpr int cells = 64, lattice_side = 12;
constexpr double cuts[] = {4.5, 5, 5.75, 6, 7, 1e9};

double rms(const Vectors& a)
{
    double sum = 0;
    for (const Vec3<double>& x : a)
        sum += norm_squared(x);
    return std::sqrt(sum / double(a.size()));
}

Vectors exact(Particles p)
{
    SolverOptions options;
    options.solver = SolverKind::direct;
    options.box = 1;
    options.device = "cpu";
    make_periodic_direct_solver(resolved(options))->solve(p, Quantities::acceleration);
    return p.acceleration;
}

/// Returns sums over all pairs for each cut.
std::vector<Vectors> short_range(const Particles& p, double split)
{
    std::vector<Vectors> sums(std::size(cuts), Vectors(p.size()));
#pragma omp parallel for schedule(dynamic, 16)
    for (std::size_t i = 0; i < p.size(); ++i)
        for (std::size_t j = 0; j < p.size(); ++j) {
            if (i == j)
                continue;
            const Vec3<double> d = Periodicity{1}.nearest(p.position[j] - p.position[i]);
            const double r = norm(d), u = r / (2 * split);
            if (u > 6)
                continue;
            const double force = p.mass[j] / (r * r * r) *
                                 (std::erfc(u) + 2 * u / std::sqrt(M_PI) * std::exp(-u * u));
            for (std::size_t c = 0; c < std::size(cuts); ++c)
                if (r < cuts[c] * split)
                    sums[c][i] += force * d;
        }
    return sums;
}

Vectors long_range(const Particles& p, const MeshOptions& options)
{
    const auto mesh = make_mesh_gravity({1}, options);
    Vectors a(p.size());
    Profile profile;
    const ArrayView position = view_of(std::span(p.position));
    mesh->prepare(p.size(), position, view_of(std::span(p.mass)), profile);
    mesh->add(p.size(), position, {}, 1, view_of(std::span(a)), {}, profile);
    return a;
}

double error(const Vectors& exact, const Vectors& near, const Vectors& far)
{
    Vectors difference(exact.size());
    for (std::size_t i = 0; i < exact.size(); ++i)
        difference[i] = near[i] + far[i] - exact[i];
    return rms(difference) / rms(exact);
}

Particles near_lattice(double amplitude)
{
    int k = 0;
    return cloud(lattice_side * lattice_side * lattice_side, 3, [&](Random& random) {
        const auto at = [&](int i) {
            return (i + 0.5 + random(-amplitude, amplitude)) / lattice_side;
        };
        const int i = k++;
        return Vec3<double>{at(i / lattice_side / lattice_side),
                            at(i / lattice_side % lattice_side), at(i % lattice_side)};
    });
}

/// Half in clumps with radius 0.05 about 20 positions, half anywhere.
Particles clustered(std::size_t n)
{
    return cloud(n, 6, [](Random& random) {
        const Vec3<double> anywhere{random(), random(), random()};
        if (random() < 0.5)
            return anywhere;
        Random places(std::uint64_t(random(100, 120)));
        return Vec3<double>{places(), places(), places()} +
               on_sphere(random, 0.05 * std::cbrt(random()));
    });
}

} // namespace

int main()
{
    std::printf("set,kernel,differentiation,split,cut,error\n");
    const std::pair<const char*, Particles> sets[] = {{"random", uniform_cube(2000)},
                                                      {"clustered", clustered(2000)},
                                                      {"near a lattice", near_lattice(0.1)}};
    for (const auto& [name, particles] : sets) {
        const Vectors reference = exact(particles);
        for (const double split : {0.75, 1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0}) {
            const std::vector<Vectors> near = short_range(particles, split / cells);
            for (const auto& [kernel, kernel_name] : {std::pair{Assignment::cloud_in_cell, "CIC"},
                                                      {Assignment::triangular, "TSC"},
                                                      {Assignment::piecewise_cubic, "PCS"}})
                for (const auto& [by, by_name] : {std::pair{Differentiation::spectral, "spectral"},
                                                  {Differentiation::four_point, "four-point"}}) {
                    const Vectors far = long_range(particles, {cells, split, kernel, by});
                    for (std::size_t c = 0; c < std::size(cuts); ++c)
                        std::printf("%s,%s,%s,%g,%g,%.3g\n", name, kernel_name, by_name, split,
                                    cuts[c], error(reference, near[c], far));
                }
        }
    }
}
