// Identities for every solver, independent of accuracy: no tolerance is guessed.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

#include <doctest/doctest.h>

#include "tests/unit/clouds.hpp"
#include "tests/unit/solvers.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("symmetries");

namespace {

constexpr std::size_t n = 597;
const Softening softening{SofteningKind::plummer, 0x1p-5};

Particles solved(Particles particles, const SolverOptions& options)
{
    make_solver(options)->solve(particles, Quantities::acceleration_potential);
    return particles;
}

/// Returns the max difference between accelerations of a[i] and turn(b[i]), relative to |a[i]|.
double largest_difference(const Particles& a, const Particles& b, std::size_t count,
                          const std::function<Vec3<double>(const Vec3<double>&)>& turn)
{
    double largest = 0;
    for (std::size_t i = 0; i < count; ++i)
        largest = std::max(largest, norm(a.acceleration[i] - turn(b.acceleration[i])) /
                                        norm(a.acceleration[i]));
    return largest;
}

Vec3<double> same(const Vec3<double>& x)
{
    return x;
}

void for_all_solvers(const std::function<void(const SolverUnderTest&)>& check)
{
    for (const SolverUnderTest& solver : all_solvers(softening)) {
        CAPTURE(solver.name);
        check(solver);
    }
}

} // namespace

TEST_CASE("solvers work for 0 to 3 particles")
{
    for_all_solvers([](const SolverUnderTest& solver) {
        CHECK(solved({}, solver.options).size() == 0);
        const Particles one = solved(plummer(1), solver.options);
        CHECK(one.acceleration[0] == Vec3<double>{0, 0, 0});
        CHECK(one.potential[0] == 0);
        for (std::size_t few : {2, 3}) {
            const Particles particles = solved(plummer(few), solver.options);
            Vec3<double> sum;
            for (std::size_t i = 0; i < few; ++i)
                sum += particles.mass[i] * particles.acceleration[i];
            CHECK(norm(particles.acceleration[0]) > 0);
            CHECK(norm(sum) < solver.rounding * norm(particles.acceleration[0]));
        }
    });
}

TEST_CASE("forces do not depend on the particle order")
{
    const Particles plain = plummer(n);
    Particles shuffled = plain;
    const auto place = [](std::size_t i) { return i * 100 % n; }; // 100 and 597 are coprime
    for (std::size_t i = 0; i < n; ++i) {
        shuffled.mass[place(i)] = plain.mass[i];
        shuffled.position[place(i)] = plain.position[i];
    }
    for_all_solvers([&](const SolverUnderTest& solver) {
        const Particles a = solved(plain, solver.options), b = solved(shuffled, solver.options);
        for (std::size_t i = 0; i < n; ++i)
            REQUIRE(a.acceleration[i] == b.acceleration[place(i)]);
    });
}

TEST_CASE("quarter turns and mirror images transform the forces")
{
    const Particles plain = moved(uniform_cube(n), 1, {-0.5, -0.5, -0.5});
    for (const auto& [turn, back] : std::vector<std::pair<Vec3<double> (*)(const Vec3<double>&),
                                                          Vec3<double> (*)(const Vec3<double>&)>>{
             {[](const Vec3<double>& x) {
                  return Vec3<double>{-x.y, x.x, x.z};
              },
              [](const Vec3<double>& x) {
                  return Vec3<double>{x.y, -x.x, x.z};
              }},
             {[](const Vec3<double>& x) {
                  return Vec3<double>{x.y, x.z, x.x};
              },
              [](const Vec3<double>& x) {
                  return Vec3<double>{x.z, x.x, x.y};
              }},
             {[](const Vec3<double>& x) {
                  return Vec3<double>{x.x, x.y, -x.z};
              },
              [](const Vec3<double>& x) {
                  return Vec3<double>{x.x, x.y, -x.z};
              }}}) {
        Particles turned = plain;
        for (Vec3<double>& x : turned.position)
            x = turn(x);
        for_all_solvers([&, &back = back](const SolverUnderTest& solver) {
            const Particles a = solved(plain, solver.options), b = solved(turned, solver.options);
            CHECK(largest_difference(a, b, n, back) < solver.accuracy);
            CHECK_FALSE(largest_difference(a, b, n, same) < solver.accuracy);
        });
    }
}

