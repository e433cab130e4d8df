// Hierarchical steps: momentum, reversibility, order, bits, borders, boxes and external fields.
#include <algorithm>
#include <array>
#include <cmath>

#include <doctest/doctest.h>

#include "chamomile/core/error.hpp"
#include "chamomile/core/files/memory_archive.hpp"
#include "chamomile/force/threads.hpp"
#include "chamomile/integrate/comoving_clock.hpp"
#include "chamomile/integrate/leapfrog.hpp"
#include "chamomile/integrate/simulation.hpp"
#include "tests/unit/clouds.hpp"
#include "tests/unit/error_line.hpp"
#include "tests/unit/few_bodies.hpp"
#include "tests/unit/followed.hpp"
#include "tests/unit/periodic_sets.hpp"
#include "tests/unit/restart_runs.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("hierarchical_steps");

namespace {

/// Sums over all pairs with one softening. The lengths of particles only set their steps.
class PlainPairs final : public Solver {
public:
    explicit PlainPairs(double eps) : squared_(eps * eps)
    {
        options_.solver = SolverKind::direct;
        options_.softening = {SofteningKind::plummer, 1e9};
    }
    ForceStatistics evaluate(const Request& request) override
    {
        ForceStatistics statistics;
        statistics.targets = request.count;
        for (std::size_t i = 0; i < request.count; ++i) {
            Vec3<double> sum;
            double potential = 0;
            for (std::size_t j = 0; j < request.count; ++j) {
                if (i == j)
                    continue;
                const Vec3<double> d =
                    request.position.load_vector(j) - request.position.load_vector(i);
                const double r = std::sqrt(norm_squared(d) + squared_);
                sum += (request.mass.load(j) / (r * r * r)) * d;
                potential -= request.mass.load(j) / r;
            }
            request.acceleration.store_vector(i, sum);
            if (request.potential)
                request.potential.store(i, 0, potential);
        }
        sizes.push_back(request.count);
        return statistics;
    }
    std::string device() const override { return "plain"; }
    const SolverOptions& options() const override { return options_; }

    std::vector<std::size_t> sizes; ///< of the sets, in order

private:
    double squared_;
    SolverOptions options_;
};

BlockSteps hierarchical(BlockSteps steps = {})
{
    steps.scheme = BlockScheme::hierarchical;
    return steps;
}

Vec3<double> momentum(const Particles& particles)
{
    Vec3<double> sum;
    for (std::size_t i = 0; i < particles.size(); ++i)
        sum += particles.mass[i] * particles.velocity[i];
    return sum;
}

double farthest(const Particles& a, const Particles& b)
{
    double farthest = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        farthest = std::max(
            {farthest, norm(a.position[i] - b.position[i]), norm(a.velocity[i] - b.velocity[i])});
    return farthest;
}

/// Takes whole steps of this length.
void move(Leapfrog& leapfrog, Particles& particles, double length, std::uint64_t steps = 1)
{
    leapfrog.start(particles, Quantities::acceleration, {0, 0});
    for (std::uint64_t k = 0; k < steps; ++k)
        leapfrog.step(particles, length, Quantities::acceleration, {k + 1, double(k) * length});
}

/// Gives each particle a length, for PlainPairs, with which criterion 'softening' asks for a step
/// between 2^-level and twice this, as long as accelerations hardly change.
void fix_levels(Particles& particles, const std::vector<int>& levels, double eps, double eta)
{
    PlainPairs solver(eps);
    solver.solve(particles, Quantities::acceleration);
    for (std::size_t i = 0; i < particles.size(); ++i) {
        const double step = 1.4 * std::ldexp(1.0, -levels[i]) / eta;
        particles.softening.push_back(step * step * norm(particles.acceleration[i]));
    }
}

/// Counts the particle steps of each level of the whole step 1.
std::vector<std::uint64_t> steps_of_levels(const Leapfrog& leapfrog, int levels)
{
    std::vector<std::uint64_t> steps(std::size_t(levels) + 1);
    for (const auto& [exponent, rung] : leapfrog.report().rungs)
        steps[std::size_t(-exponent)] = rung.particle_steps;
    return steps;
}

} // namespace

