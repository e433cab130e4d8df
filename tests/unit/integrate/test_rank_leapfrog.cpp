// A leapfrog with particles distributed over ranks: bitwise equal to one rank, and one error for
// all.
#include <algorithm>
#include <memory>
#include <mutex>
#include <string>

#include <doctest/doctest.h>

#include "chamomile/core/error.hpp"
#include "chamomile/core/files/memory_archive.hpp"
#include "chamomile/core/ranks/thread_ranks.hpp"
#include "chamomile/integrate/leapfrog.hpp"
#include "chamomile/integrate/ranks/rank_store.hpp"
#include "chamomile/integrate/simulation.hpp"
#include "tests/unit/clouds.hpp"
#include "tests/unit/error_line.hpp"
#include "tests/unit/failing_rank.hpp"
#include "tests/unit/periodic_sets.hpp"
#include "tests/unit/rank_runs.hpp"
#include "tests/unit/snapshot_fixture.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("rank_leapfrog");

namespace {

std::unique_ptr<Leapfrog> leapfrog_of(Solver& solver, const Scheme& scheme)
{
    const TimeStep step = time_step_of(scheme);
    auto made = scheme.individual
                    ? std::make_unique<Leapfrog>(solver, BlockSteps{.criterion = step.criterion,
                                                                    .eta = step.eta,
                                                                    .longest = step.longest,
                                                                    .scheme = scheme.block_scheme})
                    : std::make_unique<Leapfrog>(solver, step);
    made->put_into(scheme.field);
    return made;
}

/// Returns the first global index in a rank's initial range; rank 1 has an empty range.
std::size_t first_at_home(std::size_t n, int rank, int ranks)
{
    const int others = std::max(1, ranks - 1);
    return n * std::size_t(rank > 1 ? rank - 1 : rank) / std::size_t(others);
}

Particles part_of(const Particles& all, std::size_t begin, std::size_t end)
{
    Particles part;
    for_each_column(
        [&](Column, const std::string&, auto& values, auto& some) {
            if (!values.empty())
                some.assign(values.begin() + std::ptrdiff_t(begin),
                            values.begin() + std::ptrdiff_t(end));
        },
        const_cast<Particles&>(all), part);
    return part;
}

/// Returns a run's observable data for local particles, including a run continued from its saved
/// state.
Shown show(Particles p, Solver& solver, const Scheme& scheme)
{
    Shown shown;
    const auto leapfrog = leapfrog_of(solver, scheme);
    Simulation simulation(p, *leapfrog, 0, 0.125);
    simulation.at_intervals(0.0625, Quantities::acceleration_potential, [&](Simulation& now) {
        shown.measured.push_back(now.diagnostics());
        shown.seen.push_back(p);
        std::vector<GlobalIndex> which;
        for (std::size_t i = 0; i < p.size(); i += 7)
            which.push_back(GlobalIndex(i));
        std::vector<PhasePoint> points(which.size());
        now.gather(which, points);
        for (std::size_t k = 0; k < which.size(); ++k)
            CHECK(points[k].position == p.position[which[k]]);
    });
    simulation.run();
    shown.seen.push_back(p);
    MemoryArchive archive;
    simulation.exchange(archive);
    archive.rewind();
    shown.columns = step_columns(archive, scheme);
    Particles other;
    Simulation again(other, *leapfrog, 0, 0.125);
    again.at_intervals(0.0625, Quantities::acceleration_potential, [](Simulation&) {});
    again.exchange(archive);
    shown.seen.push_back(other);
    again.fetch();
    shown.seen.push_back(other);
    return shown;
}

/// Returns the ranks' combined data, each for its initial particles.
Shown show_on_each(const RankCase& one, int ranks)
{
    std::vector<Shown> of(std::size_t(ranks), Shown{});
    run_ranks(ranks, [&](Communicator& own) {
        const std::size_t n = one.particles.size();
        DistributedSolver solver(one.options, own);
        of[std::size_t(own.rank())] =
            show(part_of(one.particles, first_at_home(n, own.rank(), ranks),
                         first_at_home(n, own.rank() + 1, ranks)),
                 solver, one.scheme);
    });
    Shown shown = of[0];
    for (int r = 1; r < ranks; ++r) {
        const Shown& other = of[std::size_t(r)];
        CHECK(other.seen.size() == shown.seen.size());
        for (std::size_t k = 0; k < shown.seen.size(); ++k)
            for_each_column(
                [](Column, const std::string&, auto& values, auto& more) {
                    values.insert(values.end(), more.begin(), more.end());
                },
                shown.seen[k], const_cast<Particles&>(other.seen[k]));
        CHECK(other.measured.size() == shown.measured.size());
        for (std::size_t k = 0; k < shown.measured.size(); ++k)
            CHECK(std::memcmp(&shown.measured[k], &other.measured[k], sizeof(Diagnostics)) == 0);
    }
    if (one.scheme.individual) { // columns ordered by rank
        shown.columns.clear();
        const std::size_t columns =
            time_step_of(one.scheme).criterion == StepCriterion::potential ? 3 : 2;
        for (std::size_t c = 0; c < columns; ++c)
            for (const Shown& own : of) {
                const std::size_t n = own.columns.size() / columns;
                shown.columns.insert(shown.columns.end(), own.columns.begin() + c * n,
                                     own.columns.begin() + (c + 1) * n);
            }
    }
    return shown;
}

} // namespace