TEST_CASE("scaling lengths and masses by powers of two scales forces bitwise")
{
    const Particles plain = plummer(n);
    for (const std::pair<int, int>& powers :
         {std::pair{3, 0}, std::pair{-4, 7}, std::pair{20, -30}, std::pair{-40, 11}}) {
        const int k = powers.first, j = powers.second;
        Particles scaled = plain;
        for (std::size_t i = 0; i < n; ++i) {
            scaled.position[i] = std::ldexp(1.0, k) * scaled.position[i];
            scaled.mass[i] = std::ldexp(scaled.mass[i], j);
        }
        for_all_solvers([&](const SolverUnderTest& solver) {
            SolverOptions options = solver.options;
            options.softening.length = std::ldexp(options.softening.length, k);
            const Particles a = solved(plain, solver.options), b = solved(scaled, options);
            for (std::size_t i = 0; i < n; ++i) {
                REQUIRE(std::ldexp(1.0, j - 2 * k) * a.acceleration[i] == b.acceleration[i]);
                REQUIRE(std::ldexp(a.potential[i], j - k) == b.potential[i]);
            }
        });
    }
}

TEST_CASE("a particle split in two halves exerts equal forces")
{
    const Particles plain = plummer(n);
    Particles split = plain;
    split.resize(n + 1);
    split.id[n] = 7;
    split.mass[17] = split.mass[n] = plain.mass[17] / 2;
    split.position[n] = plain.position[17];
    Particles wrong = split;
    wrong.mass[n] *= 1.5;
    for_all_solvers([&](const SolverUnderTest& solver) {
        // A different particle number gives a different tree, visible in the multipoles.
        const Particles a = solved(plain, solver.options);
        CHECK(largest_difference(a, solved(split, solver.options), n, same) < solver.accuracy);
        if (solver.options.solver == SolverKind::direct)
            CHECK_FALSE(largest_difference(a, solved(wrong, solver.options), n, same) <
                        solver.accuracy);
    });
}

TEST_CASE("massless tracers feel forces and exert none")
{
    const Particles plain = plummer(n);
    Particles traced = plain;
    const Particles tracers = uniform_cube(100);
    for (std::size_t i = 0; i < tracers.size(); ++i) {
        traced.id.push_back(i + 1);
        traced.mass.push_back(0);
        traced.position.push_back(tracers.position[i]);
    }
    traced.resize(traced.mass.size());
    Particles heavy = traced;
    heavy.mass[n] = plain.mass[0];
    for_all_solvers([&](const SolverUnderTest& solver) {
        const Particles a = solved(plain, solver.options), b = solved(traced, solver.options);
        CHECK(largest_difference(a, b, n, same) < solver.accuracy);
        for (std::size_t i = n; i < traced.size(); ++i)
            CHECK(norm(b.acceleration[i]) > 0);
        if (solver.options.solver == SolverKind::direct)
            CHECK_FALSE(largest_difference(a, solved(heavy, solver.options), n, same) <
                        solver.accuracy);
    });
}

TEST_CASE("doubling masses or G doubles the forces bitwise")
{
    const Particles plain = plummer(n);
    Particles doubled = plain;
    for (double& mass : doubled.mass)
        mass *= 2;
    for_all_solvers([&](const SolverUnderTest& solver) {
        const Particles a = solved(plain, solver.options), b = solved(doubled, solver.options);
        SolverOptions options = solver.options;
        options.gravitational_constant = 2;
        const Particles c = solved(plain, options);
        for (std::size_t i = 0; i < n; ++i) {
            REQUIRE(2.0 * a.acceleration[i] == b.acceleration[i]);
            REQUIRE(2.0 * a.acceleration[i] == c.acceleration[i]);
        }
    });
}

TEST_CASE("forces and torques sum to zero")
{
    struct Residue {
        double force, torque;
    };
    const auto residue = [](const Particles& p) {
        Vec3<double> force, torque;
        double force_scale = 0, torque_scale = 0;
        for (std::size_t i = 0; i < p.size(); ++i) {
            force += p.mass[i] * p.acceleration[i];
            torque += p.mass[i] * cross(p.position[i], p.acceleration[i]);
            force_scale += p.mass[i] * norm(p.acceleration[i]);
            torque_scale += p.mass[i] * norm(p.position[i]) * norm(p.acceleration[i]);
        }
        return Residue{norm(force) / force_scale, norm(torque) / torque_scale};
    };
    for_all_solvers([&](const SolverUnderTest& solver) {
        const bool tree = solver.options.solver == SolverKind::tree;
        const bool single = solver.options.precision == Precision::single_precision;
        // A tree's residue is a fraction of its rms error: 3.2e-4 for this model at theta = 0.6.
        const double limit = tree ? 0.3 * 3.2e-4 : single ? 1e-6 : 1e-14;
        Particles p = solved(plummer(4097), solver.options);
        CHECK(residue(p).force <= limit);
        CHECK(residue(p).torque <= limit);
        p.acceleration[17] = 1.5 * p.acceleration[17];
        p.acceleration[18] = (1 + 1e-9) * p.acceleration[18];
        CHECK_FALSE(residue(p).force <= limit);
    });
}

TEST_SUITE_END();
