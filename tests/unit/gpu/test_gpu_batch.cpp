// Batches of small systems on the first GPU. The suite is skipped without a GPU.
#include <doctest/doctest.h>

#include "chamomile/core/profile.hpp"
#include "tests/unit/batch_behaviours.hpp"
#include "tests/unit/gpu/on_gpu.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("gpu_batch");

TEST_CASE("sums of 1 to 300 bodies match plain loops with every softening")
{
    check_batch_sums("gpu");
}

TEST_CASE("a system has the bits of a call for it only")
{
    check_batch_bits("gpu");
}

TEST_CASE("steps are those of single runs, of second and of fourth order")
{
    check_batch_steps("gpu");
}

TEST_CASE("pairs too close for float are summed in double, coincident ones are refused")
{
    check_batch_repairs("gpu");
}

TEST_CASE("arrays on the GPU give the bits of arrays on the host")
{
    for (const bool per_particle : {false, true}) {
        SolverOptions options = direct_sums(0.05, "gpu", Precision::single_precision);
        options.softening.per_particle = per_particle;
        BatchSolver solver(options);
        BatchSystems systems({128, 5, 300, 1, 64, 129});
        const std::size_t n = systems.size();
        const Batch host = systems.batch(per_particle);
        BatchSums sums(n);
        solver.evaluate(host, sums.results());
        OnGpu position(host.position, n), velocity(host.velocity, n), mass(host.mass, n),
            softening(view_of(std::span(systems.softening)), n), acceleration(n, 3), jerk(n, 3);
        const Batch there{systems.offsets, position.view, velocity.view, mass.view,
                          per_particle ? softening.view : ArrayView{}};
        solver.evaluate(there, {acceleration.view, {}, {}, jerk.view});
        const auto equals = [&](const OnGpu& array, const std::vector<Vec3<double>>& expected) {
            const std::vector<double> rows = read_rows(array.view, n, 3, "gpu");
            return std::equal(rows.begin(), rows.end(), &expected[0].x);
        };
        CHECK(equals(acceleration, sums.acceleration));
        CHECK(equals(jerk, sums.jerk));

        const double step = 0.01;
        for (const BatchScheme scheme : {BatchScheme::leapfrog, BatchScheme::hermite}) {
            const BatchSteps steps{scheme, {&step, 1}, 3};
            solver.advance(host, steps);
            solver.advance(there, steps);
            CHECK(equals(position, systems.position));
            CHECK(equals(velocity, systems.velocity));
        }
    }
}

TEST_CASE("1e5 systems of 128 bodies take some milliseconds, with arrays on the GPU")
{
    constexpr std::size_t systems = 100000, bodies = 128, n = systems * bodies;
    if (free_gpu_memory(0) < 8e9)
        return;
    BatchSystems one({bodies});
    std::vector<double> x(3 * n), v(3 * n), m(n);
    std::vector<std::uint64_t> offsets;
    for (std::uint64_t b = 0; b <= systems; ++b)
        offsets.push_back(b * bodies);
    for (std::size_t i = 0; i < n; ++i) {
        m[i] = one.mass[i % bodies];
        for (std::size_t c = 0; c < 3; ++c) {
            x[3 * i + c] = (&one.position[i % bodies].x)[c] + double(i / bodies);
            v[3 * i + c] = (&one.velocity[i % bodies].x)[c];
        }
    }
    const std::ptrdiff_t stride = 3 * sizeof(double);
    OnGpu position(vectors_at(x.data(), stride), n), velocity(vectors_at(v.data(), stride), n),
        mass(view_of(std::span(m)), n), acceleration(n, 3), jerk(n, 3);
    BatchSolver solver(direct_sums(0.05, "gpu", Precision::single_precision));
    double best = 1e9, busy = 0;
    for (int run = 0; run < 6; ++run) {
        const double start = wall_clock_seconds();
        const ForceStatistics statistics =
            solver.evaluate({offsets, position.view, velocity.view, mass.view},
                            {acceleration.view, {}, {}, jerk.view});
        best = std::min(best, wall_clock_seconds() - start);
        busy = statistics.device_busy;
    }
    MESSAGE("1e5 x 128, force and jerk: " << 1e3 * best << " ms, the kernel " << 1e3 * busy
                                          << " ms");
    CHECK(best < 0.05);
}

TEST_SUITE_END();
