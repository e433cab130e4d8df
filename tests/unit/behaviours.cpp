#include "tests/unit/behaviours.hpp"

#include <doctest/doctest.h>
#include <omp.h>

#include "chamomile/core/error.hpp"
#include "chamomile/core/instruction_sets.hpp"
#include "tests/unit/clouds.hpp"
#include "tests/unit/force_errors.hpp"

namespace chamomile::tests {

SolverOptions options_for(const Machine& machine)
{
    SolverOptions o;
    o.device = machine.device;
    o.instruction_set = machine.instruction_set;
    return o;
}

std::vector<Machine> every_set()
{
    std::vector<Machine> machines;
    for (const std::string& set : instruction_sets())
        machines.push_back({"cpu", set});
    return machines;
}

void check_behaviours(std::span<const Behaviour> behaviours, const std::vector<Machine>& machines)
{
    for (const Behaviour& behaviour : behaviours)
        SUBCASE(behaviour.name)
        {
            const bool each = behaviour.of_every_set || machines.size() == 1;
            for (const Machine& machine : each ? machines : std::vector<Machine>(1)) {
                CAPTURE(machine.instruction_set);
                behaviour.check(machine);
            }
        }
}

namespace {

struct NamedCloud {
    const char* name;
    Particles particles;
    double length; // cloud size, for softening
};

/// Clouds where single precision fails if coordinates, masses or units are handled carelessly.
std::vector<NamedCloud> hard_clouds()
{
    const std::size_t n = 4099;
    const Particles sphere = plummer(n);
    Particles unequal = sphere, tiny = moved(sphere, 1e-20, {}), huge = moved(sphere, 1e20, {}),
              outlier = sphere, coincident = sphere;
    Random random(5);
    for (std::size_t i = 0; i < n; ++i) {
        unequal.mass[i] = std::pow(10, -6 * random());
        tiny.mass[i] *= 1e-20;
        huge.mass[i] *= 1e20;
    }
    outlier.position[17] = {2e6, 1e5, -3e5};
    for (std::size_t i = 500; i < 900; ++i)
        coincident.position[i] = coincident.position[i % 7];
    return {{"plummer", sphere, 1},
            {"uniform cube", uniform_cube(n), 1},
            {"far from the origin", moved(sphere, 1e-3, {1e3, -1e3, 1e3}), 1e-3},
            {"unequal masses", unequal, 1},
            {"tiny units", tiny, 1e-20},
            {"huge units", huge, 1e20},
            {"outlier", outlier, 1},
            {"coincident", coincident, 1}};
}

bool same(const Particles& a, const Particles& b)
{
    return a.acceleration == b.acceleration && a.potential == b.potential;
}

} // namespace

void check_direct_errors(const Machine& machine)
{
    SolverOptions o = options_for(machine);
    o.solver = SolverKind::direct;
    for (const NamedCloud& cloud : hard_clouds())
        for (double eps : {0.0, 0.01})
            for (auto kind : {SofteningKind::plummer, SofteningKind::spline}) {
                if (eps == 0 && std::string(cloud.name) == "coincident")
                    continue;
                CAPTURE(cloud.name);
                CAPTURE(eps);
                CAPTURE(int(kind));
                o.softening = {kind, eps * cloud.length};
                o.precision = Precision::single_precision;
                const ForceErrors single = errors_of(cloud.particles, o, 1031);
                CHECK(single.all_finite);
                CHECK(single.acceleration.p99 < 1e-6);
                CHECK(single.acceleration.max < 1e-5);
                CHECK(single.potential.max < 1e-6);
                o.precision = Precision::double_precision;
                const ForceErrors twice = errors_of(cloud.particles, o, 1031);
                CHECK(twice.acceleration.max < 1e-12);
                CHECK(twice.potential.max < 1e-12);
            }
}

void check_tree_errors(const Machine& machine)
{
    const std::size_t n = 32768;
    const NamedCloud clouds[] = {{"plummer", plummer(n), 1},
                                 {"hernquist", hernquist(n), 1},
                                 {"thin disk", thin_disk(n), 1},
                                 {"uniform cube", uniform_cube(n), 1}};
    SolverOptions o = options_for(machine);
    o.group_size = 64;
    const std::vector<Index> targets = sample_targets(n, 4096);
    for (const NamedCloud& cloud : clouds) {
        CAPTURE(cloud.name);
        const ReferenceSums exact = reference_sum(cloud.particles, targets, {}, 1);
        const auto errors = [&](double theta, int order) {
            o.criterion = Criterion::geometric;
            o.theta = theta;
            o.order = order;
            Particles p = cloud.particles;
            make_solver(o)->solve(p, Quantities::acceleration_potential);
            return force_errors(p, exact, targets);
        };
        const ForceErrors wide = errors(0.6, 2), narrow = errors(0.4, 2), mono = errors(0.6, 0);
        CHECK(wide.acceleration.rms <= 1e-3);
        CHECK(wide.acceleration.p99 <= 3e-3);
        CHECK(wide.acceleration.max <= 2e-2);
        CHECK(wide.potential.rms <= 2e-4);
        CHECK(narrow.acceleration.rms <= 2e-4);
        CHECK(narrow.acceleration.max <= 3e-3);
        CHECK(narrow.potential.max <= 3e-4);
        // A quadrupole without effect would leave the monopole's error.
        CHECK(wide.acceleration.rms < 0.5 * mono.acceleration.rms);
    }
}

void check_tree_becomes_direct(const Machine& machine)
{
    const Particles p = plummer(5003);
    SolverOptions o = options_for(machine);
    o.criterion = Criterion::geometric;
    o.theta = 1e-9;
    o.precision = Precision::double_precision;
    for (auto kind : {SofteningKind::plummer, SofteningKind::spline}) {
        o.softening = {kind, 0.02};
        const ForceErrors e = errors_of(p, o, 1000);
        CHECK(e.acceleration.max < 1e-13 * 10);
        CHECK(e.potential.max < 1e-13);
    }
    // A softening far larger than the cloud: harmonic forces, still exact.
    o.softening = {SofteningKind::plummer, 1e9};
    o.precision = Precision::single_precision;
    CHECK(errors_of(p, o, 1000).acceleration.p99 < 1e-6);
    o.precision = Precision::double_precision;
    // Cells smaller than the softening: multipoles expand the softened force.
    o.theta = 0.4;
    for (auto kind : {SofteningKind::plummer, SofteningKind::spline}) {
        o.softening = {kind, 0.3};
        const ForceErrors e = errors_of(p, o, 1000);
        CHECK(e.acceleration.rms < 2e-4);
        CHECK(e.potential.rms < 5e-5);
    }
}

void check_small_numbers(const Machine& machine)
{
    SolverOptions o = options_for(machine);
    for (auto kind : {SolverKind::tree, SolverKind::direct}) {
        o.solver = kind;
        for (std::size_t n : {0, 1, 2, 3, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 257}) {
            CAPTURE(n);
            Particles p = plummer(n, n + 1);
            make_solver(o)->solve(p, Quantities::acceleration_potential);
            if (n == 1) {
                CHECK(p.acceleration[0] == Vec3<double>{0, 0, 0});
                CHECK(p.potential[0] == 0);
            }
            if (n > 1) {
                const auto targets = sample_targets(n, n);
                const ForceErrors e = force_errors(p, reference_sum(p, targets, {}, 1), targets);
                CHECK(e.acceleration.max < (kind == SolverKind::direct ? 1e-5 : 1e-2));
            }
        }
    }
}

void check_coincident_particles(const Machine& machine)
{
    Particles p = plummer(1000);
    p.position[700] = p.position[30];
    SolverOptions o = options_for(machine);
    for (auto kind : {SolverKind::tree, SolverKind::direct}) {
        o.solver = kind;
        o.softening.length = 0;
        CHECK_THROWS_WITH_AS(make_solver(o)->solve(p, Quantities::acceleration),
                             doctest::Contains("particles with ids 1"), Error);
        try {
            make_solver(o)->solve(p, Quantities::acceleration);
        } catch (const Error& error) {
            CHECK(std::string(error.what()).find("1030") != std::string::npos);
            CHECK(std::string(error.what()).find("1700") != std::string::npos);
            CHECK(error.fault() == Fault::input);
        }
        Particles nameless = p; // from a program without ids
        std::fill(nameless.id.begin(), nameless.id.end(), 0);
        CHECK_THROWS_WITH_AS(make_solver(o)->solve(nameless, Quantities::acceleration),
                             doctest::Contains("particles 30 and 700: position"), Error);
    }
    // Closer than float can tell about the group's center, but not coincident: evaluated in double.
    p.position[700].x += 1e-13;
    o.solver = SolverKind::direct;
    const ForceErrors e = errors_of(p, o, 1000);
    CHECK(e.all_finite);
    CHECK(e.acceleration.max < 1e-5);
    CHECK(e.potential.max < 1e-6);
}

void check_outlier(const Machine& machine)
{
    // One distant particle sets the unit of length for all. Sums outside float's range would be
    // repaired one by one in double, without error.
    Particles p = plummer(5003);
    p.position[17] = {2e9, -1e8, 3e7};
    SolverOptions o = options_for(machine);
    o.softening.length = 1e-3;
    const std::vector<Index> targets = sample_targets(p.size(), 1000);
    const ReferenceSums exact = reference_sum(p, targets, o.softening, 1);
    for (int group_size : {0, 1}) // one particle has no size to scale by
        for (int order : {2, 3, 4})
            for (int local_order : {0, 5}) {
                CAPTURE(order);
                o.order = order;
                o.group_size = group_size;
                o.local_order = local_order;
                make_solver(o)->solve(p, Quantities::acceleration_potential);
                std::size_t repaired = 0;
                for (std::size_t k = 0; k < targets.size(); ++k)
                    repaired += norm(p.acceleration[targets[k]] - exact.acceleration[k]) <
                                1e-10 * norm(exact.acceleration[k]);
                CHECK(repaired == 0);
                CHECK(force_errors(p, exact, targets).acceleration.p99 < 2e-3);
            }
}

void check_negative_masses(const Machine& machine)
{
    Particles p = plummer(2000);
    for (std::size_t i = 0; i < p.size(); i += 2)
        p.mass[i] = -p.mass[i];
    SolverOptions o = options_for(machine);
    CHECK_THROWS_WITH_AS(make_solver(o)->solve(p, Quantities::acceleration),
                         doctest::Contains("mass: -0.0005"), Error);
    o.solver = SolverKind::direct;
    const ForceErrors e = errors_of(p, o, 1000);
    CHECK(e.scaled.p99 < 3e-7);
}

void check_active_subset(const Machine& machine)
{
    const Particles p = plummer(3001);
    SolverOptions o = options_for(machine);
    o.precision = Precision::double_precision;
    o.solver = SolverKind::direct;
    o.softening.length = 0.01;
    std::vector<Index> active;
    for (Index i = 5; i < p.size(); i += 7)
        active.push_back(i);
    Particles all = p, some = p;
    make_solver(o)->solve(all, Quantities::acceleration_potential);
    std::vector<Index> twice(active.rbegin(), active.rend());
    twice.insert(twice.end(), active.begin(), active.end());
    const ForceStatistics statistics =
        make_solver(o)->solve(some, Quantities::acceleration_potential, twice);
    CHECK(statistics.targets == active.size());
    CHECK(statistics.particle_particle == active.size() * p.size());
    for (Index i = 0; i < p.size(); ++i) {
        const bool is_active = i % 7 == 5;
        if (is_active)
            CHECK(norm(some.acceleration[i] - all.acceleration[i]) <
                  1e-12 * norm(all.acceleration[i]));
        else
            CHECK(some.acceleration[i] == Vec3<double>{0, 0, 0});
    }
}

void check_independence_of_threads(const Machine& machine)
{
    const Particles p = hernquist(20011);
    SolverOptions o = options_for(machine);
    o.softening.length = 0.01;
    const int threads = omp_get_max_threads();
    for (auto kind : {SolverKind::tree, SolverKind::direct}) {
        o.solver = kind;
        Particles first = p;
        make_solver(o)->solve(first, Quantities::acceleration_potential);
        omp_set_num_threads(1);
        const auto growing = make_solver(o); // begun with one thread
        for (int n : {1, 2, 5}) {
            omp_set_num_threads(n);
            Particles again = p;
            const auto solver = make_solver(o);
            solver->solve(again, Quantities::acceleration_potential);
            CHECK(same(first, again));
            solver->solve(again, Quantities::acceleration_potential); // with used buffers
            CHECK(same(first, again));
            Particles grown = p;
            growing->solve(grown, Quantities::acceleration_potential);
            CHECK(same(first, grown));
            omp_set_num_threads(threads);
        }
    }
}

void check_potential_changes_nothing(const Machine& machine)
{
    const Particles p = plummer(4099);
    SolverOptions o = options_for(machine);
    for (int order : {2, 3, 4})
        for (auto solver : {SolverKind::tree, SolverKind::direct})
            for (auto precision : {Precision::single_precision, Precision::double_precision})
                for (auto kind : {SofteningKind::plummer, SofteningKind::spline}) {
                    if (order > 2 && solver == SolverKind::direct)
                        continue;
                    CAPTURE(order);
                    CAPTURE(int(solver));
                    CAPTURE(int(precision));
                    o.order = order;
                    CAPTURE(int(kind));
                    o.solver = solver;
                    o.precision = precision;
                    o.softening = {kind, 0.02};
                    Particles without = p, with = p;
                    make_solver(o)->solve(without, Quantities::acceleration);
                    make_solver(o)->solve(with, Quantities::acceleration_potential);
                    std::size_t different = 0;
                    for (std::size_t i = 0; i < p.size(); ++i)
                        different += !(without.acceleration[i] == with.acceleration[i]);
                    CHECK(different == 0);
                }
}

void check_exact_scaling(const Machine& machine)
{
    const Particles p = plummer(3001);
    for (int order : {2, 4}) {
        CAPTURE(order);
        SolverOptions o = options_for(machine);
        o.order = order;
        o.softening.length = 0.0625;
        Particles base = p, scaled = moved(p, 0x1p40, {});
        for (double& m : scaled.mass)
            m *= 0x1p-30;
        make_solver(o)->solve(base, Quantities::acceleration_potential);
        o.softening.length = 0.0625 * 0x1p40;
        make_solver(o)->solve(scaled, Quantities::acceleration_potential);
        for (std::size_t i = 0; i < p.size(); ++i) {
            CHECK(scaled.acceleration[i] == 0x1p-110 * base.acceleration[i]);
            CHECK(scaled.potential[i] == 0x1p-70 * base.potential[i]);
        }
    }
}

} // namespace chamomile::tests
