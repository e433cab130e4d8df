// Periodic forces on a GPU against the host's.
#include <cmath>
#include <numbers>
#include <numeric>

#include <doctest/doctest.h>

#include "chamomile/force/gpu.hpp"
#include "chamomile/force/periodic/long_range_field.hpp"
#include "tests/unit/periodic_sets.hpp"
#include "tests/unit/requests.hpp"

using namespace chamomile;
using namespace chamomile::tests;

namespace {

Particles solved(Particles p, SolverOptions options, const std::string& device,
                 std::span<const Index> active = {})
{
    options.device = device;
    options.box = 1;
    if (options.group_size == 0)
        options.group_size = 200; // equal lists
    options.cluster_size = 8;
    options.leaf_size = 24;
    make_solver(options)->solve(p, Quantities::acceleration_potential, active);
    return p;
}

double difference(const Particles& a, const Particles& b)
{
    double error = 0, whole = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        error += norm_squared(a.acceleration[i] - b.acceleration[i]);
        whole += norm_squared(b.acceleration[i]);
    }
    return std::sqrt(error / whole);
}

/// Relative to the raw sum: the short range's mean, 4 pi r_s^2 M / V, is subtracted afterwards.
double difference_of_potentials(const Particles& a, const Particles& b, double split)
{
    const double mass = std::accumulate(b.mass.begin(), b.mass.end(), 0.0),
                 mean = 4 * std::numbers::pi * split * split * mass;
    double error = 0, whole = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        error += std::pow(a.potential[i] - b.potential[i], 2);
        whole += std::pow(std::abs(b.potential[i]) + mean, 2);
    }
    return std::sqrt(error / whole);
}

} // namespace

TEST_SUITE_BEGIN("gpu_periodic");

TEST_CASE("periodic forces on the GPU match the host")
{
    for (const PeriodicSet& set : periodic_sets(9973))
        for (const SofteningKind kind : {SofteningKind::plummer, SofteningKind::spline})
            for (const LongRangeKind range : {LongRangeKind::mesh, LongRangeKind::modes}) {
                CAPTURE(set.name);
                CAPTURE(int(kind));
                CAPTURE(int(range));
                SolverOptions options;
                options.softening = {kind, 0.001};
                options.periodic.long_range = range;
                const Particles host = solved(set.particles, options, "cpu"),
                                gpu = solved(set.particles, options, "gpu");
                CHECK(difference(gpu, host) < 1e-6 * set.error);
                const PeriodicOptions& periodic = options.periodic;
                const double split = range == LongRangeKind::modes
                                         ? max_of_periodic_box / periodic.cut
                                         : periodic.split / 48; // cells for 9973 particles
                CHECK(difference_of_potentials(gpu, host, split) < 1e-6);
                options.precision = Precision::double_precision;
                CHECK(difference(solved(set.particles, options, "gpu"),
                                 solved(set.particles, options, "cpu")) < 1e-12 * set.error);
            }
}

TEST_CASE("GPU and host agree for all orders, criteria and active particles")
{
    const PeriodicSet set = periodic_sets(9973)[1];
    for (const int order : {0, 2})
        for (const Criterion criterion :
             {Criterion::geometric, Criterion::moments, Criterion::minimum_distance}) {
            SolverOptions options;
            options.softening.length = 0.001;
            options.order = order;
            options.criterion = criterion;
            const Particles host = solved(set.particles, options, "cpu"),
                            gpu = solved(set.particles, options, "gpu");
            CHECK(difference(gpu, host) < 1e-6);
        }
    std::vector<Index> active;
    for (Index i = 3; i < set.particles.size(); i += 17)
        active.push_back(i);
    SolverOptions options;
    options.softening.length = 0.001;
    Particles host = solved(set.particles, options, "cpu", active),
              gpu = solved(set.particles, options, "gpu", active);
    CHECK(difference(gpu, host) < 1e-6);
    std::size_t changed = 0;
    for (const Vec3<double>& a : gpu.acceleration)
        changed += norm(a) > 0;
    CHECK(changed == active.size());
}

