// The error terms that every evaluator's multipoles omit, and no others.
#include <cmath>
#include <functional>
#include <numeric>

#include <doctest/doctest.h>

#include "tests/unit/behaviours.hpp"
#include "tests/unit/clouds.hpp"
#include "tests/unit/force_errors.hpp"

namespace chamomile::tests {
namespace {

constexpr std::size_t seen = 64, around = 26;

/// 64 particles at positions from `place`, and 26 massless ones around them.
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

/// Errors at the observers from one cell. Each observer is evaluated alone, so expansions are
/// centered on it.
ForceErrors errors_of_cell(const Particles& particles, const SolverOptions& options)
{
    std::vector<Index> targets(around);
    std::iota(targets.begin(), targets.end(), Index(seen));
    Particles p = particles;
    const auto solver = make_solver(options);
    for (const Index& target : targets) {
        const ForceStatistics statistics =
            solver->solve(p, Quantities::acceleration_potential, {&target, 1});
        CHECK((options.local_order == 0 ? statistics.particle_cell : statistics.expansions) >= 1);
        CHECK(statistics.particle_particle <= around);
    }
    return force_errors(p, reference_sum(p, targets, options.softening, 1), targets);
}

} // namespace

void check_multipoles(const Machine& machine)
{
    SolverOptions o = options_for(machine);
    o.precision = Precision::double_precision;
    o.criterion = Criterion::geometric;
    o.theta = 0.6;
    o.leaf_size = 8;
    o.group_size = 1;
    // A skew rod with length 1 seen from 1e4 on all sides. Octupoles and higher terms are smaller
    // than (1e-4)^3; a hundredth of one second-moment component is larger.
    const Particles rod = cell_and_observers(1e4, [](Random& random) {
        const Vec3<double> thickness{random(), random(), random()};
        return random(-0.5, 0.5) * Vec3<double>{1, 0.8, -0.6} + 0.1 * thickness;
    });
    // A lopsided cloud, and a cloud symmetric about its center, without odd moments.
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
        // The field expanded about the target, where an expansion is exact; and each cell
        // separately.
        for (int local_order : {5, 0}) {
            CAPTURE(local_order);
            o.local_order = local_order;
            const ForceErrors quadrupoles = errors(2, 1e4, rod), monopoles = errors(0, 1e4, rod);
            CHECK(quadrupoles.acceleration.max < 3e-13);
            CHECK(quadrupoles.potential.max < 3e-13);
            CHECK(monopoles.acceleration.max > 1e-10);
            CHECK(monopoles.potential.max > 1e-10);
        }
        // The truncation error of an order falls with a power of distance.
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
        // A hundredth of one third (fourth) moment component is larger.
        for (int local_order : {5, 0}) {
            CAPTURE(local_order);
            o.local_order = local_order;
            const ForceErrors octupoles = errors(3, 1000, skew(1000)),
                              hexadecapoles = errors(4, 300, even(300)),
                              all = errors(4, 300, skew(300));
            CHECK(octupoles.acceleration.max < 1.5e-13);
            CHECK(octupoles.potential.max < 2.6e-14);
            CHECK(all.acceleration.max < 4e-14);
            CHECK(all.potential.max < 6e-15);
            CHECK(hexadecapoles.acceleration.max < 8e-15);
            CHECK(hexadecapoles.potential.max < 2e-15);
        }
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

} // namespace chamomile::tests
