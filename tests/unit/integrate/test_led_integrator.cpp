// Particles distributed over ranks in a leapfrog: bits of one rank with every scheme, and one error
// if a rank fails.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>

#include <doctest/doctest.h>

#include "chamomile/core/error.hpp"
#include "chamomile/core/ranks/thread_ranks.hpp"
#include "chamomile/integrate/comoving_clock.hpp"
#include "chamomile/integrate/leapfrog.hpp"
#include "chamomile/integrate/ranks/rank_run.hpp"
#include "chamomile/integrate/scheme.hpp"
#include "chamomile/integrate/simulation.hpp"
#include "tests/unit/clouds.hpp"
#include "tests/unit/error_line.hpp"
#include "tests/unit/failing_rank.hpp"
#include "tests/unit/periodic_sets.hpp"
#include "tests/unit/rank_runs.hpp"
#include "tests/unit/rank_sets.hpp"
#include "tests/unit/restart_runs.hpp"
#include "tests/unit/rows_in_blocks.hpp"
#include "tests/unit/snapshot_fixture.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("led_integrator");

namespace {

/// Returns the particles from rows, in parts.
Particles gathered(const Particles& rest, ParticleReader& rows)
{
    Particles all = rest;
    const auto take = [&](auto& into, const auto& part) {
        into.insert(into.end(), part.begin(), part.end());
    };
    all.position = all.velocity = all.acceleration = {};
    all.potential = {};
    all.id = {};
    const std::size_t n = rest.size();
    for (std::size_t begin = 0, end; begin < n; begin = end) {
        end = std::min(begin + 1 + n / 3, n);
        take(all.position, rows.read_vectors(Column::position, {begin, end}));
        take(all.velocity, rows.read_vectors(Column::velocity, {begin, end}));
        take(all.acceleration, rows.read_vectors(Column::acceleration, {begin, end}));
        take(all.potential, rows.read_scalars(Column::potential, {begin, end}));
        take(all.id, rows.read_ids({begin, end}));
    }
    return all;
}

/// Writes a checkpoint, each rank a part if there are several.
void write_state(Simulation& simulation, const Particles& particles,
                 const std::filesystem::path& file)
{
    CheckpointParts parts;
    if (LedParticles* const led = simulation.led()) {
        parts = led->write_checkpoint_parts(particles.type, file);
        CHECK(parts.names.size() == (led->ranks().size() == 1 ? 0 : led->ranks().size()));
    }
    write_checkpoint(
        file, [&](Archive& archive) { simulation.exchange(archive); }, parts);
}

/// Returns the particles of a run continued from a checkpoint.
Particles restored(const std::filesystem::path& file, const SolverOptions& options,
                   const Scheme& scheme, bool leaves)
{
    const IntegratorWithSolver made = make_integrator(options, scheme);
    Particles p = plummer(50); // other particles; all are replaced
    Simulation simulation(p, *made.integrator, 0, 0.125);
    if (leaves)
        simulation.leave_particles();
    simulation.at_intervals(0.0625, Quantities::acceleration_potential, [](Simulation&) {});
    CheckpointReader kept(file);
    simulation.exchange(kept);
    CHECK((leaves && made.is_resident()) == (p.position.capacity() == 0));
    return leaves ? gathered(p, simulation.rows()) : p;
}

/// Records points of some particles after each step.
void follow_some(Simulation& simulation, std::size_t n, Shown& shown)
{
    std::vector<GlobalIndex> which; // from all ranks, unordered
    for (Index i = 0; i < std::min<Index>(40, Index(n)); ++i)
        which.push_back(std::uint64_t(i) * 7919 % n);
    simulation.after_each_step([&shown, which](Simulation& now) {
        std::vector<PhasePoint> points(which.size());
        now.gather(which, points);
        shown.points.insert(shown.points.end(), points.begin(), points.end());
    });
}

Shown run(Particles p, const SolverOptions& options, const Scheme& scheme, bool leaves = false)
{
    const IntegratorWithSolver made = make_integrator(options, scheme);
    Simulation simulation(p, *made.integrator, 0, 0.125);
    Shown shown;
    shown.is_resident = made.is_resident();
    if (leaves) {
        simulation.leave_particles();
        if (shown.is_resident) { // as if read from a file
            made.integrator->begin_from(std::make_shared<RowsInBlocks>(p, 97));
            p = without_motion(p);
        }
    }
    const auto look = [&](Simulation& now) {
        shown.measured.push_back(now.diagnostics());
        CHECK((leaves && shown.is_resident) == (now.particles().position.capacity() == 0));
        CHECK((leaves && shown.is_resident) == (now.particles().id.capacity() == 0));
        shown.seen.push_back(leaves ? gathered(now.particles(), now.rows()) : now.particles());
    };
    simulation.at_intervals(0.0625, Quantities::acceleration_potential, look,
                            leaves ? Simulation::LooksAt::rows : Simulation::LooksAt::particles);
    follow_some(simulation, p.size(), shown);
    simulation.run();
    const TemporaryFolder folder; // all ranks contribute to each saved column
    write_state(simulation, p, folder / "state.chk");
    CheckpointReader kept(folder / "state.chk");
    Particles& last = shown.seen.emplace_back(p);
    kept.records("particles/position", last.position);
    kept.records("particles/velocity", last.velocity);
    kept.records("particles/acceleration", last.acceleration);
    kept("particles/potential", last.potential);
    kept("particles/id", last.id);
    shown.columns = step_columns(kept, scheme);
    simulation.fetch();
    shown.seen.push_back(p);
    shown.seen.push_back(restored(folder / "state.chk", options, scheme, leaves));
    return shown;
}

} // namespace

