// All pairs in a periodic cube against exact Ewald sums pair by pair.
#include <algorithm>
#include <cmath>
#include <vector>

#include <doctest/doctest.h>
#include <omp.h>

#include "chamomile/core/error.hpp"
#include "chamomile/core/instruction_sets.hpp"
#include "chamomile/force/mesh/ewald.hpp"
#include "chamomile/force/reference_sum.hpp"
#include "chamomile/force/solver.hpp"
#include "tests/unit/clouds.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("periodic_direct");

namespace {

SolverOptions direct(double box, Softening softening = {})
{
    SolverOptions options;
    options.solver = SolverKind::direct;
    options.box = box;
    options.softening = softening;
    options.device = "cpu";
    return options;
}

/// Ewald's sums for particle i, with reference_sum()'s softened law for the nearest image in place
/// of Newton's.
void exact_field(const Particles& p, std::size_t i, double box, const Softening& softening,
                 Vec3<double>& acceleration, double& potential)
{
    acceleration = {};
    potential = 0;
    for (std::size_t j = 0; j < p.size(); ++j) {
        const EwaldField all = ewald_field(p.position[i] - p.position[j], box);
        acceleration += p.mass[j] * all.acceleration;
        potential += p.mass[j] * all.potential;
        if (i == j || softening.length == 0)
            continue;
        Particles pair;
        pair.resize(2);
        pair.position[1] = Periodicity{box}.nearest(p.position[j] - p.position[i]);
        pair.mass[1] = p.mass[j];
        const Index target[] = {0};
        const ReferenceSums soft = reference_sum(pair, target, softening, 1),
                            hard = reference_sum(pair, target, {}, 1);
        acceleration += soft.acceleration[0] - hard.acceleration[0];
        potential += soft.potential[0] - hard.potential[0];
    }
}

/// Checks each instruction set.
void check_against_ewald(Particles p, SolverOptions options, double limit)
{
    std::vector<Vec3<double>> acceleration(p.size());
    std::vector<double> potential(p.size());
#pragma omp parallel for schedule(dynamic, 4)
    for (std::size_t i = 0; i < p.size(); ++i)
        exact_field(p, i, options.box, options.softening, acceleration[i], potential[i]);
    for (const std::string& set : instruction_sets()) {
        CAPTURE(set);
        options.instruction_set = set;
        make_solver(options)->solve(p, Quantities::acceleration_potential);
        const double G = options.gravitational_constant;
        double square = 0, whole = 0, of_potential = 0;
        for (std::size_t i = 0; i < p.size(); ++i) {
            square += norm_squared(p.acceleration[i] - G * acceleration[i]);
            whole += norm_squared(G * acceleration[i]);
            of_potential =
                std::max(of_potential, std::abs(p.potential[i] / (G * potential[i]) - 1));
        }
        CHECK(std::sqrt(square / whole) < limit);
        CHECK(of_potential < 1e3 * limit); // some potentials are near 0
    }
}

Particles near_lattice()
{
    int k = 0;
    return cloud(216, 8, [&](Random& random) {
        const auto at = [&](int i) { return (i % 6 + random(-0.01, 0.01)) / 6; };
        const int i = k++;
        return Vec3<double>{at(i / 36), at(i / 6), at(i)};
    });
}

Particles across_faces()
{
    return cloud(150, 9, [](Random& random) { return on_sphere(random, 0.1 * random()); });
}

} // namespace

TEST_CASE("periodic direct sums match Ewald sums to 1e-12, near a lattice to 1e-10")
{
    check_against_ewald(uniform_cube(197), direct(1), 1e-12);
    check_against_ewald(across_faces(), direct(1), 1e-12);
    check_against_ewald(near_lattice(), direct(1), 1e-10);
}

TEST_CASE("periodic direct sums hold for any units, images and G")
{
    SolverOptions options = direct(75);
    options.gravitational_constant = 43.0187;
    check_against_ewald(moved(uniform_cube(150), 300, {-500, 3, 80}), options, 1e-12);
}

TEST_CASE("softening acts on the nearest image for either kernel")
{
    for (const SofteningKind kind : {SofteningKind::plummer, SofteningKind::spline})
        for (const double length : {1e-3, 0.03, 0.1}) {
            CAPTURE(int(kind));
            CAPTURE(length);
            check_against_ewald(uniform_cube(100), direct(1, {kind, length}), 1e-12);
            check_against_ewald(across_faces(), direct(1, {kind, length}), 1e-12);
        }
}

TEST_CASE("a lattice has the energy of its unit cell and no force")
{
    const int n = 5;
    Particles p;
    p.resize(n * n * n);
    for (int i = 0; i < n * n * n; ++i) {
        p.id[std::size_t(i)] = std::uint64_t(i);
        p.mass[std::size_t(i)] = 2;
        p.position[std::size_t(i)] = {0.2 * (i / n / n), 0.2 * (i / n % n), 0.2 * (i % n)};
    }
    make_solver(direct(1))->solve(p, Quantities::acceleration_potential);
    for (std::size_t i = 0; i < p.size(); ++i) {
        CHECK(norm(p.acceleration[i]) < 1e-10 * 50); // relative to a neighbour's 50
        CHECK(p.potential[i] == doctest::Approx(2.8372974794806195 * 2 / 0.2).epsilon(1e-11));
    }
}

TEST_CASE("periodic sums for active particles match bitwise for any number of threads")
{
    const int all = omp_get_max_threads();
    const Particles start = uniform_cube(600);
    Particles whole = start;
    make_solver(direct(1))->solve(whole, Quantities::acceleration_potential);
    const std::vector<Index> active{599, 0, 5, 31, 32, 33, 500};
    for (int threads = 1; threads <= 4; ++threads) {
        omp_set_num_threads(threads);
        Particles again = start, some = start;
        make_solver(direct(1))->solve(again, Quantities::acceleration_potential);
        CHECK(again.acceleration == whole.acceleration);
        CHECK(again.potential == whole.potential);
        const ForceStatistics statistics =
            make_solver(direct(1))->solve(some, Quantities::acceleration_potential, active);
        CHECK(statistics.targets == active.size());
        for (std::size_t i = 0; i < some.size(); ++i) {
            const bool is_active =
                std::find(active.begin(), active.end(), Index(i)) != active.end();
            CHECK(some.acceleration[i] == (is_active ? whole.acceleration[i] : Vec3<double>{}));
            CHECK(some.potential[i] == (is_active ? whole.potential[i] : 0));
        }
    }
    omp_set_num_threads(all);
}

TEST_CASE("coincident particles raise an error without softening and exert no force with softening")
{
    Particles p = uniform_cube(50);
    p.position[20] = p.position[3];
    p.position[20].x += 1; // another image at the same position
    p.position[30] = p.position[3];
    CHECK_THROWS_AS(make_solver(direct(1))->solve(p, Quantities::acceleration), Error);
    const SolverOptions softened = direct(1, {SofteningKind::plummer, 0.01});
    make_solver(softened)->solve(p, Quantities::acceleration_potential);
    CHECK(norm(p.acceleration[20] - p.acceleration[3]) < 1e-12);
    CHECK(p.potential[30] < -2 * p.mass[0] / 0.011 + 10); // two further particles at distance 0
    p.position[7].z = std::nan("");
    CHECK_THROWS_AS(make_solver(softened)->solve(p, Quantities::acceleration), Error);
}

TEST_SUITE_END();
