// Batches of small systems on the host: sums, steps, and refusals by name.
#include <doctest/doctest.h>

#include "chamomile/core/error.hpp"
#include "chamomile/force/pairs/field_laws.hpp"
#include "chamomile/force/threads.hpp"
#include "tests/unit/batch_behaviours.hpp"
#include "tests/unit/error_line.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("batch");

TEST_CASE("sums of 1 to 300 bodies match plain loops with every softening")
{
    check_batch_sums("cpu");
}

TEST_CASE("a system has the bits of a call for it only")
{
    check_batch_bits("cpu");
}

TEST_CASE("a batch has the bits of a loop over pair solvers")
{
    BatchSystems systems({7, 128, 300});
    SolverOptions options = direct_sums(0.05, "cpu", Precision::single_precision);
    BatchSums sums(systems.size());
    BatchSolver(options).evaluate(systems.batch(), sums.results(false));
    FieldLaws laws(options);
    laws.take(options.softening, false);
    for (std::size_t b = 0; b < 3; ++b) {
        const Particles p = systems.particles(b);
        double mass = 1; // a power of two, as a batch has units
        for (const double m : systems.mass)
            while (m >= mass)
                mass *= 2;
        std::vector<double> masses = p.mass, row(4 * p.size());
        for (double& m : masses)
            m /= mass;
        std::vector<std::uint32_t> self(p.size());
        for (std::uint32_t i = 0; i < p.size(); ++i)
            self[i] = i;
        const auto positions = as_rows(std::span<const Vec3<double>>(p.position));
        laws.field().sum({positions, joined(p.size(), {positions, masses}), self, {}}, row);
        for (std::size_t i = 0; i < p.size(); ++i) {
            const std::uint64_t k = systems.offsets[b] + i;
            const Vec3<double> a{mass * row[4 * i], mass * row[4 * i + 1], mass * row[4 * i + 2]};
            REQUIRE(sums.acceleration[k] == a);
            REQUIRE(sums.potential[k] == mass * row[4 * i + 3]);
        }
    }
}

TEST_CASE("threads change no bit of sums and steps")
{
    const auto result = [](int threads) {
        const ThreadsInUse used(threads);
        BatchSystems systems({200, 3, 150, 1, 300, 77, 90, 91, 92, 93});
        BatchSums sums(systems.size());
        BatchSolver solver(direct_sums(0.05, "cpu", Precision::single_precision));
        solver.evaluate(systems.batch(), sums.results());
        const double step = 0.01;
        solver.advance(systems.batch(), {BatchScheme::hermite, {&step, 1}, 3});
        return std::tuple(sums.acceleration, sums.jerk, systems.position, systems.velocity);
    };
    CHECK(result(1) == result(2));
}

TEST_CASE("steps are those of single runs, of second and of fourth order")
{
    check_batch_steps("cpu");
}

TEST_CASE("pairs too close for float are summed in double, coincident ones are refused")
{
    check_batch_repairs("cpu");
}

TEST_CASE("arrays may be float and strided, and no result is needed")
{
    BatchSystems systems({4, 6});
    struct Record {
        float x, y, z, mass, ax, ay, az, phi;
    };
    std::vector<Record> records(10);
    for (std::size_t i = 0; i < 10; ++i) {
        const Vec3<double>& x = systems.position[i];
        records[i] = {float(x.x), float(x.y), float(x.z), float(systems.mass[i]), 0, 0, 0, 0};
        systems.position[i] = {records[i].x, records[i].y, records[i].z};
        systems.mass[i] = records[i].mass;
    }
    const auto stride = std::ptrdiff_t(sizeof(Record));
    BatchSolver solver(direct_sums(0.1));
    const Batch batch{systems.offsets,
                      vectors_at(&records[0].x, stride),
                      {},
                      numbers_at(&records[0].mass, stride)};
    solver.evaluate(batch,
                    {vectors_at(&records[0].ax, stride), numbers_at(&records[0].phi, stride)});
    BatchSums sums(10);
    solver.evaluate(systems.batch(), sums.results(false));
    for (std::size_t i = 0; i < 10; ++i) {
        CHECK(records[i].az == float(sums.acceleration[i].z));
        CHECK(records[i].phi == float(sums.potential[i]));
    }
    solver.evaluate(batch, {});
}

