// The time loop: observers, reuse of forces, reproducibility, and refusals.
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <vector>

#include <doctest/doctest.h>

#include "chamomile/core/error.hpp"
#include "chamomile/force/threads.hpp"
#include "chamomile/integrate/leapfrog.hpp"
#include "chamomile/integrate/simulation.hpp"
#include "tests/unit/error_line.hpp"
#include "tests/unit/reference_solver.hpp"
#include "tests/unit/within.hpp"

using namespace chamomile;
using tests::ReferenceSolver;

TEST_SUITE_BEGIN("simulation");

namespace {

const Softening softening{SofteningKind::plummer, 0.05};

/// Returns a cold cloud with n particles in a cube.
Particles cloud(std::size_t n)
{
    std::mt19937_64 random(7);
    const auto uniform = [&] { return double(random() >> 11) * 0x1p-53 - 0.5; };
    Particles particles;
    particles.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
        particles.id[i] = 100 + i;
        particles.mass[i] = 1.0 / double(n);
        particles.position[i] = {uniform(), uniform(), uniform()};
        particles.velocity[i] = {0.1 * uniform(), 0.1 * uniform(), 0.1 * uniform()};
    }
    return particles;
}

} // namespace

TEST_CASE("observers run when due and see the requested quantities")
{
    Particles particles = cloud(37);
    ReferenceSolver solver(softening);
    Simulation simulation(particles, solver, {.end_time = 1, .step = {.length = 0.03125}});
    std::vector<double> times;
    std::vector<std::uint64_t> steps;
    int each = 0;
    simulation.at_intervals(0.25, Quantities::acceleration_potential, [&](Simulation& now) {
        CHECK(now.has_potentials());
        times.push_back(now.time());
    });
    simulation.every_steps(10, Quantities::acceleration,
                           [&](Simulation& now) { steps.push_back(now.step()); });
    simulation.after_each_step([&](Simulation&) { ++each; });
    simulation.run();
    CHECK(times == std::vector<double>{0, 0.25, 0.5, 0.75, 1});
    CHECK(steps == std::vector<std::uint64_t>{0, 10, 20, 30, 32});
    CHECK(each == 32);
    // One evaluation per step plus one at the start; potentials only for observers that need them.
    CHECK(solver.evaluations == 33);
    CHECK(solver.potential_evaluations == 5);
    CHECK(simulation.total_statistics().targets == 33 * 37);
}

TEST_CASE("extra diagnostics cost an evaluation and change no particle")
{
    Particles plain = cloud(37), watched = plain;
    ReferenceSolver solver(softening);
    Simulation a(plain, solver, {.end_time = 0.5, .step = {.length = 0.0625}});
    a.run();
    Simulation b(watched, solver, {.end_time = 0.5, .step = {.length = 0.0625}});
    double energy = 0;
    b.after_each_step([&](Simulation& now) { energy = now.diagnostics().energy(); });
    b.run();
    CHECK(plain.position == watched.position);
    CHECK(energy < 0);
}

TEST_CASE("results do not depend on the number of threads")
{
    std::vector<Particles> ends;
    std::vector<Diagnostics> diagnostics;
    const int usual = thread_count();
    for (int threads : {1, 2, 3}) {
        use_threads(threads);
        Particles particles = cloud(4501);
        ReferenceSolver solver(softening);
        Simulation simulation(particles, solver, {.end_time = 0.01, .step = {.length = 0.01}});
        simulation.run();
        diagnostics.push_back(simulation.diagnostics());
        ends.push_back(particles);
    }
    use_threads(usual);
    for (int k : {1, 2}) {
        CHECK(ends[k].position == ends[0].position);
        CHECK(ends[k].velocity == ends[0].velocity);
        CHECK(diagnostics[k].energy() == diagnostics[0].energy());
        CHECK(diagnostics[k].angular_momentum == diagnostics[0].angular_momentum);
        CHECK(diagnostics[k].lagrangian_radii == diagnostics[0].lagrangian_radii);
    }
}