TEST_CASE("ranks with local particles equal a single rank bitwise")
{
    int number = 0;
    for (const RankCase& one : rank_cases()) {
        CAPTURE(one.name);
        const Shown alone = show(one.particles, *make_solver(one.options), one.scheme);
        for (const int P : {1 + number % 4, number % 3 == 0 ? 7 : 2}) {
            CAPTURE(P);
            CHECK(same(alone, show_on_each(one, P)));
        }
        ++number;
    }
}

TEST_CASE("diagnostics before a run use the current particles on all ranks")
{
    Particles all = set_in_motion(300);
    SolverOptions options;
    options.device = "cpu";
    options.softening.length = 0.05;
    Scheme scheme;
    scheme.fixed_length = 1. / 64;
    const auto measured = [&](Particles& p, Integrator& integrator) {
        std::vector<Diagnostics> found;
        Simulation simulation(p, integrator, 0, 0.125);
        found.push_back(simulation.diagnostics());
        for (Vec3<double>& v : p.velocity)
            v = 2. * v;
        found.push_back(simulation.diagnostics());
        simulation.run();
        found.push_back(simulation.diagnostics());
        return found;
    };
    const auto is_same = [&](const std::vector<Diagnostics>& a, const std::vector<Diagnostics>& b) {
        return std::memcmp(a.data(), b.data(), 3 * sizeof(Diagnostics)) == 0;
    };
    Particles p = all;
    const IntegratorWithSolver alone = make_integrator(options, scheme);
    const std::vector<Diagnostics> one = measured(p, *alone.integrator);
    CHECK(one[1].kinetic == 4 * one[0].kinetic);
    CHECK(one[0].kinetic > 0);
    SolverOptions led = options;
    led.own_ranks = 3;
    p = all;
    const IntegratorWithSolver of_three = make_integrator(led, scheme);
    CHECK(is_same(one, measured(p, *of_three.integrator)));
    run_ranks(3, [&](Communicator& own) {
        Particles mine =
            part_of(all, first_at_home(300, own.rank(), 3), first_at_home(300, own.rank() + 1, 3));
        DistributedSolver solver(options, own);
        CHECK(is_same(one, measured(mine, *leapfrog_of(solver, scheme))));
    });
}

TEST_CASE("particles migrate right after diagnostics that evaluated forces again")
{
    // Domains have equal numbers of particles at the start, then equal work. Diagnostics cut them
    // again between the evaluation that finds particles misplaced and their migration.
    const Particles all = hernquist(4000);
    SolverOptions options;
    options.device = "cpu";
    options.softening.length = 0.05;
    options.group_size = 8; // small leaves of the coarse tree, so that cuts move
    options.cluster_size = 1;
    options.leaf_size = 8;
    Scheme scheme;
    scheme.fixed_length = 1. / 64;
    const auto moved = [&](Particles p, const SolverOptions& given) {
        const IntegratorWithSolver made = make_integrator(given, scheme);
        Simulation simulation(p, *made.integrator, 0, 11. / 64);
        double energies = 0;
        simulation.every_steps(1, Quantities::acceleration,
                               [&](Simulation& now) { energies += now.diagnostics().energy(); });
        simulation.run();
        return std::pair(p, energies);
    };
    const auto [one, energies] = moved(all, options);
    for (const int P : {2, 5, 7}) {
        CAPTURE(P);
        options.own_ranks = P;
        const auto [several, sum] = moved(all, options);
        CHECK(same_bits(one, several));
        CHECK(sum == energies);
    }
}