TEST_CASE("a failed run leaves positions and velocities as they were")
{
    BatchSystems systems({3, 2});
    systems.velocity[4] = {};
    systems.velocity[3] = {1e308, 0, 0};
    const auto position = systems.position, velocity = systems.velocity;
    const double step = 1e10;
    CHECK_THROWS_WITH_AS(BatchSolver(direct_sums(0.1))
                             .advance(systems.batch(), {BatchScheme::leapfrog, {&step, 1}, 2}),
                         doctest::Contains("not finite"), Error);
    CHECK(systems.position == position);
    CHECK(systems.velocity == velocity);
}

TEST_CASE("wrong options, offsets, values and arrays are refused by name")
{
    const auto refusal = [](auto change) {
        SolverOptions options = direct_sums(0.1);
        change(options);
        return error_line([&] { BatchSolver{options}; }, Fault::usage);
    };
    CHECK(refusal([](SolverOptions& o) { o.solver = SolverKind::tree; }) ==
          "solver tree: must be direct for a batch");
    CHECK(refusal([](SolverOptions& o) { o.box = 1; }) == "box: must be 0 for a batch");
    CHECK(refusal([](SolverOptions& o) { o.own_ranks = 2; }).find("one device") !=
          std::string::npos);

    BatchSolver solver(direct_sums(0.1));
    BatchSums sums(10);
    BatchSystems systems({4, 6});
    const auto line = [&](const std::vector<std::uint64_t>& offsets) {
        Batch batch = systems.batch();
        batch.offsets = offsets;
        return error_line([&] { solver.evaluate(batch, sums.results()); }, Fault::input);
    };
    CHECK(line({}) == "offsets: 0: must be 2 or more: the first body of each system, and the end");
    CHECK(line({1, 10}) == "offsets: 1: must begin with 0");
    CHECK(line({0, 6, 4, 10}) == "offsets: 4 after 6: must not decrease");
    CHECK(line({0, 4, 4, 10}) == "offsets: system 1: empty: must have one body or more");

    const auto usage = [&](auto change, FieldResults results) {
        Batch batch = systems.batch();
        change(batch);
        return error_line([&] { solver.evaluate(batch, results); }, Fault::usage);
    };
    const auto nothing = [](Batch&) {};
    FieldResults there = sums.results();
    there.jerk.on_device = true;
    CHECK(usage(nothing, there) == "arrays: on a GPU: must be on the host, like the solver");
    CHECK(usage([](Batch& b) { b.velocity = {}; }, sums.results()) ==
          "velocities: missing: needed for jerks");
    CHECK(usage([](Batch& b) { b.mass = {}; }, sums.results()) == "positions or masses: missing");
    CHECK(usage(nothing, {{}, {}, sums.results().acceleration}).find("tidal tensor: ") == 0);
    CHECK(usage([&](Batch& b) { b.softening = b.mass; }, sums.results()).find("softenings: ") == 0);

    const std::vector<double> steps{1, 2, 3};
    const auto moved = [&](std::span<const double> lengths) {
        return error_line(
            [&] {
                solver.advance(systems.batch(), {BatchScheme::leapfrog, lengths, 1});
            },
            Fault::input);
    };
    CHECK(moved(steps) == "step: 3 lengths: must be one, or one per system, 2");
    const double endless = INFINITY;
    CHECK(moved({&endless, 1}) == "step: inf: must be finite");

    systems.velocity[5].y = NAN;
    CHECK(error_line([&] { solver.evaluate(systems.batch(), sums.results()); }, Fault::input) ==
          "particle 5: velocity: nan: must be finite");
    solver.evaluate(systems.batch(), sums.results(false));
    systems.mass[7] = INFINITY;
    CHECK(error_line([&] { solver.evaluate(systems.batch(), sums.results(false)); },
                     Fault::input) == "particle 7: mass: inf: must be finite");
    systems.mass[7] = 1;
    systems.softening[2] = -1;
    SolverOptions own = direct_sums(0);
    own.softening.per_particle = true;
    CHECK(error_line([&] { BatchSolver(own).evaluate(systems.batch(true), sums.results(false)); },
                     Fault::input) == "particle 2: softening length: -1.000000: must be 0 or more");
    SolverOptions spline = direct_sums(0.1);
    spline.softening.kind = SofteningKind::spline;
    CHECK(error_line([&] { BatchSolver(spline).evaluate(systems.batch(), sums.results()); },
                     Fault::usage) == "softening: spline: must be plummer for jerks");
}

TEST_SUITE_END();