TEST_CASE("a reused tree follows particles across the box sides like the host")
{
    SolverOptions options;
    options.softening.length = 0.001;
    options.box = 1;
    options.group_size = 200; // equal lists
    options.cluster_size = 8;
    options.leaf_size = 24;
    options.device = "cpu";
    const auto on_host = make_solver(options);
    options.device = "gpu";
    const auto on_gpu = make_solver(options);
    Particles p = periodic_sets(9973)[1].particles, there = p;
    on_host->solve(p, Quantities::acceleration_potential);
    on_gpu->solve(there, Quantities::acceleration_potential);
    std::vector<Index> active;
    for (Index i = 3; i < p.size(); i += 7)
        active.push_back(i);
    for (const double shift : {0.02, 0.3}) { // common to all particles; each also moves
                                             // individually
        for (std::size_t i = 0; i < p.size(); ++i) {
            const double own = 1e-3 * double(i % 11) / 11;
            p.position[i] = Periodicity{1}.wrapped(p.position[i] + Vec3<double>{shift, own, -own});
        }
        there.position = p.position;
        for (const std::span<const Index> targets : {std::span<const Index>{}, {active}}) {
            const Asked asked{.active = targets, .keeps_tree = true};
            const auto host = solve(*on_host, p, asked, Quantities::acceleration_potential),
                       gpu = solve(*on_gpu, there, asked, Quantities::acceleration_potential);
            CHECK(gpu.kept_tree);
            CHECK(difference(there, p) < 1e-6);
            if (targets.empty()) { // few targets form different groups
                CHECK(gpu.particle_particle == host.particle_particle);
                CHECK(gpu.particle_cell == host.particle_cell);
            }
        }
    }
}

TEST_CASE("periodic forces are bitwise repeatable for any batch size")
{
    const Particles p = periodic_sets(50000)[1].particles;
    SolverOptions options;
    options.softening.length = 0.001;
    const Particles first = solved(p, options, "gpu");
    for (const int batch : {0, 1, 37}) {
        options.batch_size = batch;
        const Particles again = solved(p, options, "gpu");
        CHECK(again.acceleration == first.acceleration);
        CHECK(again.potential == first.potential);
    }
}

TEST_CASE("evaluations that keep keys and scratch in the memory of the last mesh have equal bits")
{
    const Particles p = periodic_sets(200003)[1].particles; // scratch of more than 1 MiB
    SolverOptions options;
    options.softening.length = 0.001;
    options.box = 1;
    options.device = "gpu";
    const auto solver = make_solver(options);
    Particles first = p;
    solver->solve(first, Quantities::acceleration_potential);
    for (int k = 0; k < 2; ++k) {
        Particles again = p;
        solver->solve(again, Quantities::acceleration_potential);
        CHECK(again.acceleration == first.acceleration);
        CHECK(again.potential == first.potential);
    }
}

TEST_CASE("the long range can be stored separately or left out")
{
    for (const LongRangeKind range : {LongRangeKind::mesh, LongRangeKind::modes}) {
        CAPTURE(int(range));
        const PeriodicSet set = periodic_sets(9973)[0];
        SolverOptions options;
        options.softening.length = 0.001;
        options.periodic.long_range = range;
        options.box = 1;
        options.device = "gpu";
        const auto solver = make_solver(options);
        Particles whole = set.particles, part = set.particles, left = set.particles;
        solver->solve(whole, Quantities::acceleration_potential);
        std::vector<Vec3<double>> apart(part.size());
        solve(*solver, part,
              {.long_range = LongRangePart::stored,
               .long_range_acceleration = view_of(std::span(apart))},
              Quantities::acceleration_potential);
        solve(*solver, left, {.long_range = LongRangePart::left_out});
        CHECK(left.acceleration == part.acceleration);
        CHECK(difference(part, whole) > 0.01);
        for (std::size_t i = 0; i < part.size(); ++i)
            part.acceleration[i] += apart[i];
        CHECK(difference(part, whole) < 1e-6 * set.error);
        const double split = split_radius(solver->options().periodic, 1);
        CHECK(difference_of_potentials(part, whole, split) < 1e-6);
    }
}

TEST_SUITE_END();