TEST_CASE("adaptive steps follow eta sqrt(eps / |a|) within their limits")
{
    Particles particles = cloud(3);
    particles.acceleration = {{3, 0, 0}, {0, 4, 0}, {0, 0, -1}};
    TimeStep step{.kind = TimeStepKind::adaptive, .eta = 0.2};
    CHECK(adaptive_time_step(shortest_time(particles, {0.01}), step, Clock::newtonian(), 0) ==
          within(1e-15, 0.2 * 0.05));
    step.longest = 0.004;
    CHECK(adaptive_time_step(shortest_time(particles, {0.01}), step, Clock::newtonian(), 0) ==
          0.004);
    step = {.kind = TimeStepKind::adaptive, .eta = 0.2, .shortest = 0.02};
    CHECK(adaptive_time_step(shortest_time(particles, {0.01}), step, Clock::newtonian(), 0) ==
          0.02);

    // From a potential: sqrt|phi| / |a| = 2/3, 1/4 and 9, the last limited by GM / |phi|^1.5.
    particles.potential = {-4, -1, -81};
    step = {.kind = TimeStepKind::adaptive, .eta = 0.2, .criterion = StepCriterion::potential};
    CHECK(adaptive_time_step(shortest_time(particles, {0, step.criterion, 1e9}), step,
                             Clock::newtonian(), 0) == within(1e-15, 0.05));
    CHECK(adaptive_time_step(shortest_time(particles, {0, step.criterion, 72.9}), step,
                             Clock::newtonian(), 0) == within(1e-15, 0.02));

    Particles falling = cloud(37);
    ReferenceSolver solver(softening);
    Simulation simulation(falling, solver,
                          {.end_time = 1, .step = {.kind = TimeStepKind::adaptive, .eta = 0.3}});
    int outputs = 0;
    double shortest = 1, longest = 0;
    simulation.at_intervals(0.2, Quantities::acceleration, [&](Simulation& now) {
        CHECK(now.time() == (outputs == 5 ? 1 : outputs * 0.2));
        ++outputs;
    });
    simulation.after_each_step([&](Simulation& now) {
        shortest = std::min(shortest, now.step_length());
        longest = std::max(longest, now.step_length());
    });
    simulation.run();
    CHECK(outputs == 6);
    CHECK(longest > 1.2 * shortest);
}

TEST_CASE("stop() ends the run after the current step")
{
    Particles particles = cloud(5);
    ReferenceSolver solver(softening);
    Simulation simulation(particles, solver, {.end_time = 1, .step = {.length = 0.01}});
    simulation.after_each_step([](Simulation& now) {
        if (now.step() == 3)
            now.stop();
    });
    simulation.run();
    CHECK(simulation.step() == 3);
    CHECK_FALSE(simulation.at_end());
}

TEST_CASE("particles stay in their arrays, readable by observers, however the run ends")
{
    Particles particles = cloud(37);
    const auto home = [&, x = particles.position.data(), v = particles.velocity.data(),
                       a = particles.acceleration.data(), phi = particles.potential.data()] {
        return particles.position.data() == x && particles.velocity.data() == v &&
               particles.acceleration.data() == a && particles.potential.data() == phi;
    };
    ReferenceSolver solver(softening);
    Simulation simulation(particles, solver, {.end_time = 1, .step = {.length = 0.03125}});
    int seen = 0;
    simulation.every_steps(3, Quantities::acceleration, [&](Simulation&) {
        ++seen;
        CHECK(home());
    });
    bool stops = true;
    simulation.after_each_step([&](Simulation& now) {
        if (now.step() == 23)
            stops ? now.stop() : throw std::runtime_error("by an observer");
    });
    SUBCASE("by stop()")
    {
        simulation.run();
    }
    SUBCASE("by an exception")
    {
        stops = false;
        CHECK_THROWS_AS(simulation.run(), std::runtime_error);
    }
    CHECK(seen == 8);
    CHECK(home());
}

