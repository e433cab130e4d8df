// One tree distributed over ranks: cells, groups, lists and forces equal one rank bit for bit, for
// any number of ranks, domain cuts and message order.
#include <map>
#include <mutex>
#include <set>
#include <tuple>

#include <doctest/doctest.h>

#include "chamomile/core/ranks/thread_ranks.hpp"
#include "chamomile/force/lists/list_solver.hpp"
#include "chamomile/force/ranks/distributed_solver.hpp"
#include "chamomile/force/ranks/domain_solver.hpp"
#include "chamomile/tree/domain/domain_tree_builder.hpp"
#include "chamomile/tree/domain/imported_cells.hpp"
#include "tests/unit/clouds.hpp"
#include "tests/unit/direct_parts.hpp"
#include "tests/unit/pairwise.hpp"
#include "tests/unit/rank_series.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("domains");

namespace {

constexpr int rank_counts[] = {1, 2, 3, 4, 7};
constexpr Precision precisions[] = {Precision::single_precision, Precision::double_precision};

/// A list entry: a particle or a cell, by content.
using Entry = std::tuple<double, double, double, double, Index>;
/// Lists per group, by position of the first target and number of targets.
using ListsByGroup = std::map<std::tuple<double, double, double, Index>, std::vector<Entry>>;

/// Adds the lists in a form independent of memory locations.
void add_lists(ListsByGroup& all, const Tree& tree, const TargetGroups&,
               const InteractionLists& lists)
{
    const auto cell = [&](Index c, Index kind) {
        const Multipole& m = tree.moments.multipole[c];
        return Entry{m.center.x, m.center.y, m.center.z, m.mass,
                     4 * tree.octree.cells[c].count + kind};
    };
    for (const ListRow& row : lists.rows) {
        std::vector<Entry> entries;
        if (row.cluster != no_cluster)
            for (Index k = lists.clusters[row.cluster].far_begin;
                 k < lists.clusters[row.cluster].far_end; ++k)
                entries.push_back(cell(lists.far_cells[k], 3));
        for (Index k = row.far_begin; k < row.far_end; ++k)
            entries.push_back(cell(lists.far_cells[k], 2));
        for (Index k = row.cell_begin; k < row.cell_end; ++k)
            entries.push_back(cell(lists.cells[k], 1));
        for (Index k = row.range_begin; k < row.range_end; ++k) {
            const ParticleRange& range = lists.ranges[k];
            const Index count =
                (k + 1 < row.range_end ? lists.ranges[k + 1].before : row.particle_count) -
                range.before;
            for (Index j = range.first; j < range.first + count; ++j) {
                const Source& s = tree.octree.sources[j];
                entries.emplace_back(s.position.x, s.position.y, s.position.z, s.mass, 0);
            }
        }
        const Vec3<double>& first = tree.octree.sources[row.target_begin].position;
        // A number distinguishes groups at one position.
        Index number = 0;
        while (!all.emplace(std::tuple(first.x, first.y, first.z,
                                       (row.target_end - row.target_begin) * 4096 + number),
                            entries)
                    .second)
            ++number;
    }
}

ListsByGroup lists_of_one(const Particles& p, const TreePlan& plan)
{
    const auto builder = make_host_tree_builder();
    Tree tree(builder->memory());
    Profile profile;
    Particles copy = p;
    builder->build(tree,
                   {p.size(), view_of(std::span(copy.position)), view_of(std::span(copy.mass))},
                   plan, profile);
    TargetGroups groups;
    builder->make_groups(groups, tree, {}, plan.groups);
    builder->finish_nodes(tree, groups, profile);
    Walk walk;
    walk.prepare(tree.octree, tree.nodes, *plan.criterion);
    InteractionLists lists;
    walk.list(lists, groups, 0, groups.clusters.size());
    ListsByGroup all;
    add_lists(all, tree, groups, lists);
    return all;
}

/// Returns the first row of a rank: ranks 1 and 2 begin at the same row, so rank 1 is empty.
std::size_t first_row(std::size_t n, int rank, int ranks)
{
    return rank >= ranks            ? n
           : rank == 2 && ranks > 2 ? n * 1 / std::size_t(ranks)
                                    : n * std::size_t(rank) / std::size_t(ranks);
}

/// Returns a rank's particles: unevenly cut; rank 1 of several has none.
TreeParticles rows_of(const Particles& p, int rank, int ranks)
{
    const std::size_t begin = first_row(p.size(), rank, ranks),
                      count = first_row(p.size(), rank + 1, ranks) - begin;
    TreeParticles rows{count, view_of(std::span(p.position).subspan(begin, count)),
                       view_of(std::span(p.mass).subspan(begin, count))};
    rows.ranks.emplace();
    return rows;
}

ListsByGroup lists_of_ranks(const Particles& p, const TreePlan& plan, int ranks,
                            const std::vector<double>& shares = {},
                            std::optional<std::uint64_t> held_back = {})
{
    ListsByGroup all;
    std::mutex mutex;
    run_ranks(ranks,
              [&](Communicator& communicator) {
                  DomainTreeBuilder builder(communicator, "auto");
                  builder.cut_at(shares);
                  Tree tree(builder.memory());
                  TargetGroups groups;
                  Profile profile;
                  builder.build(tree, rows_of(p, communicator.rank(), ranks), plan, profile);
                  builder.make_groups(groups, tree, {}, plan.groups);
                  InteractionLists lists;
                  const auto make_lists = [&](TargetGroups& of) {
                      builder.start_nodes(tree, of, profile);
                      builder.finish_nodes(tree, of, profile);
                      Walk walk;
                      walk.prepare(tree.octree, tree.nodes, *plan.criterion);
                      lists = {};
                      if (!of.clusters.empty())
                          walk.list(lists, of, 0, of.clusters.size());
                      CHECK(!has_absent(lists));
                  };
                  if (held_back) { // imports of other groups are replaced
                      TargetGroups few;
                      builder.make_groups(few, tree, {}, plan.groups);
                      few.clusters.resize(std::min<std::size_t>(few.clusters.size(), 1));
                      make_lists(groups);
                      make_lists(few);
                  }
                  make_lists(groups);
                  const std::lock_guard lock(mutex);
                  add_lists(all, tree, groups, lists);
              },
              {.time_limit = 120, .held_back = held_back});
    return all;
}

struct NamedCriterion {
    const char* name;
    AcceptanceCriterion criterion;
};

const NamedCriterion criteria[] = {
    {"moments", {.kind = Criterion::moments, .tolerance = 0.001, .local_order = 6}},
    {"moments without expansions", {.kind = Criterion::moments, .tolerance = 0.01}},
    {"estimates that open more than lists", {.kind = Criterion::relative, .tolerance = 0.1}},
    {"relative", {.kind = Criterion::relative, .tolerance = 0.001, .order = 4, .local_order = 3}},
    {"softened",
     {.kind = Criterion::moments,
      .tolerance = 0.01,
      .clearance = 0.1,
      .softening = 0.04,
      .order = 3,
      .local_order = 6}},
    {"geometric", {.kind = Criterion::geometric, .theta = 0.6, .order = 0, .local_order = 6}},
    {"minimum distance", {.kind = Criterion::minimum_distance, .theta = 0.8}}};

/// Solves on given ranks.
void solve_on_given(Particles& p, const SolverOptions& options, int ranks, int times,
                    std::optional<double> softening_length = {})
{
    run_ranks(ranks,
              [&](Communicator& communicator) {
                  if (communicator.rank() > 0)
                      return serve_solver(communicator);
                  SolverOptions on_ranks = options;
                  on_ranks.ranks = &communicator;
                  const auto solver = make_solver(on_ranks);
                  Request request = request_of(p, Quantities::acceleration_potential);
                  request.softening_length = softening_length;
                  for (int k = 0; k < times; ++k) // cuts follow the previous work
                      solver->evaluate(request);
                  end_serving(communicator);
              },
              {.time_limit = 120, .held_back = {}});
}

} // namespace

