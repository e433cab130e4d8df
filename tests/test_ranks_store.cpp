// Particles that live on ranks while a leapfrog moves them: the bits of one rank, whatever moves
// them, and one error where a rank fails.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>

#include <doctest/doctest.h>

#include "chamomile/core/error.hpp"
#include "chamomile/core/files/memory_archive.hpp"
#include "chamomile/integrate/leapfrog.hpp"
#include "chamomile/integrate/ranks/rank_run.hpp"
#include "chamomile/integrate/ranks/rank_store.hpp"
#include "chamomile/integrate/scheme.hpp"
#include "chamomile/integrate/simulation.hpp"
#include "chamomile/parallel/thread_ranks.hpp"
#include "tests/clouds.hpp"
#include "tests/error_line.hpp"
#include "tests/failing_rank.hpp"
#include "tests/rank_sets.hpp"
#include "tests/restart_runs.hpp"
#include "tests/rows_in_blocks.hpp"
#include "tests/snapshot_fixture.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("ranks_store");

namespace {

std::shared_ptr<const ExternalField> field_of(const std::vector<std::string>& texts)
{
    PotentialFiles files;
    return read_external_field("potential", texts, {}, 1, files);
}

/// What a run shows on its way: particles or their rows where observers look, diagnostics, points
/// of some of them after each step, and the state that a checkpoint keeps.
struct Shown {
    std::vector<Particles> seen;
    std::vector<Diagnostics> measured;
    std::vector<double> columns; ///< of individual steps
    std::vector<MovingPoint> points;
    bool is_resident = false;
};

/// Returns the particles that rows give, in parts.
Particles gathered(const Particles& rest, ParticleRows& rows)
{
    Particles all = rest;
    const auto take = [&](auto& into, const auto& part) {
        into.insert(into.end(), part.begin(), part.end());
    };
    all.position = all.velocity = all.acceleration = {};
    all.potential = {};
    const std::size_t n = rest.size();
    for (std::size_t begin = 0, end; begin < n; begin = end) {
        end = std::min(begin + 1 + n / 3, n);
        take(all.position, rows.vectors(Column::position, {begin, end}));
        take(all.velocity, rows.vectors(Column::velocity, {begin, end}));
        take(all.acceleration, rows.vectors(Column::acceleration, {begin, end}));
        take(all.potential, rows.reals(Column::potential, {begin, end}));
    }
    return all;
}

/// Returns the particles of a run that goes on from the checkpoint.
Particles restored(const std::filesystem::path& file, const SolverOptions& options,
                   const Scheme& scheme, bool leaves)
{
    const Integration made = make_integrator(options, scheme);
    Particles p = plummer(50); // others, of which nothing is left
    Simulation simulation(p, *made.integrator, 0, 0.125);
    if (leaves)
        simulation.leave_particles();
    simulation.at_intervals(0.0625, Quantities::acceleration_potential, [](Simulation&) {});
    CheckpointReader kept(file);
    simulation.exchange(kept);
    CHECK((leaves && made.is_resident()) == (p.position.capacity() == 0));
    return leaves ? gathered(p, simulation.rows()) : p;
}

/// Returns the columns of individual steps that an archive has.
std::vector<double> step_columns(Archive& archive, const Scheme& scheme)
{
    std::vector<double> all, one;
    for (const char* name : {"blocks/wish", "blocks/time", "blocks/orbit"})
        if (scheme.individual) {
            archive(name, one);
            all.insert(all.end(), one.begin(), one.end());
        }
    return all;
}

/// Has the points of some particles shown after each step.
void follow_some(Simulation& simulation, std::size_t n, Shown& shown)
{
    std::vector<Index> which; // from all ranks, in no order
    for (Index i = 0; i < std::min<Index>(40, Index(n)); ++i)
        which.push_back(Index(std::uint64_t(i) * 7919 % n));
    simulation.after_each_step([&shown, which](Simulation& now) {
        std::vector<MovingPoint> points(which.size());
        now.gather(which, {0.1, 0.2, 0.3}, points);
        shown.points.insert(shown.points.end(), points.begin(), points.end());
    });
}

Shown run(Particles p, const SolverOptions& options, const Scheme& scheme, bool leaves = false)
{
    const Integration made = make_integrator(options, scheme);
    Simulation simulation(p, *made.integrator, 0, 0.125);
    Shown shown;
    shown.is_resident = made.is_resident();
    if (leaves) {
        simulation.leave_particles();
        if (shown.is_resident) { // as from a file
            made.integrator->begin_from(std::make_shared<RowsInBlocks>(p, 97));
            p = without_motion(p);
        }
    }
    const auto look = [&](Simulation& now) {
        shown.measured.push_back(now.diagnostics());
        CHECK((leaves && shown.is_resident) == (now.particles().position.capacity() == 0));
        shown.seen.push_back(leaves ? gathered(now.particles(), now.rows()) : now.particles());
    };
    simulation.at_intervals(0.0625, Quantities::acceleration_potential, look,
                            leaves ? Simulation::LooksAt::rows : Simulation::LooksAt::particles);
    follow_some(simulation, p.size(), shown);
    simulation.run();
    const TemporaryFolder folder; // what is kept of each particle comes from all ranks
    write_checkpoint(folder / "state.chk", [&](Archive& archive) { simulation.exchange(archive); });
    CheckpointReader kept(folder / "state.chk");
    Particles& last = shown.seen.emplace_back(p);
    kept.records("particles/position", last.position);
    kept.records("particles/velocity", last.velocity);
    kept.records("particles/acceleration", last.acceleration);
    kept("particles/potential", last.potential);
    shown.columns = step_columns(kept, scheme);
    simulation.fetch();
    shown.seen.push_back(p);
    shown.seen.push_back(restored(folder / "state.chk", options, scheme, leaves));
    return shown;
}

std::unique_ptr<Leapfrog> leapfrog_of(Solver& solver, const Scheme& scheme)
{
    const TimeStep step = time_step_of(scheme);
    auto made = scheme.individual
                    ? std::make_unique<Leapfrog>(solver, BlockSteps{.criterion = step.criterion,
                                                                    .eta = step.eta,
                                                                    .longest = step.longest})
                    : std::make_unique<Leapfrog>(solver, step);
    made->put_into(scheme.field);
    return made;
}

/// Returns a number of all particles at which the home of a rank begins; that of rank 1 has none.
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

/// Runs a simulation on each rank, of the particles that it has at home, and returns what all show
/// together.
Shown run_on_each(const Particles& all, const SolverOptions& options, const Scheme& scheme,
                  int ranks)
{
    std::vector<Shown> of(std::size_t(ranks), Shown{});
    run_ranks(ranks, [&](Communicator& own) {
        Shown& shown = of[std::size_t(own.rank())];
        Particles p = part_of(all, first_at_home(all.size(), own.rank(), ranks),
                              first_at_home(all.size(), own.rank() + 1, ranks));
        DistributedSolver solver(options, own);
        const auto leapfrog = leapfrog_of(solver, scheme);
        Simulation simulation(p, *leapfrog, 0, 0.125);
        simulation.at_intervals(0.0625, Quantities::acceleration_potential, [&](Simulation& now) {
            shown.measured.push_back(now.diagnostics());
            shown.seen.push_back(p);
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
    if (scheme.individual) { // each column in the order of ranks
        shown.columns.clear();
        const std::size_t columns =
            time_step_of(scheme).criterion == StepCriterion::potential ? 3 : 2;
        for (std::size_t c = 0; c < columns; ++c)
            for (const Shown& one : of) {
                const std::size_t n = one.columns.size() / columns;
                shown.columns.insert(shown.columns.end(), one.columns.begin() + c * n,
                                     one.columns.begin() + (c + 1) * n);
            }
    }
    return shown;
}

bool same(const Shown& a, const Shown& b)
{
    if (a.seen.size() != b.seen.size() || a.points.size() != b.points.size() ||
        a.measured.size() != b.measured.size() || a.columns != b.columns)
        return false;
    for (std::size_t k = 0; k < a.measured.size(); ++k)
        if (std::memcmp(&a.measured[k], &b.measured[k], sizeof(Diagnostics)) != 0)
            return false;
    for (std::size_t k = 0; k < a.seen.size(); ++k)
        if (!same_bits(a.seen[k], b.seen[k]))
            return false;
    for (std::size_t k = 0; k < a.points.size(); ++k)
        if (a.points[k].x != b.points[k].x || a.points[k].y != b.points[k].y ||
            a.points[k].z != b.points[k].z || a.points[k].speed != b.points[k].speed)
            return false;
    return true;
}

} // namespace

TEST_CASE("particles on ranks move with the bits of one rank, by all steps and in fields")
{
    struct Way {
        std::string name;
        SolverKind solver;
        Scheme scheme;
    };
    Scheme fixed, adaptive, by_potential, blocks, by_softening, in_field, in_frame;
    fixed.fixed_length = 1. / 64;
    adaptive.adaptive = true;
    by_potential.adaptive = true;
    by_potential.criterion = StepCriterion::potential;
    blocks.individual = true;
    blocks.eta = 0.006;
    blocks.longest = 1. / 64;
    by_softening = blocks;
    by_softening.criterion = StepCriterion::softening;
    by_softening.eta = 0.05;
    in_field = blocks;
    in_field.field = field_of({"plummer,M=0.5,a=0.2,x=0.1,vx=1", "hernquist,M=2,a=1"});
    in_frame = fixed;
    in_frame.field = field_of({"rotation,omega=0.4", "plummer,M=1,a=0.7"});
    const Way ways[] = {{"fixed", SolverKind::tree, fixed},
                        {"adaptive", SolverKind::direct, adaptive},
                        {"adaptive by potentials", SolverKind::tree, by_potential},
                        {"blocks", SolverKind::tree, blocks},
                        {"blocks, direct", SolverKind::direct, blocks},
                        {"blocks by softening", SolverKind::tree, by_softening},
                        {"blocks in a field", SolverKind::tree, in_field},
                        {"in a turning frame", SolverKind::tree, in_frame}};
    int number = 0;
    for (const Way& way : ways)
        for (const auto& [n, is_mixed] :
             {std::pair<std::size_t, bool>{3, false}, {3, true}, {1511, false}, {1511, true}}) {
            CAPTURE(way.name);
            CAPTURE(n);
            CAPTURE(is_mixed);
            Particles p = plummer(n, 3);
            for (std::size_t i = 0; i < n; ++i)
                p.velocity[i] = {0.3 * p.position[i].y, -0.3 * p.position[i].x, 0.1};
            SolverOptions options;
            if (is_mixed) { // tracers, and softening lengths of their own
                for (std::size_t i = n - n / 3; i < n; ++i)
                    p.mass[i] = 0;
                for (std::size_t i = 0; i < n; ++i)
                    p.softening.push_back(i % 3 ? 0.05 : 0.02);
                options.softening.is_varied = true;
            }
            options.device = "cpu";
            options.solver = way.solver;
            options.softening.length = 0.05;
            Shown one = run(p, options, way.scheme);
            CHECK(!one.is_resident);
            for (const int P : {1 + number % 4, 7 - number % 3}) { // every number with every way
                CAPTURE(P);
                SolverOptions own = options;
                own.own_ranks = P;
                const bool leaves = (number + P / 2) % 2 == 1;
                CAPTURE(leaves);
                const Shown several = run(p, own, way.scheme, leaves);
                CHECK(several.is_resident);
                CHECK(same(one, several));
            }
            const int on_each[] = {3, 1, 7, 2, 4};
            one.points.clear();
            CHECK(same(one, run_on_each(p, options, way.scheme, on_each[number % 5])));
            ++number;
        }
}

TEST_CASE("columns that a caller adds go with their particles to other ranks")
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
        p.extra["age"]; // of the rank without particles too
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

TEST_CASE("columns that ranks do not share are refused in one line by all")
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
                                          : "must have the same names on all ranks"));
        CHECK(lines[1] == lines[0]);
        CHECK(lines[2] == lines[0]);
    }
}

