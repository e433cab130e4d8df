// A kept field of sources on several ranks, evaluated at sources and targets on those ranks:
// bitwise equal to one rank.
#include <array>
#include <string>

#include <doctest/doctest.h>

#include "chamomile/force/ranks/distributed_field.hpp"
#include "tests/unit/error_line.hpp"
#include "tests/unit/periodic_sets.hpp"
#include "tests/unit/rank_series.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("rank_fields");

namespace {

/// Input for a field: sources, which then move, and points. Direct sums have no points.
struct Asked {
    Particles sources, moved;
    std::vector<Vec3<double>> targets;
    std::vector<Index> active;
};

/// A Run is a rank's range in an array.
struct Run {
    std::size_t first, last;

    std::size_t size() const { return last - first; }
    template <class T>
    ArrayView of(std::vector<T>& values) const
    {
        return values.empty() ? ArrayView{} : view_of(std::span(values).subspan(first, size()));
    }
};

/// Answers holds accelerations and potentials of successive evaluations.
struct Answers {
    std::vector<std::vector<Vec3<double>>> acceleration;
    std::vector<std::vector<double>> potential;
    bool operator==(const Answers&) const = default;

    explicit Answers(const Asked& asked)
    {
        for (int k = 0; k < 2; ++k)
            for (const std::size_t size : {asked.targets.size(), asked.sources.size(),
                                           asked.active.size(), asked.sources.size()}) {
                acceleration.emplace_back(size);
                potential.emplace_back(size);
            }
    }
    FieldResults at(std::size_t k, const Run& run)
    {
        return {run.of(acceleration[k]), run.of(potential[k])};
    }
};

/// Evaluates a field for one rank's ranges, or for all.
void ask(FieldSolver& field, Asked& asked, const Run& sources, const Run& targets, Answers& answers)
{
    Run chosen{0, 0};
    std::vector<Index> active;
    for (const Index i : asked.active) {
        chosen.first += i >= sources.last; // numbers fall
        chosen.last += i >= sources.first;
        if (i >= sources.first && i < sources.last)
            active.push_back(Index(i - sources.first));
    }
    std::size_t k = 0;
    for (Particles* p : {&asked.sources, &asked.moved}) {
        const FieldSources own{sources.size(),
                               sources.of(p->position),
                               sources.of(p->mass),
                               {},
                               sources.of(p->softening)};
        k == 0 ? field.build(own) : field.refit(own);
        if (!asked.targets.empty())
            field.evaluate({targets.size(), targets.of(asked.targets)}, answers.at(k, targets));
        if (p->size() == 0)
            return;
        field.evaluate_sources({}, answers.at(k + 1, sources));
        field.evaluate_sources(active, answers.at(k + 2, chosen));
        field.evaluate_sources({}, answers.at(k + 3, sources));
        k += 4;
    }
}

Asked given_of(const NamedSet& set, std::size_t targets, bool varied)
{
    Asked asked{.sources = set.particles, .moved = {}, .targets = {}, .active = {}};
    Particles& p = asked.sources;
    p.resize(std::min<std::size_t>(p.size(), 2503));
    p.softening.clear();
    for (std::size_t i = 0; varied && i < p.size(); ++i)
        p.softening.push_back(i % 3 == 0 ? 0.1 : i % 7 == 0 ? 0.25 : 0.02);
    if (p.size() > 40) // massless sources at the end count as sources
        std::fill(p.mass.end() - 20, p.mass.end(), 0);
    asked.moved = p;
    for (std::size_t i = 0; i < p.size(); ++i)
        asked.moved.position[i] = p.position[i] + Vec3<double>{1e-3, -2e-3, 1e-4 * double(i % 9)};
    for (std::size_t k = 0; k < targets; ++k) {
        const Vec3<double> near = p.size() > 0 ? p.position[k % p.size()] : Vec3<double>{};
        asked.targets.push_back(k % 50 == 7   ? Vec3<double>{1e7, -3e6, double(k)}
                                : k % 10 == 3 ? near
                                              : 1.1 * near + Vec3<double>{0, 0.01, 0});
    }
    for (std::size_t i = p.size(); i-- > 0;) // falling numbers
        if (i % 11 == 4 || i > p.size() - 3)
            asked.active.push_back(Index(i));
    return asked;
}

/// Returns a rank's range; if `some`, every second rank has none.
Run run_of(std::size_t all, int rank, int ranks, bool some)
{
    const std::size_t parts = std::size_t(some ? (ranks + 1) / 2 : ranks);
    const std::size_t part = std::size_t(some ? (rank + 1) / 2 : rank);
    const bool has = !some || rank % 2 == 0;
    return {all * part / parts, has ? all * (part + 1) / parts : all * part / parts};
}

SolverOptions options_of(std::size_t k, bool varied)
{
    SolverOptions options;
    options.device = "cpu";
    options.gravitational_constant = 2.5;
    options.softening = {k % 2 ? SofteningKind::spline : SofteningKind::plummer, 0.01,
                         k % 3 ? SofteningRule::larger : SofteningRule::root_of_squares, varied};
    options.precision = k % 4 == 1 ? Precision::double_precision : Precision::single_precision;
    if (k % 5 == 2)
        options.criterion = Criterion::geometric;
    if (k % 2)
        options.decorrelate = 7;
    return options;
}

void compare(Asked asked, const SolverOptions& options)
{
    Answers one(asked);
    ask(*make_field_solver(options), asked, {0, asked.sources.size()}, {0, asked.targets.size()},
        one);
    const auto check_same = [&](const Answers& several) {
        for (std::size_t k = 0; k < one.acceleration.size(); ++k) {
            CAPTURE(k);
            CHECK((one.acceleration[k] == several.acceleration[k]));
            CHECK((one.potential[k] == several.potential[k]));
        }
    };
    SolverOptions of_process = options;
    of_process.own_ranks = 3;
    Answers of_threads(asked);
    ask(*make_field_solver(of_process), asked, {0, asked.sources.size()}, {0, asked.targets.size()},
        of_threads);
    check_same(of_threads);
    for (const int P : {1, 3, 7})
        for (const bool some : {false, true}) {
            if (some ? P == 1 : P == 7)
                continue;
            CAPTURE(P);
            CAPTURE(some);
            Answers several(asked);
            run_ranks(P,
                      [&](Communicator& ranks) {
                          const auto field = make_distributed_field(options, ranks);
                          const int r = ranks.rank();
                          ask(*field, asked, run_of(asked.sources.size(), r, P, some),
                              run_of(asked.targets.size(), P - 1 - r, P, some && P % 2), several);
                      },
                      {.time_limit = 120, .held_back = 3});
            check_same(several);
        }
}

} // namespace