TEST_CASE("ranks build the groups and lists of a single rank for all sets, criteria and cuts")
{
    struct Cut {
        int ranks;
        std::vector<double> shares;
        std::optional<std::uint64_t> held_back; // messages arrive in other orders
    };
    const std::vector<double> uneven{0, 0.01, 0.47, 0.47, 1};
    const Cut cuts[] = {{2, {}, {}}, {7, {}, {}}, {4, uneven, {}}, {4, uneven, 5}};
    const std::vector<NamedSet> all = sets();
    const auto rows = pairwise({all.size(), std::size(criteria), std::size(cuts)});
    const std::set<std::vector<std::size_t>> chosen(rows.begin(), rows.end());
    for (std::size_t s = 0; s < all.size(); ++s)
        for (std::size_t c = 0; c < std::size(criteria); ++c) {
            CAPTURE(all[s].name);
            CAPTURE(criteria[c].name);
            const TreePlan plan{.leaf_size = 16,
                                .groups = {64, 8, Box::infinity, 16, 1000},
                                .criterion = criteria[c].criterion};
            const ListsByGroup one = lists_of_one(all[s].particles, plan);
            for (std::size_t k = 0; k < std::size(cuts); ++k) {
                // Estimates need cells that lists do not, in few sets and cuts.
                if (!criteria[c].criterion.takes_tolerance() && !chosen.contains({s, c, k}))
                    continue;
                const Cut& cut = cuts[k];
                CAPTURE(cut.ranks);
                CHECK(lists_of_ranks(all[s].particles, plan, cut.ranks, cut.shares,
                                     cut.held_back) == one);
            }
        }
}