TEST_CASE("particles that no key tells apart keep their order when ranks exchange them")
{
    const std::size_t n = 1511;
    Particles p = plummer(n, 7);
    std::mt19937_64 random(5);
    const auto draw = [&] { return uniform(random); };
    for (std::size_t i = 0; i < n; ++i) { // ten in a cell of one key, each of which crosses several
        p.position[i] = {60 * draw(), 60 * draw(), 0};
        p.velocity[i] = 400. * Vec3<double>{draw() - 0.5, draw() - 0.5, 0};
    }
    for (std::size_t i = 20; i < 200; ++i) { // pairs that stay together
        p.position[n - i] = p.position[i];
        p.velocity[n - i] = p.velocity[i];
    }
    SolverOptions options;
    options.device = "cpu";
    options.softening.length = 0.05;
    Scheme scheme;
    scheme.fixed_length = 1. / 256; // 32 steps, in which they are exchanged four times
    // The cells of one key are those of the cube of all, or of a cube within one such cell.
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

TEST_CASE(
    "a particle that flies away is named as by one rank, and the state is that before the step")
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
        const Integration made = make_integrator(options, scheme);
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
    run_ranks(3, [&](Communicator& own) {
        Particles p = plummer(300, 3);
        p.velocity[200] = {1e305, 0, 0};
        const std::size_t first = first_at_home(300, own.rank(), 3),
                          last = first_at_home(300, own.rank() + 1, 3);
        p = part_of(p, first, last);
        const Particles begin = part_of(before, first, last);
        SolverOptions options;
        options.device = "cpu";
        options.softening.length = 0.05;
        DistributedSolver solver(options, own);
        Leapfrog leapfrog(solver, TimeStep{.length = 1e7});
        Simulation simulation(p, leapfrog, 0, 1e9);
        CHECK(error_line([&] { simulation.run(); }, Fault::numeric) == line);
        CHECK(same_bits(p.position, begin.position));
        CHECK(same_bits(p.velocity, begin.velocity));
    });
}

TEST_CASE("what is not finite in a later block of a file is named as by one rank")
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
            const Integration made = make_integrator(options, scheme);
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

TEST_CASE("a rank that fails before any of its exchanges ends a run with its error alone")
{
    const Particles cloud = plummer(300, 5);
    Scheme scheme;
    scheme.individual = true;
    scheme.eta = 0.01;
    scheme.longest = 1. / 64;
    int all = 0;
    for (const int failing : {0, 1, 2}) {
        bool has_come = true;
        for (int exchange = 0; has_come; exchange += 7) {
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
                const Integration made = make_integrator(options, scheme);
                Simulation simulation(p, *made.integrator, 0, 1. / 32);
                simulation.run();
                end_serving(own);
            });
            has_come = failed.has_come;
            CAPTURE(failed.line);
            CHECK(failed.tells_so);
            ++all;
        }
    }
    CHECK(all > 60);
}

TEST_SUITE_END();