TEST_CASE("all particles on one rung equal the shared scheme bitwise")
{
    SolverOptions options;
    options.softening.length = 0.05;
    options.device = "cpu";
    const auto solver = make_solver(options);
    for (const int level : {0, 2}) {
        CAPTURE(level);
        const double step = std::ldexp(1.0, -6), whole = std::ldexp(step, level);
        Particles together = set_in_motion(603), apart = together;
        Leapfrog shared(*solver, {.length = step}),
            nested(*solver, hierarchical({.eta = 1e3, .longest = step}));
        shared.start(together, Quantities::acceleration, {0, 0});
        for (int k = 0; k < 1 << level; ++k)
            shared.step(together, step, Quantities::acceleration, {std::uint64_t(k + 1), k * step});
        move(nested, apart, whole);
        CHECK(same_bits(together.position, apart.position));
        CHECK(same_bits(together.velocity, apart.velocity));
        CHECK(same_bits(together.acceleration, apart.acceleration));
        CHECK(nested.report().deepest == std::uint64_t(level));
    }
}

TEST_CASE("total momentum is kept to rounding with direct sums")
{
    const auto drift = [](BlockScheme scheme, bool per_particle = false) {
        SolverOptions options;
        options.solver = SolverKind::direct;
        options.precision = Precision::double_precision;
        options.softening.length = 0.02;
        options.device = "cpu";
        const auto solver = make_solver(options);
        Leapfrog leapfrog(*solver, {.eta = 0.05, .scheme = scheme});
        Particles particles = set_in_motion(400);
        for (std::size_t i = 0; per_particle && i < particles.size(); ++i)
            particles.softening.push_back(i % 3 == 0 ? 0.01 : 0.02);
        const Vec3<double> start = momentum(particles);
        move(leapfrog, particles, 0.125, 8);
        CHECK(leapfrog.report().deepest >= 3);
        return norm(momentum(particles) - start);
    };
    const double nested = drift(BlockScheme::hierarchical), all = drift(BlockScheme::all);
    MESSAGE("drift " << nested << ", by forces of all " << all);
    CHECK(nested < 1e-13);
    CHECK(drift(BlockScheme::hierarchical, true) < 1e-13);
    CHECK(all > 1e-6);
}

TEST_CASE("with fixed rungs a step back returns to the start")
{
    constexpr double eps = 0.3, eta = 1;
    Particles particles = set_in_motion(40);
    for (std::size_t i = 0; i < particles.size(); ++i) {
        particles.position[i] = 8.0 * particles.position[i];
        particles.velocity[i] = 0.2 * particles.velocity[i];
    }
    std::vector<int> levels;
    for (std::size_t i = 0; i < particles.size(); ++i)
        levels.push_back(int(i * i % 7) + 1); // 1, 2, 3, 5
    fix_levels(particles, levels, eps, eta);
    const Particles start = particles;
    std::vector<std::uint64_t> before;
    for (const int way : {1, -1}) {
        PlainPairs solver(eps);
        Leapfrog leapfrog(solver,
                          hierarchical({.criterion = StepCriterion::softening, .eta = eta}));
        move(leapfrog, particles, 1);
        const auto steps = steps_of_levels(leapfrog, 7);
        for (int level = 1; level <= 7; ++level)
            CHECK(steps[std::size_t(level)] == std::uint64_t(std::ranges::count(levels, level))
                                                   << level);
        CHECK(farthest(start, particles) * way > (way > 0 ? 0.01 : -1));
        for (Vec3<double>& v : particles.velocity)
            v = -1.0 * v;
    }
    CHECK(farthest(start, particles) < 1e-13);
}