TEST_CASE("a request's softening length reaches all ranks")
{
    for (const SolverKind kind : {SolverKind::tree, SolverKind::direct}) {
        CAPTURE(int(kind));
        const Particles p = kind == SolverKind::tree ? sets()[0].particles : plummer(3011);
        SolverOptions options;
        options.device = "cpu";
        options.solver = kind;
        Particles one = p, several = p;
        solve_on_given(several, options, 3, 1, 0.1);
        options.softening.length = 0.1;
        make_solver(options)->solve(one, Quantities::acceleration_potential);
        CHECK(same_forces(one, several));
    }
}

TEST_CASE("forces on several ranks equal a single rank bitwise")
{
    const std::vector<NamedSet> all = sets();
    std::map<std::pair<std::size_t, std::size_t>, Particles> of_one; // by set and precision
    for (const auto& row : pairwise({all.size(), std::size(rank_counts), 2, 2})) {
        const NamedSet& set = all[row[0]];
        const int P = rank_counts[row[1]];
        const bool given = row[3] == 1;
        CAPTURE(set.name);
        CAPTURE(P);
        CAPTURE(int(row[2]));
        CAPTURE(given);
        SolverOptions options;
        options.device = "cpu";
        options.precision = precisions[row[2]];
        options.softening.length = set.name == std::string("plummer") ? 0 : 0.01;
        options.gravitational_constant = 2.5;
        const auto [one, is_new] = of_one.emplace(std::pair{row[0], row[2]}, set.particles);
        if (is_new)
            make_solver(options)->solve(one->second, Quantities::acceleration_potential);
        Particles several = set.particles;
        given ? solve_on_given(several, options, P, 2) : solve_on_ranks(several, options, P, 2);
        CHECK(same_forces(one->second, several));
    }
}

TEST_CASE("direct sums on several ranks equal a single rank bitwise")
{
    const std::vector<NamedSet> all = sets();
    for (const auto& row : pairwise({all.size(), std::size(rank_counts), 2})) {
        const NamedSet& set = all[row[0]];
        const int P = rank_counts[row[1]];
        CAPTURE(set.name);
        CAPTURE(P);
        CAPTURE(int(row[2]));
        const std::size_t n = std::min<std::size_t>(set.particles.size(), 3011);
        Particles one;
        one.resize(n);
        for (std::size_t i = 0; i < n; ++i) {
            one.position[i] = set.particles.position[i];
            one.mass[i] = set.particles.mass[i];
        }
        SolverOptions options;
        options.device = "cpu";
        options.solver = SolverKind::direct;
        options.precision = precisions[row[2]];
        options.softening.length = set.name == std::string("pairs") ? 1e-9 : 0.01;
        options.gravitational_constant = 2.5;
        Particles several = one;
        const ForceStatistics alone =
            make_solver(options)->solve(one, Quantities::acceleration_potential);
        options.own_ranks = P;
        const auto solver = make_solver(options);
        for (int k = 0; k < 2; ++k) {
            const ForceStatistics statistics =
                solver->solve(several, Quantities::acceleration_potential);
            CHECK(statistics.targets == n);
            CHECK(statistics.particle_particle == alone.particle_particle);
            CHECK(statistics.cancelling == alone.cancelling);
        }
        CHECK(same_forces(one, several));
    }
}

TEST_CASE("any subset of targets equals the whole direct sum bitwise")
{
    for (const bool has_tracers : {false, true})
        for (const bool own_softenings : {false, true}) {
            CAPTURE(has_tracers);
            CAPTURE(own_softenings);
            SolverOptions options;
            options.device = "cpu";
            options.softening = {SofteningKind::spline, 0.02};
            options.softening.per_particle = own_softenings;
            Particles p = plummer(3011, 5);
            for (std::size_t i = 0; own_softenings && i < p.size(); ++i)
                p.softening.push_back(i % 3 ? 0.02 : 0.1);
            for (std::size_t i = 2700; has_tracers && i < p.size(); ++i)
                p.mass[i] = 0;
            check_parts(p, options);
            for (const std::size_t count : {1, 700}) {
                CAPTURE(count);
                check_parts(p, options, some_of(p, count, false));
            }
        }
}

