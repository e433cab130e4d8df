#include "app/measure/pair_ceiling.hpp"

#include <algorithm>

#include "chamomile/force/evaluator.hpp"
#include "chamomile/force/threads.hpp"

namespace chamomile::app {
namespace {

constexpr std::size_t targets = 1024, sources = 1024;
constexpr int lists_per_thread = 2;

/// Clouds holds a target cloud per thread in a cube of side 1, and a source cloud ten lengths away.
struct Clouds {
    Octree octree;
    Moments moments;
    TargetGroups groups;

    explicit Clouds(std::size_t threads)
    {
        const std::size_t n = threads * targets + sources;
        octree.size = n;
        for (std::size_t i = 0; i < n; ++i) {
            // Multiples of three square roots modulo 1 are uniform and never coincide.
            const auto part = [i](double root) { return std::fmod(double(i + 1) * root, 1.0); };
            Vec3<double> x{part(1.4142135623730951), part(1.7320508075688772),
                           part(2.2360679774997898)};
            if (i >= threads * targets)
                x.x += 10;
            octree.sources.push_back({x, 1.0 / double(n)});
            octree.order.push_back(Index(i));
        }
        const Box box{{0, 0, 0}, {1, 1, 1}};
        for (std::size_t t = 0; t < threads; ++t)
            groups.groups.push_back({Index(t * targets), Index((t + 1) * targets), box.center(),
                                     box, 0.5 * norm(box.high - box.low)});
        groups.target_count = threads * targets;
    }
};

} // namespace

double pair_ceiling(const SolverOptions& solver, Quantities quantities, double seconds)
{
    const int threads = thread_count();
    const Clouds clouds{std::size_t(threads)};
    const auto evaluator = make_host_evaluator(solver.precision, solver.instruction_set);
    const auto submit = [&](int thread) {
        auto lists = evaluator->new_lists();
        const Group& group = clouds.groups.groups[std::size_t(thread)];
        lists->ranges.push_back({Index(std::size_t(threads) * targets), 0});
        lists->rows.push_back({group.begin,
                               group.end,
                               no_cluster,
                               0,
                               0,
                               0,
                               0,
                               0,
                               1,
                               Index(sources),
                               group.center,
                               group.radius,
                               {},
                               0});
        evaluator->submit(std::move(lists));
    };
    std::vector<Vec3<double>> accelerations(clouds.octree.size);
    std::vector<double> potentials(
        quantities == Quantities::acceleration_potential ? clouds.octree.size : 0);
    double best = 0;
    const double end = wall_clock_seconds() + seconds;
    do {
        evaluator->begin(
            {&clouds.octree, &clouds.moments, &clouds.groups, InternalScale::of(11, 0, 1),
             solver.softening, solver.order, quantities, 0,
             ForceOutput{view_of(std::span(accelerations)), view_of(std::span(potentials))}});
        double slowest = 0;
#pragma omp parallel for schedule(static, 1) reduction(max : slowest)
        for (int thread = 0; thread < threads; ++thread) {
            submit(thread); // warms the cache
            const double start = wall_clock_seconds();
            for (int k = 0; k < lists_per_thread; ++k)
                submit(thread);
            slowest = wall_clock_seconds() - start;
        }
        best = std::max(best,
                        double(threads) * lists_per_thread * double(targets * sources) / slowest);
    } while (wall_clock_seconds() < end);
    return best;
}

} // namespace chamomile::app