TEST_CASE("steps on ranks equal a single rank bitwise for all schemes and fields")
{
    int number = 0;
    for (const RankCase& one : rank_cases()) {
        CAPTURE(one.name);
        const Shown alone = run(one.particles, one.options, one.scheme);
        CHECK(!alone.is_resident);
        for (const int P : {1 + number % 4, 7 - number % 3}) { // every number with every way
            CAPTURE(P);
            SolverOptions own = one.options;
            own.own_ranks = P;
            const bool leaves = (number + P / 2) % 2 == 1;
            CAPTURE(leaves);
            const Shown several = run(one.particles, own, one.scheme, leaves);
            CHECK(several.is_resident);
            CHECK(same(alone, several));
        }
        ++number;
    }
}

TEST_CASE("a checkpoint of any number of ranks continues on any other, bit for bit")
{
    for (const RankCase& one : rank_cases()) {
        if (one.name != "blocks, mixed, 1511" && one.name != "adaptive, mixed, 3")
            continue;
        CAPTURE(one.name);
        const auto advance = [&](int P, double end, const auto& before) {
            SolverOptions options = one.options;
            options.own_ranks = P;
            const IntegratorWithSolver made = make_integrator(options, one.scheme);
            Particles p = one.particles;
            Simulation simulation(p, *made.integrator, 0, end);
            simulation.leave_particles();
            before(simulation);
            simulation.run();
            return gathered(p, simulation.rows());
        };
        std::optional<Particles> expected;
        for (const int P : {0, 2, 3}) {
            const TemporaryFolder folder;
            const auto file = folder / "state.chk";
            const Particles undisturbed = advance(P, 0.125, [&](Simulation& simulation) {
                simulation.when_done([&](Simulation& now) {
                    if (now.step() == 4)
                        write_state(now, now.particles(), file);
                });
            });
            if (!expected)
                expected = undisturbed;
            CAPTURE(P);
            CHECK(same_bits(undisturbed, *expected));
            for (const int Q : {0, 1, 2, 3, 5})
                for (const bool is_hidden : {false, true}) {
                    CAPTURE(Q);
                    const Particles last = advance(Q, 0.125, [&](Simulation& simulation) {
                        CheckpointReader kept(file);
                        if (is_hidden) // other ranks do not see the folder
                            std::filesystem::rename(folder.path(),
                                                    folder.path().string() + ".away");
                        simulation.exchange(kept);
                        if (is_hidden)
                            std::filesystem::rename(folder.path().string() + ".away",
                                                    folder.path());
                    });
                    CHECK(same_bits(last, *expected));
                }
        }
    }
}

TEST_CASE("a comoving box on ranks equals a single rank, with shared and individual steps")
{
    const ComovingClock clock({.hubble_rate = 2, .physical_softening = 4e-3});
    for (const bool individual : {false, true}) {
        CAPTURE(individual);
        Scheme scheme;
        scheme.individual = individual;
        scheme.adaptive = !individual;
        scheme.criterion = StepCriterion::softening;
        const auto end = [&](int P) {
            SolverOptions options;
            options.device = "cpu";
            options.box = 1;
            options.softening.length = 0.03;
            options.own_ranks = P;
            Particles p = periodic_sets(500)[0].particles;
            const IntegratorWithSolver made = make_integrator(options, scheme, clock);
            Simulation simulation(p, *made.integrator, std::log(0.1), std::log(0.12));
            simulation.run();
            CHECK(made.is_resident() == (P > 0));
            simulation.fetch();
            return p;
        };
        const Particles one = end(0);
        for (const int P : {1, 2, 3}) {
            CAPTURE(P);
            const Particles several = end(P);
            CHECK(same_bits(one.position, several.position));
            CHECK(same_bits(one.velocity, several.velocity));
        }
    }
}