TEST_CASE("sets that keep their members are evaluated once where a step ends and begins")
{
    constexpr double eps = 0.3, eta = 1;
    Particles particles = set_in_motion(40);
    for (Vec3<double>& x : particles.position)
        x = 8.0 * x;
    std::vector<int> levels(40, 0);
    levels[3] = levels[5] = 2;
    levels[17] = 4; // levels 1 and 3 are empty
    fix_levels(particles, levels, eps, eta);
    PlainPairs solver(eps);
    Leapfrog leapfrog(solver, hierarchical({.criterion = StepCriterion::softening, .eta = eta}));
    move(leapfrog, particles, 1);
    const auto count = [&](std::size_t n) { return std::ranges::count(solver.sizes, n); };
    CHECK(count(40) == 2);     // the start, and the end
    CHECK(count(3) == 1 + 4);  // the begin, and each end of a step of level 2
    CHECK(count(1) == 1 + 16); // of level 4
    CHECK(solver.sizes.size() == 24);
    CHECK(leapfrog.report().rungs.size() == 3);
}

TEST_CASE("a binary 12 levels below the outer orbit keeps momentum and both orbits")
{
    // Two bodies of mass 1/2 at the distance a, on an orbit about a third of mass 1 at distance 1.
    constexpr double a = 3e-3;
    Particles particles;
    particles.resize(3);
    particles.id = {1, 2, 3};
    particles.mass = {0.5, 0.5, 1};
    const double outer = std::sqrt(2.0) / 2, inner = std::sqrt(1 / a) / 2;
    particles.position = {{0.5, a / 2, 0}, {0.5, -a / 2, 0}, {-0.5, 0, 0}};
    particles.velocity = {{-inner, outer, 0}, {inner, outer, 0}, {0, -outer, 0}};
    fix_levels(particles, {15, 15, 3}, 0, 1);
    PlainPairs solver(0);
    Leapfrog leapfrog(solver, hierarchical({.criterion = StepCriterion::softening, .eta = 1}));
    move(leapfrog, particles, 0.125, 4);
    CHECK(leapfrog.report().deepest == 12);
    CHECK(norm(momentum(particles)) < 1e-12); // of 2^15 kicks
    const Vec3<double> center = 0.5 * (particles.position[0] + particles.position[1]);
    CHECK(std::abs(norm(center - particles.position[2]) - 1) < 0.01);
    const Vec3<double> between = particles.position[0] - particles.position[1],
                       speed = particles.velocity[0] - particles.velocity[1];
    CHECK(0.5 * norm_squared(speed) - 1 / norm(between) == doctest::Approx(-0.5 / a).epsilon(1e-3));
}

TEST_CASE("hierarchical steps converge with second order on orbits of eccentricity 0.9")
{
    const auto error = [](double eta) {
        PlainPairs solver(0);
        Particles pair = bodies({.eccentricity = 0.9, .mass_ratio = 0.2});
        pair.softening = {1e-10, 1e-10};
        Leapfrog leapfrog(solver,
                          hierarchical({.criterion = StepCriterion::softening, .eta = 1e5 * eta}));
        const double start = orbit_energy(pair);
        double largest = 0;
        leapfrog.start(pair, Quantities::acceleration, {0, 0});
        for (std::uint64_t k = 0; k < 50; ++k) {
            leapfrog.step(pair, 0.25, Quantities::acceleration, {k + 1, 0.25 * double(k)});
            largest = std::max(largest, std::abs(orbit_energy(pair) / start - 1));
        }
        CHECK(leapfrog.report().rungs.size() > 3);
        return largest;
    };
    std::array<double, 4> errors;
    for (std::size_t k = 0; k < errors.size(); ++k)
        errors[k] = error(0.02 / double(1 << k));
    const double order = std::log2(errors.front() / errors.back()) / 3;
    MESSAGE("errors " << errors[0] << ", " << errors[1] << ", " << errors[2] << ", " << errors[3]
                      << ": order " << order);
    CHECK(std::abs(order - 2) < 0.25);
    CHECK(errors.back() < 1e-3);
}