TEST_CASE("a start moves particles into the box, alone and on ranks")
{
    SolverOptions options;
    options.device = "cpu";
    options.box = 1;
    options.softening.length = 0.002;
    Particles outside = periodic_sets(2000)[1].particles;
    for (std::size_t i = 0; i < outside.size(); i += 3)
        outside.position[i] += {1, -1, 2};
    Particles inside = outside;
    for (Vec3<double>& x : inside.position)
        x = Periodicity{1}.wrapped(x);
    const TimeStep step{.length = 1. / 256};
    for (Particles* p : {&inside, &outside})
        Leapfrog(*make_solver(options), step).start(*p, Quantities::acceleration, {0, 0});
    CHECK((outside.position == inside.position));
    CHECK((outside.acceleration == inside.acceleration));
    for (std::size_t i = 0; i < outside.size(); i += 3)
        outside.position[i] += {-1, 1, 0};
    run_ranks(3, [&](Communicator& own) {
        const std::size_t first = first_at_home(2000, own.rank(), 3),
                          last = first_at_home(2000, own.rank() + 1, 3);
        Particles mine = part_of(outside, first, last);
        DistributedSolver solver(options, own);
        Leapfrog leapfrog(solver, step);
        leapfrog.start(mine, Quantities::acceleration, {0, 0});
        leapfrog.fetch(mine);
        for (const Vec3<double>& x : mine.position)
            CHECK(Periodicity{1}.wrapped(x) == x);
    });
}

TEST_CASE("extra columns follow particles to new ranks")
{
    const std::size_t n = 1511;
    Particles all = plummer(n, 3);
    for (std::size_t i = 0; i < n; ++i) {
        all.extra["age"].push_back(0.5 * double(i));
        all.type[i] = std::uint8_t(i % 6);
        all.id[i] = 7 * i;
    }
    std::vector<int> places(n, 0);
    std::size_t moved = 0;
    std::mutex mutex;
    run_ranks(3, [&](Communicator& own) {
        const std::size_t first = first_at_home(n, own.rank(), 3),
                          last = first_at_home(n, own.rank() + 1, 3);
        Particles p = part_of(all, first, last);
        p.extra["age"]; // also on the rank without particles
        SolverOptions options;
        options.device = "cpu";
        options.softening.length = 0.05;
        DistributedSolver solver(options, own);
        Leapfrog leapfrog(solver, TimeStep{.length = 1. / 64});
        Simulation simulation(p, leapfrog, 0, 0.125);
        simulation.run();
        const Particles& here = leapfrog.rank_store().here();
        const std::lock_guard lock(mutex);
        for (std::size_t i = 0; i < here.size(); ++i) {
            const std::size_t number = here.id[i] / 7;
            ++places[number];
            moved += number < first || number >= last;
            CHECK(here.extra.at("age")[i] == 0.5 * double(number));
            CHECK(here.type[i] == number % 6);
            CHECK(here.mass[i] == all.mass[number]);
        }
        CHECK(same_bits(p.extra.at("age"), part_of(all, first, last).extra["age"]));
    });
    CHECK(std::ranges::count(places, 1) == n);
    CHECK(moved > 500);
}

TEST_CASE("columns missing on some ranks are refused by all ranks")
{
    for (const bool has_name : {false, true}) {
        std::vector<std::string> lines(3);
        run_ranks(3, [&](Communicator& own) {
            Particles p = plummer(100, 3);
            if (own.rank() == 1 && !has_name)
                p.extra["age"].assign(100, 1);
            if (has_name)
                p.extra["age"].assign(own.rank() == 1 ? 50 : 100, 1);
            SolverOptions options;
            options.device = "cpu";
            options.softening.length = 0.05;
            DistributedSolver solver(options, own);
            Leapfrog leapfrog(solver, TimeStep{.length = 1. / 64});
            Simulation simulation(p, leapfrog, 0, 0.125);
            lines[std::size_t(own.rank())] = error_line([&] { simulation.run(); }, Fault::usage);
        });
        CHECK(contains(lines[0], has_name ? "particles/extra/age: 50 values for 100 particles"
                                          : "names: must be equal on all ranks"));
        CHECK(lines[1] == lines[0]);
        CHECK(lines[2] == lines[0]);
    }
}