TEST_CASE("forces on particles stored on all ranks equal a single rank bitwise")
{
    for (NamedSet& set : sets()) {
        CAPTURE(set.name);
        SolverOptions options;
        options.device = "cpu";
        options.softening.length = set.name == std::string("plummer") ? 0 : 0.01;
        options.gravitational_constant = 2.5;
        Particles one = set.particles;
        make_solver(options)->solve(one, Quantities::acceleration_potential);
        for (const int P : rank_counts) {
            CAPTURE(P);
            Particles several = set.particles;
            solve_own_rows(
                several, options, P, [&](int r) { return first_row(several.size(), r, P); }, 7);
            CHECK(same_forces(one, several));
        }
    }
}

TEST_CASE("few targets have the groups of one rank")
{
    const Particles p = hernquist(4000);
    std::vector<Index> active;
    for (Index i = 5; i < p.size(); i += 61)
        active.push_back(i);
    SolverOptions options;
    options.device = "cpu";
    options.softening.length = 0.01;
    options.group_size = 8; // pieces of many coarse leaves, on each rank
    options.cluster_size = 1;
    Particles one = p;
    make_solver(options)->solve(one, Quantities::acceleration_potential, active);
    for (const int P : rank_counts) {
        CAPTURE(P);
        options.own_ranks = P;
        Particles several = p;
        make_solver(options)->solve(several, Quantities::acceleration_potential, active);
        CHECK(same_forces(one, several));
    }
}

TEST_CASE("numbers of particles may lie beyond those of an Index")
{
    SolverOptions options;
    options.device = "cpu";
    for (const bool are_mixed : {false, true})
        check_large_numbers(options, are_mixed);
}

TEST_CASE("different options and coincident particles raise equal errors on all ranks")
{
    const auto line_of = [](bool others, bool twins) {
        try {
            run_ranks(3,
                      [&](Communicator& communicator) {
                          SolverOptions options;
                          options.device = "cpu";
                          options.theta = others && communicator.rank() == 2 ? 0.4 : 0.5;
                          DistributedSolver solver(options, communicator);
                          Particles p = plummer(100);
                          for (std::size_t i = 0; i < p.size(); ++i)
                              p.position[i].x += communicator.rank();
                          if (twins)
                              p.position[7] = {9, 9, 9};
                          solver.evaluate(request_of(p, Quantities::acceleration));
                      },
                      {.time_limit = 60, .held_back = {}});
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    CHECK(line_of(false, false).empty());
    CHECK(
        line_of(true, false).find("rank 2 of 3: options or version: must be equal on all ranks") !=
        std::string::npos);
    const std::string twins = line_of(false, true);
    CHECK(twins.find("107") != std::string::npos);
}

TEST_CASE("kept cells find a bad position on any rank")
{
    Particles p = hernquist(4000);
    std::fill(p.mass.begin() + 3000, p.mass.end(), 0.0); // also of a massless particle
    const TreePlan plan{.leaf_size = 8, .groups = {32, 4}, .criterion = criteria[0].criterion};
    for (const int P : {1, 3})
        run_ranks(P, [&](Communicator& ranks) {
            DomainTreeBuilder builder(ranks, "auto");
            Tree tree(builder.memory());
            Profile profile;
            TreeParticles rows = rows_of(p, ranks.rank(), P);
            builder.build(tree, rows, plan, profile);
            Particles moved = p;
            moved.position[3210].y = NAN;
            rows.position = rows_of(moved, ranks.rank(), P).position;
            CHECK_THROWS_WITH_AS(builder.refit(tree, rows, plan, profile),
                                 "particle 3210: position: must be finite", CollectiveError);
            rows.position = rows_of(p, ranks.rank(), P).position;
            builder.refit(tree, rows, plan, profile); // and nothing is lost
        });
}

TEST_CASE("two solvers alternate on the same ranks")
{
    const Particles p = sets().front().particles;
    SolverOptions single, twice;
    single.device = twice.device = "cpu";
    single.softening.length = twice.softening.length = 0.01;
    twice.precision = Precision::double_precision;
    Particles one = p, exact = p;
    make_solver(single)->solve(one, Quantities::acceleration_potential);
    make_solver(twice)->solve(exact, Quantities::acceleration_potential);
    run_ranks(3,
              [&](Communicator& communicator) {
                  if (communicator.rank() > 0)
                      return serve_solver(communicator);
                  single.ranks = twice.ranks = &communicator;
                  const auto first = make_solver(single), second = make_solver(twice);
                  for (int k = 0; k < 2; ++k) {
                      Particles a = p, b = p;
                      first->solve(a, Quantities::acceleration_potential);
                      second->solve(b, Quantities::acceleration_potential);
                      CHECK(same_forces(a, one));
                      CHECK(same_forces(b, exact));
                  }
                  end_serving(communicator);
              },
              {.time_limit = 120, .held_back = {}});
}

TEST_SUITE_END();