TEST_CASE("hierarchical steps work for no and one particle and for tracers")
{
    SolverOptions options;
    options.softening.length = 0.05;
    options.device = "cpu";
    const auto solver = make_solver(options);
    Particles one = set_in_motion(10);
    one.resize(1);
    const Particles start = one;
    Leapfrog leapfrog(*solver, hierarchical({.longest = 0.125}));
    Simulation(one, leapfrog, 0, 1).run();
    CHECK(norm(one.position[0] - start.position[0] - start.velocity[0]) < 1e-14);
    Particles none;
    move(leapfrog, none, 1);
    CHECK(none.size() == 0);
    // Tracers at the end change no bit of the others.
    Particles massive = set_in_motion(300), all = set_in_motion(500);
    for (std::size_t i = 0; i < all.size(); ++i)
        all.mass[i] = i < 300 ? massive.mass[0] : 0;
    for (std::size_t i = 0; i < 300; ++i) {
        massive.position[i] = all.position[i];
        massive.velocity[i] = all.velocity[i];
    }
    for (Particles* particles : {&massive, &all}) {
        Leapfrog leapfrog(*solver, hierarchical({.eta = 0.02}));
        leapfrog.start(*particles, Quantities::acceleration, {0, 0});
        leapfrog.step(*particles, 1. / 16, Quantities::acceleration, {1, 0});
        CHECK(leapfrog.report().deepest > 1);
    }
    all.position.resize(300);
    all.velocity.resize(300);
    CHECK(same_bits(massive.position, all.position));
    CHECK(same_bits(massive.velocity, all.velocity));
}

TEST_CASE("hierarchical steps match bitwise for any number of threads")
{
    const Particles start = set_in_motion(12000);
    const int before = thread_count();
    SolverOptions options;
    options.softening.length = 0.05;
    options.device = "cpu";
    Outcome first;
    for (const int threads : {1, 2, 3}) {
        use_threads(threads);
        const auto solver = make_solver(options);
        Leapfrog leapfrog(*solver, hierarchical({.eta = 0.05}));
        Outcome now = follow(start, leapfrog, 0.25, 0.25);
        CHECK(leapfrog.report().deepest > 0);
        if (threads == 1)
            first = std::move(now);
        else
            CHECK(same_bits(first.particles, now.particles));
    }
    use_threads(before);
}

TEST_CASE("criteria see all particles where sets miss slow ones")
{
    Particles particles = set_in_motion(300);
    const auto options = [] {
        SolverOptions options;
        options.solver = SolverKind::direct;
        options.precision = Precision::double_precision;
        options.softening.length = 0.02;
        options.device = "cpu";
        return options;
    }();
    const auto solver = make_solver(options);
    std::array<std::map<int, BlockReport::Rung>, 2> rungs;
    for (const BlockScheme scheme : {BlockScheme::all, BlockScheme::hierarchical}) {
        Particles moving = particles;
        Leapfrog leapfrog(*solver, {.eta = 0.02, .scheme = scheme});
        move(leapfrog, moving, 0.125, 2);
        rungs[scheme == BlockScheme::all] = leapfrog.report().rungs;
    }
    REQUIRE(rungs[0].size() == rungs[1].size());
    REQUIRE(rungs[0].size() > 3);
    for (const auto& [exponent, rung] : rungs[0]) {
        const double one = double(rung.particle_steps),
                     other = double(rungs[1][exponent].particle_steps);
        CHECK(std::abs(one - other) < 0.02 * other + 20);
    }
}

TEST_CASE("a third of the particles or less ask for less than the whole step")
{
    SolverOptions options;
    options.softening.length = 0.05;
    options.device = "cpu";
    const auto solver = make_solver(options);
    Leapfrog leapfrog(*solver, hierarchical());
    Particles particles = set_in_motion(300);
    leapfrog.start(particles, Quantities::acceleration, {0, 0});
    const double length = leapfrog.next_step({0, 0}).length;
    const std::vector<double> asked = leapfrog.columns().step;
    const auto below = [&](double step) {
        return std::ranges::count_if(asked, [&](double one) { return one < step; });
    };
    CHECK(below(length) <= 100);
    CHECK(below(2 * length) > 100);
}