TEST_CASE("a runaway particle is named by all ranks and the previous state kept")
{
    Particles all = plummer(300, 3);
    all.velocity[200] = {1e305, 0, 0};
    std::vector<std::string> lines(3);
    run_ranks(3, [&](Communicator& own) {
        const std::size_t first = first_at_home(300, own.rank(), 3),
                          last = first_at_home(300, own.rank() + 1, 3);
        const Particles begin = part_of(all, first, last);
        Particles p = begin;
        SolverOptions options;
        options.device = "cpu";
        options.softening.length = 0.05;
        DistributedSolver solver(options, own);
        Leapfrog leapfrog(solver, TimeStep{.length = 1e7});
        Simulation simulation(p, leapfrog, 0, 1e9);
        lines[std::size_t(own.rank())] = error_line([&] { simulation.run(); }, Fault::numeric);
        CHECK(same_bits(p.position, begin.position));
        CHECK(same_bits(p.velocity, begin.velocity));
    });
    CHECK(contains(lines[0], "particle id 1200: position"));
    CHECK(std::ranges::count(lines, lines[0]) == 3);
}

TEST_CASE("a failure before any exchange ends all runs with the failing rank's error")
{
    const Particles cloud = plummer(300, 5);
    int all = 0;
    for (const int failing : {0, 1, 2}) {
        bool has_occurred = true;
        for (int exchange = 0; has_occurred; exchange += 7) {
            CAPTURE(failing);
            CAPTURE(exchange);
            const FailedRanks failed = run_with_fault(3, failing, exchange, [&](Communicator& own) {
                Particles p = part_of(cloud, first_at_home(300, own.rank(), 3),
                                      first_at_home(300, own.rank() + 1, 3));
                SolverOptions options;
                options.device = "cpu";
                options.softening.length = 0.02;
                DistributedSolver solver(options, own);
                Leapfrog leapfrog(solver, BlockSteps{.eta = 0.01, .longest = 1. / 64});
                Simulation simulation(p, leapfrog, 0, 1. / 32);
                simulation.every_steps(1, Quantities::acceleration,
                                       [](Simulation& now) { now.diagnostics(); });
                simulation.run();
            });
            has_occurred = failed.has_occurred;
            CAPTURE(failed.line);
            CHECK(failed.reports);
            ++all;
        }
    }
    CHECK(all > 60);
}

TEST_CASE("an observer failing on a single rank ends all runs")
{
    std::vector<std::string> lines(3);
    try {
        run_ranks(3, [&](Communicator& own) {
            Particles p = plummer(100, own.rank() + 1);
            SolverOptions options;
            options.device = "cpu";
            options.softening.length = 0.05;
            DistributedSolver solver(options, own);
            Leapfrog leapfrog(solver, TimeStep{.length = 1. / 64});
            Simulation simulation(p, leapfrog, 0, 1);
            simulation.every_steps(3, Quantities::acceleration, [&](Simulation& now) {
                if (own.rank() == 1 && now.step() == 3)
                    throw Error(Fault::output, "disk: is full");
            });
            try {
                simulation.run();
            } catch (const Error& error) {
                lines[std::size_t(own.rank())] = error.what();
                throw;
            }
        });
    } catch (const Error& error) {
        CHECK(error.fault() == Fault::output);
    }
    for (const std::string& line : lines)
        CHECK(line == "rank 1 of 3: disk: is full");
}

TEST_CASE("each block of individual steps needs a single collective beyond the forces")
{
    std::uint64_t beside = 0, blocks = 0, whole_steps = 0, in_forces = 0;
    run_ranks(2, [&](Communicator& own) {
        Particles p = part_of(plummer(3000, 3), first_at_home(3000, own.rank() + 1, 3),
                              first_at_home(3000, own.rank() + 2, 3));
        SolverOptions options;
        options.device = "cpu";
        options.softening.length = 0.01;
        DistributedSolver solver(options, own);
        Leapfrog leapfrog(solver, BlockSteps{.eta = 0.01, .longest = 1. / 32});
        Simulation simulation(p, leapfrog, 0, 0.5);
        Traffic before;
        const auto calls = [](const auto& of) { return of.exchanges + of.collectives; };
        simulation.after_each_step([&](Simulation& now) {
            if (own.rank() == 0 && now.step() > 2 && now.step() < 10) { // no particle exchange
                const std::uint64_t forces = calls(*now.last_statistics().ranks);
                in_forces += forces;
                beside += calls(own.traffic()) - calls(before) - forces;
                blocks += leapfrog.blocks();
                ++whole_steps;
            }
            before = own.traffic();
        });
        simulation.run();
    });
    const double in_each = double(in_forces) / double(blocks);
    MESSAGE(in_each << " communicator calls per evaluation");
    CHECK(blocks > 3 * whole_steps);
    // Each evaluation gathers its statistics after counting, and each whole step selects its length
    // and levels.
    CHECK(beside <= 2 * blocks + 3 * whole_steps);
}

TEST_SUITE_END();
