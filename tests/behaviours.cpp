#include "tests/behaviours.hpp"

#include <functional>
#include <numeric>

#include <doctest/doctest.h>
#include <omp.h>

#include "core/error.hpp"
#include "tests/clouds.hpp"
#include "tests/force_errors.hpp"

namespace chamomile::tests {
namespace {

SolverOptions options_for(const Machine& machine)
{
    SolverOptions o;
    o.device = machine.device;
    o.instruction_set = machine.instruction_set;
    return o;
}

struct NamedCloud {
    const char* name;
    Particles particles;
    double length; // of the cloud, for its softening
};

/// Clouds on which single precision fails if coordinates, masses or units are handled carelessly.
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
        // A quadrupole that did nothing would leave the monopole's error.
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
    // A softening far larger than everything: the sums of a harmonic force, still exact.
    o.softening = {SofteningKind::plummer, 1e9};
    o.precision = Precision::single_precision;
    CHECK(errors_of(p, o, 1000).acceleration.p99 < 1e-6);
    o.precision = Precision::double_precision;
    // Cells with softening larger than they are: the expansion is that of the softened force.
    o.theta = 0.4;
    for (auto kind : {SofteningKind::plummer, SofteningKind::spline}) {
        o.softening = {kind, 0.3};
        const ForceErrors e = errors_of(p, o, 1000);
        CHECK(e.acceleration.rms < 2e-4);
        CHECK(e.potential.rms < 5e-5);
    }
}

namespace {

constexpr std::size_t seen = 64, around = 26;

/// 64 particles at places given by `place`, and 26 without mass around them.
Particles cell_and_observers(double distance, const std::function<Vec3<double>(Random&)>& place)
{
    Particles p = cloud(seen + around, 4, place);
    Random random(6);
    for (std::size_t i = seen; i < seen + around; ++i) {
        p.mass[i] = 0;
        p.position[i] = on_sphere(random, distance);
    }
    return p;
}

/// What the observers feel of one cell.
ForceErrors errors_of_cell(const Particles& particles, const SolverOptions& options)
{
    std::vector<Index> targets(around);
    std::iota(targets.begin(), targets.end(), Index(seen));
    Particles p = particles;
    const ForceStatistics statistics =
        make_solver(options)->solve(p, Quantities::acceleration_potential, targets);
    CHECK(statistics.particle_cell >= around);
    CHECK(statistics.particle_particle <= around * around);
    return force_errors(p, reference_sum(p, targets, options.softening, 1), targets);
}

} // namespace

void check_multipoles(const Machine& machine)
{
    SolverOptions o = options_for(machine);
    o.precision = Precision::double_precision;
    o.criterion = Criterion::geometric;
    o.theta = 0.6;
    o.local_order = 0; // every cell on its own
    o.leaf_size = 8;
    o.group_size = 1;
    // A skew rod of length 1 seen from 1e4 on all sides: octupoles and what follows are smaller
    // than (1e-4)^3, a hundredth of one component of the second moments is larger.
    const Particles rod = cell_and_observers(1e4, [](Random& random) {
        const Vec3<double> thickness{random(), random(), random()};
        return random(-0.5, 0.5) * Vec3<double>{1, 0.8, -0.6} + 0.1 * thickness;
    });
    // A lopsided cloud, and one that is its own mirror image about the centre, without odd moments.
    const auto lopsided = [](Random& random) {
        const double x = random(), y = random(), z = random();
        return Vec3<double>{x * x + 0.3 * y * y, y * y + 0.3 * z * z, z * z + 0.3 * x * x};
    };
    const auto skew = [&](double distance) { return cell_and_observers(distance, lopsided); };
    const auto even = [&](double distance) {
        Particles p = skew(distance);
        for (std::size_t i = 0; i < seen; i += 2)
            p.position[i + 1] = -1.0 * p.position[i];
        return p;
    };
    for (const Softening softening :
         {Softening{SofteningKind::plummer, 0}, Softening{SofteningKind::plummer, 0.5},
          Softening{SofteningKind::spline, 0.1}}) {
        CAPTURE(softening.length);
        const auto errors = [&](int order, double distance, const Particles& p) {
            CAPTURE(order);
            o.order = order;
            o.softening = softening;
            o.softening.length *= distance;
            return errors_of_cell(p, o);
        };
        const ForceErrors quadrupoles = errors(2, 1e4, rod), monopoles = errors(0, 1e4, rod);
        CHECK(quadrupoles.acceleration.max < 3e-13);
        CHECK(quadrupoles.potential.max < 3e-13);
        CHECK(monopoles.acceleration.max > 1e-10);
        CHECK(monopoles.potential.max > 1e-10);
        // What an order leaves out falls as that power of the distance.
        for (int order : {0, 2, 3, 4}) {
            CAPTURE(order);
            const ForceErrors near = errors(order, 100, skew(100)),
                              far = errors(order, 300, skew(300));
            const double power = order == 0 ? 2 : order + 1;
            CHECK(std::abs(std::log(near.acceleration.max / far.acceleration.max) / std::log(3) -
                           power) < 0.25);
            CHECK(std::abs(std::log(near.potential.max / far.potential.max) / std::log(3) - power) <
                  0.25);
        }
        // A hundredth of one component of the third (fourth) moments is larger.
        const ForceErrors octupoles = errors(3, 1000, skew(1000)),
                          hexadecapoles = errors(4, 300, even(300)),
                          all = errors(4, 300, skew(300));
        CHECK(octupoles.acceleration.max < 1.5e-13);
        CHECK(octupoles.potential.max < 2.6e-14);
        CHECK(all.acceleration.max < 4e-14);
        CHECK(all.potential.max < 6e-15);
        CHECK(hexadecapoles.acceleration.max < 8e-15);
        CHECK(hexadecapoles.potential.max < 2e-15);
        CHECK(errors(2, 1000, skew(1000)).acceleration.max > 4e-11);
        CHECK(errors(3, 300, even(300)).acceleration.max > 1e-10);
    }
}

void check_orders(const Machine& machine)
{
    const Particles p = hernquist(8009);
    SolverOptions o = options_for(machine);
    o.precision = Precision::double_precision;
    o.criterion = Criterion::geometric;
    o.theta = 0.6;
    o.group_size = 64;
    const std::vector<Index> targets = sample_targets(p.size(), 1031);
    // The second softening is as large as the cells.
    for (const Softening softening :
         {Softening{SofteningKind::plummer, 0}, Softening{SofteningKind::plummer, 0.3},
          Softening{SofteningKind::spline, 0.01}}) {
        CAPTURE(softening.length);
        o.softening = softening;
        const ReferenceSums exact = reference_sum(p, targets, softening, 1);
        for (int local_order : {0, 6}) {
            CAPTURE(local_order);
            o.local_order = local_order;
            double last[2] = {1, 1};
            for (int order : {0, 2, 3, 4}) {
                CAPTURE(order);
                o.order = order;
                Particles solved = p;
                make_solver(o)->solve(solved, Quantities::acceleration_potential);
                const ForceErrors e = force_errors(solved, exact, targets);
                CHECK(e.acceleration.rms < 0.6 * last[0]);
                CHECK(e.potential.rms < 0.6 * last[1]);
                last[0] = e.acceleration.rms;
                last[1] = e.potential.rms;
            }
        }
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
    }
    // Closer than float can tell about the group's centre, but not coincident: evaluated in double.
    p.position[700].x += 1e-13;
    o.solver = SolverKind::direct;
    const ForceErrors e = errors_of(p, o, 1000);
    CHECK(e.all_finite);
    CHECK(e.acceleration.max < 1e-5);
    CHECK(e.potential.max < 1e-6);
}

void check_outlier(const Machine& machine)
{
    // One particle far outside sets the unit of length for all; sums that leave float's range there
    // would be repaired, one by one and in double, and have no error at all.
    Particles p = plummer(5003);
    p.position[17] = {2e9, -1e8, 3e7};
    SolverOptions o = options_for(machine);
    o.softening.length = 1e-3;
    const std::vector<Index> targets = sample_targets(p.size(), 1000);
    const ReferenceSums exact = reference_sum(p, targets, o.softening, 1);
    for (int group_size : {0, 1}) // one particle has no radius to measure by
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