TEST_CASE("tree fields on ranks equal a single rank bitwise at sources and targets")
{
    const std::vector<NamedSet> all = sets();
    std::size_t k = 0;
    for (const auto& [set, targets] :
         {std::pair<std::size_t, std::size_t>{0, 3001}, {1, 200}, {9, 500}, {11, 1}})
        for (const bool varied : {false, true}) {
            CAPTURE(all[set].name);
            CAPTURE(varied);
            if (set == 9 && varied) // all coincident
                continue;
            compare(given_of(all[set], targets, varied), options_of(k++, varied));
        }
}

TEST_CASE("tree fields in a box on ranks equal a single rank bitwise")
{
    for (const bool varied : {false, true}) {
        CAPTURE(varied);
        SolverOptions options = options_of(varied, varied);
        options.box = 16;
        Asked asked = given_of(sets()[0], 701, varied);
        for (auto* places : {&asked.sources.position, &asked.moved.position, &asked.targets})
            for (Vec3<double>& x : *places) // no source crosses a face: an image has other bits
                x += {8, 8, 8};
        compare(asked, options);
    }
}

TEST_CASE("a field in a box built again has nothing of sources that have changed ranks")
{
    SolverOptions options = options_of(0, false);
    options.box = 1;
    Particles p = periodic_sets(6000)[1].particles; // more than the sample of the long range
    const std::size_t ends[2][4] = {{0, 2000, 4000, 6000}, {0, 1000, 3000, 6000}};
    std::vector<Vec3<double>> felt[2];
    for (const bool again : {false, true}) {
        std::vector<Vec3<double>>& a = felt[again];
        a.resize(p.size());
        run_ranks(3, [&](Communicator& ranks) {
            const auto field = make_distributed_field(options, ranks);
            const auto r = std::size_t(ranks.rank());
            for (int k = again ? 0 : 1; k < 2; ++k) { // rank 1 has 2000 sources both times
                const Run run{ends[k][r], ends[k][r + 1]};
                field->build({run.size(), run.of(p.position), run.of(p.mass)});
                field->evaluate_sources({}, {run.of(a)});
            }
        });
    }
    CHECK((felt[0] == felt[1]));
}