TEST_CASE("in a box the mesh kicks once a whole step, and steps converge to shared ones")
{
    constexpr double end = 4. / 128;
    const auto solver = [] {
        SolverOptions options;
        options.softening.length = 0.002;
        options.box = 1;
        options.periodic = {.mesh = 32};
        options.device = "cpu";
        return make_solver(options);
    };
    ComovingClock comoving({.hubble_rate = 1});
    for (const Clock* clock : {&Clock::newtonian(), static_cast<const Clock*>(&comoving)}) {
        const double begin = clock->is_newtonian() ? 0 : 0.5;
        const auto moved = [&](auto steps, int* deepest = nullptr) {
            const auto forces = solver();
            Leapfrog leapfrog(*forces, steps, *clock);
            Particles particles = periodic_sets(2000)[0].particles;
            for (Vec3<double>& v : particles.velocity)
                v = {};
            Simulation(particles, leapfrog, begin, begin + end).run();
            if (deepest)
                *deepest = int(leapfrog.report().deepest);
            return particles;
        };
        const auto difference = [](const Particles& a, const Particles& b) {
            double sum = 0;
            for (std::size_t i = 0; i < a.size(); ++i)
                sum += norm_squared(Periodicity{1}.nearest(a.position[i] - b.position[i]));
            return std::sqrt(sum / double(a.size()));
        };
        int deepest = 0;
        const BlockSteps steps{
            .criterion = StepCriterion::softening, .eta = 0.2, .longest = 1. / 128};
        BlockSteps short_steps = steps;
        short_steps.eta /= 4;
        const Particles exact = moved(TimeStep{.length = end / 1024}),
                        coarse = moved(hierarchical(steps), &deepest),
                        fine = moved(hierarchical(short_steps)), all = moved(steps);
        MESSAGE("deepest " << deepest << ", differences " << difference(exact, coarse) << ", "
                           << difference(exact, fine) << ", by forces of all "
                           << difference(exact, all));
        CHECK(deepest >= 2);
        CHECK(difference(exact, fine) < difference(exact, coarse) / 5);
        CHECK(difference(exact, coarse) < 2 * difference(exact, all));
    }
}

TEST_CASE("an external field kicks each particle at its own steps")
{
    PotentialFiles files;
    const auto field =
        read_external_field("--potential", {"hernquist,M=5,a=1", "rotation,omega=2"}, {}, 1, files);
    SolverOptions options;
    options.softening.length = 0.05;
    options.device = "cpu";
    const auto solver = make_solver(options);
    const auto moved = [&](auto steps, double end) {
        Leapfrog leapfrog(*solver, steps);
        leapfrog.put_into(field);
        Particles particles = set_in_motion(300);
        Simulation(particles, leapfrog, 0, end).run();
        return particles;
    };
    const Particles together = moved(TimeStep{.length = 1. / 64}, 0.125),
                    apart = moved(hierarchical({.eta = 1e3, .longest = 1. / 64}), 0.125);
    CHECK(same_bits(together.position, apart.position));
    CHECK(same_bits(together.velocity, apart.velocity));
    const Particles exact = moved(TimeStep{.length = 1. / 4096}, 0.25);
    const BlockSteps steps{.criterion = StepCriterion::softening, .eta = 0.05};
    BlockSteps fine = steps;
    fine.eta /= 4;
    const double of_coarse = farthest(exact, moved(hierarchical(steps), 0.25)),
                 of_fine = farthest(exact, moved(hierarchical(fine), 0.25));
    MESSAGE("differences " << of_coarse << ", " << of_fine);
    CHECK(of_fine < of_coarse / 6);
}

TEST_CASE("a checkpoint of the other scheme is refused")
{
    SolverOptions options;
    options.softening.length = 0.05;
    options.device = "cpu";
    const auto solver = make_solver(options);
    for (const BlockScheme scheme : {BlockScheme::all, BlockScheme::hierarchical}) {
        const bool was_all = scheme == BlockScheme::all;
        Particles particles = set_in_motion(100);
        Leapfrog saved(*solver, BlockSteps{.scheme = scheme}),
            other(*solver,
                  BlockSteps{.scheme = was_all ? BlockScheme::hierarchical : BlockScheme::all});
        Simulation of_saved(particles, saved, 0, 0.125), of_other(particles, other, 0, 0.125);
        of_saved.run();
        MemoryArchive archive;
        of_saved.exchange(archive);
        archive.rewind();
        CHECK(error_line([&] { of_other.exchange(archive); }, Fault::restart) ==
              std::string("block scheme: ") + (was_all ? "hierarchical" : "all") +
                  ": must be that of the checkpoint");
    }
}

TEST_SUITE_END();