TEST_CASE("particles leaving a periodic box re-enter on the opposite side")
{
    SolverOptions options;
    options.softening.length = 0.02;
    options.device = "cpu";
    options.box = 1;
    const auto solver = make_solver(options);
    Particles particles = cloud(37);
    for (Vec3<double>& v : particles.velocity)
        v += Vec3<double>{3, -2, 0};
    Leapfrog shared(*solver, TimeStep{.length = 0.125});
    Leapfrog individual(*solver, BlockSteps{.criterion = StepCriterion::softening});
    for (Integrator* integrator :
         {static_cast<Integrator*>(&shared), static_cast<Integrator*>(&individual)}) {
        Simulation simulation(particles, *integrator, 0, 0.5);
        simulation.every_steps(1, Quantities::acceleration, [](Simulation& now) {
            int outside = 0;
            for (const Vec3<double>& x : now.particles().position)
                for (double c : {x.x, x.y, x.z})
                    outside += !(c >= 0 && c < 1);
            CHECK((now.step() == 0 || outside == 0));
        });
        simulation.run();
    }
}

TEST_CASE("runs work for 0 to 3 particles")
{
    for (std::size_t n : {0, 1, 2, 3}) {
        Particles particles = cloud(n);
        const Particles start = particles;
        ReferenceSolver solver(softening);
        Simulation simulation(particles, solver, {.end_time = 1, .step = {.length = 0.25}});
        simulation.run();
        CHECK(simulation.step() == 4);
        CHECK(std::isfinite(simulation.diagnostics().energy()));
        if (n == 1)
            CHECK(norm(particles.position[0] - start.position[0] - start.velocity[0]) < 1e-15);
    }
}

TEST_CASE("a non-finite value ends the run and names particle and step")
{
    Particles particles = cloud(37);
    particles.velocity[17].y = std::numeric_limits<double>::max();
    ReferenceSolver solver(softening);
    Simulation simulation(particles, solver, {.end_time = 10, .step = {.length = 2}});
    const std::string message = error_line([&] { simulation.run(); });
    CHECK(message.find("particle id 117: position") == 0);
    CHECK(message.find("step 1") != message.npos);

    SolverOptions in_box;
    in_box.softening.length = 0.02;
    in_box.device = "cpu";
    in_box.box = 1;
    const auto periodic = make_solver(in_box);
    Particles boxed = cloud(37);
    boxed.velocity[17].y = std::numeric_limits<double>::max();
    Simulation box(boxed, *periodic, {.end_time = 10, .step = {.length = 2}});
    CHECK(error_line([&] { box.run(); }).find("particle id 117: position") == 0);

    particles = cloud(37);
    particles.position[3].z = std::nan("");
    Simulation second(particles, solver, {.end_time = 10, .step = {.length = 2}});
    CHECK(error_line([&] { second.run(); }).find("particle id 103: position") == 0);
}

TEST_CASE("wrong options are refused")
{
    Particles particles = cloud(3);
    ReferenceSolver hard, soft(softening);
    const double nan = std::nan("");
    for (double length : {0.0, -1.0, nan})
        CHECK_THROWS_AS(Simulation(particles, soft, {.end_time = 1, .step = {.length = length}}),
                        Error);
    CHECK_THROWS_AS(Simulation(particles, soft, {.start_time = 2, .end_time = 1}), Error);
    CHECK_THROWS_AS(
        Simulation(particles, hard, {.end_time = 1, .step = {.kind = TimeStepKind::adaptive}}),
        Error);
    CHECK_THROWS_AS(Simulation(particles, soft,
                               {.end_time = 1, .step = {.kind = TimeStepKind::adaptive, .eta = 0}}),
                    Error);
}

TEST_SUITE_END();