TEST_CASE("refitting sources with twice the mass doubles the forces")
{
    const Particles p = sets()[0].particles;
    const std::size_t n = p.size();
    const auto check = [&](FieldSolver& field, std::size_t first, std::size_t count) {
        Particles own = p;
        const auto evaluated = [&](bool is_first) {
            const Run run{first, first + count};
            const FieldSources sources{count, run.of(own.position), run.of(own.mass)};
            is_first ? field.build(sources) : field.refit(sources);
            std::vector<Vec3<double>> sums(count);
            field.evaluate_sources({}, {view_of(std::span(sums))});
            return sums;
        };
        std::vector<Vec3<double>> before = evaluated(true);
        for (double& mass : own.mass)
            mass *= 2;
        for (Vec3<double>& a : before)
            a = 2.0 * a;
        CHECK((evaluated(false) == before));
    };
    SolverOptions options = options_of(0, false);
    check(*make_field_solver(options), 0, n);
    run_ranks(3, [&](Communicator& ranks) {
        const auto field = make_distributed_field(options, ranks);
        const std::size_t first = ranks.first_of_run(n, ranks.rank());
        check(*field, first, ranks.first_of_run(n, ranks.rank() + 1) - first);
    });
    options.own_ranks = 3;
    check(*make_field_solver(options), 0, n);
}

TEST_CASE("fields on ranks work for few sources and none")
{
    const NamedSet few = drawn("few", 3, [](auto&r, std::size_t) { return of_plummer(r); }),
                   none{"none", {}};
    compare(given_of(few, 40, false), options_of(0, false));
    compare(given_of(few, 40, true), options_of(2, true));
    compare(given_of(none, 40, false), options_of(0, false));
}

TEST_CASE("direct sums at sources equal a single rank bitwise")
{
    for (const bool varied : {false, true}) {
        SolverOptions options = options_of(0, varied);
        options.solver = SolverKind::direct;
        NamedSet set = sets()[0];
        set.particles.resize(1501);
        compare(given_of(set, 0, varied), options);
    }
}

TEST_CASE("calls unsupported on ranks are refused by all ranks and keep the sources")
{
    Asked asked = given_of(sets()[0], 100, false);
    const std::size_t n = asked.sources.size();
    const auto check = [&](SolverOptions options, const auto& call, const std::string& line) {
        run_ranks(3,
                  [&](Communicator& ranks) {
                      const auto field = make_distributed_field(options, ranks);
                      const Run own = run_of(n, ranks.rank(), 3, false);
                      const FieldSources sources{own.size(), own.of(asked.sources.position),
                                                 own.of(asked.sources.mass)};
                      const auto refused = [&] { call(*field, sources, ranks.rank()); };
                      if (line.starts_with("evaluate"))
                          CHECK(error_line(refused) == line);
                      field->build(sources);
                      if (!line.starts_with("evaluate"))
                          CHECK(error_line(refused) == line);
                      std::vector<Vec3<double>> a(own.size());
                      field->evaluate_sources({}, {view_of(std::span(a))});
                  },
                  {.time_limit = 120});
    };
    SolverOptions tree = options_of(0, false), direct = tree;
    direct.solver = SolverKind::direct;
    std::vector<Vec3<double>> room(n);
    std::vector<std::int64_t> self{0};
    const Index beyond[] = {Index(n)};
    const FieldResults to{view_of(std::span(room))}, tidal{{}, {}, view_of(std::span(room))};
    using Field = FieldSolver&;
    using Sources = const FieldSources&;
    const FieldTargets one{1, view_of(std::span(asked.targets))};
    check(
        tree, [&](Field f, Sources, int) { f.evaluate(one, to); },
        "evaluate: no sources: call build() first");
    check(
        tree, [&](Field f, Sources, int r) { f.evaluate(one, r == 1 ? tidal : to); },
        "tidal tensors and jerks: need a single rank");
    check(
        tree,
        [&](Field f, Sources, int r) {
            f.evaluate({1, one.position, {}, r == 2 ? std::span(self) : std::span<std::int64_t>()},
                       to);
        },
        "targets on several ranks: self indices and softening lengths must be left out");
    check(
        direct, [&](Field f, Sources, int) { f.evaluate(one, to); },
        "targets on several ranks: need the tree solver on the CPU");
    check(
        tree,
        [&](Field f, Sources, int r) {
            f.evaluate_sources(std::span(beyond).first(r == 1 ? 1 : 0), to);
        },
        "active: " + std::to_string(n) + ": must be below " + std::to_string(n / 3));
    check(
        tree,
        [&](Field f, Sources s, int r) {
            FieldSources fewer = s;
            fewer.count -= r == 1 ? 1 : 0;
            f.refit(fewer);
        },
        "refit: " + std::to_string(n / 3 - 1) + " sources, but build() took " +
            std::to_string(n / 3) + ": must be equal");
    check(
        tree, [&](Field f, Sources, int) { f.neighbours(one, {}, 1, {}, {}); },
        "neighbours: need a single rank");
}

TEST_SUITE_END();