TEST_CASE("particles with equal keys keep their order when ranks exchange particles")
{
    const std::size_t n = 1511;
    Particles p = plummer(n, 7);
    std::mt19937_64 random(5);
    const auto draw = [&] { return uniform(random); };
    for (std::size_t i = 0; i < n; ++i) { // ten in a cell with one key, crossing several cells
        p.position[i] = {60 * draw(), 60 * draw(), 0};
        p.velocity[i] = 400. * Vec3<double>{draw() - 0.5, draw() - 0.5, 0};
    }
    for (std::size_t i = 20; i < 200; ++i) { // bound pairs
        p.position[n - i] = p.position[i];
        p.velocity[n - i] = p.velocity[i];
    }
    SolverOptions options;
    options.device = "cpu";
    options.softening.length = 0.05;
    Scheme scheme;
    scheme.fixed_length = 1. / 256; // 32 steps, with four exchanges
    // One-key cells belong to the global cube, or to a cube inside one such cell.
    for (const double farthest : {1e7, 1e14}) {
        CAPTURE(farthest);
        p.position[11] = {1e7, 0, 0};
        p.position[12] = {farthest, 0, 0};
        const Shown one = run(p, options, scheme);
        for (const int P : {2, 3, 7}) {
            CAPTURE(P);
            SolverOptions own = options;
            own.own_ranks = P;
            CHECK(same(one, run(p, own, scheme)));
        }
    }
}

TEST_CASE("a runaway particle is named as on a single rank and the previous state kept")
{
    std::string line;
    Particles before;
    for (const int P : {0, 1, 3}) {
        CAPTURE(P);
        Particles p = plummer(300, 3);
        p.velocity[200] = {1e305, 0, 0};
        SolverOptions options;
        options.device = "cpu";
        options.softening.length = 0.05;
        options.own_ranks = P;
        Scheme scheme;
        scheme.fixed_length = 1e7;
        const IntegratorWithSolver made = make_integrator(options, scheme);
        Simulation simulation(p, *made.integrator, 0, 1e9);
        std::string found;
        try {
            simulation.run();
        } catch (const Error& error) {
            found = error.what();
        }
        if (P == 0) {
            line = found;
            before = p;
            CHECK(same_bits(p.position, plummer(300, 3).position));
            CHECK(line.find("particle id 1200: position") != std::string::npos);
        }
        CHECK(found == line);
        CHECK(same_bits(p.position, before.position));
        CHECK(same_bits(p.velocity, before.velocity));
    }
}

TEST_CASE("a run refused at its start leaves the particles unchanged")
{
    Particles p = plummer(300, 3);
    p.softening.assign(300, 0);
    const Particles before = p;
    SolverOptions options;
    options.device = "cpu";
    options.softening = {.length = 0.05, .per_particle = true};
    Scheme scheme;
    scheme.individual = true;
    scheme.criterion = StepCriterion::softening;
    std::string lines[2];
    for (const int P : {0, 3}) {
        options.own_ranks = P;
        const IntegratorWithSolver made = make_integrator(options, scheme);
        Simulation simulation(p, *made.integrator, 0, 1);
        lines[P > 0] = error_line([&] { simulation.run(); }, Fault::usage);
        simulation.fetch();
        CHECK(same_bits(p.position, before.position));
        CHECK(same_bits(p.velocity, before.velocity));
    }
    CHECK(contains(lines[0], "needs a softening length > 0 for each particle"));
    CHECK(lines[0] == lines[1]);
}

TEST_CASE("a non-finite value in a later file block is named as on a single rank")
{
    for (const bool in_velocity : {false, true}) {
        Particles p = plummer(300, 3);
        (in_velocity ? p.velocity : p.position)[200].z = INFINITY;
        SolverOptions options;
        options.device = "cpu";
        options.softening.length = 0.05;
        Scheme scheme;
        scheme.fixed_length = 1. / 64;
        std::string lines[2];
        for (const int P : {0, 3}) {
            options.own_ranks = P;
            const IntegratorWithSolver made = make_integrator(options, scheme);
            Particles own = p;
            if (P > 0) {
                made.integrator->begin_from(std::make_shared<RowsInBlocks>(p, 97));
                own = without_motion(p);
            }
            Simulation simulation(own, *made.integrator, 0, 1);
            lines[P > 0] = error_line([&] { simulation.run(); }, Fault::numeric);
        }
        CHECK(contains(lines[0],
                       in_velocity ? "particle id 1200: velocity" : "particle id 1200: position"));
        CHECK(lines[0] == lines[1]);
    }
}

TEST_CASE("a failure before any exchange ends a run with the failing rank's error")
{
    const Particles cloud = plummer(300, 5);
    Scheme scheme;
    scheme.individual = true;
    scheme.eta = 0.01;
    scheme.longest = 1. / 64;
    int all = 0;
    for (const int failing : {0, 1, 2}) {
        bool has_occurred = true;
        for (int exchange = 0; has_occurred; exchange += 7) {
            CAPTURE(failing);
            CAPTURE(exchange);
            Particles p = cloud;
            const FailedRanks failed = run_with_fault(3, failing, exchange, [&](Communicator& own) {
                if (own.rank() > 0)
                    return serve_particles(own);
                SolverOptions options;
                options.device = "cpu";
                options.softening.length = 0.02;
                options.ranks = &own;
                const IntegratorWithSolver made = make_integrator(options, scheme);
                Simulation simulation(p, *made.integrator, 0, 1. / 32);
                simulation.run();
                end_serving(own);
            });
            has_occurred = failed.has_occurred;
            CAPTURE(failed.line);
            CHECK(failed.reports);
            ++all;
        }
    }
    CHECK(all > 60);
}

TEST_SUITE_END();
