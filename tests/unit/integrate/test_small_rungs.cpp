// Active particles on ranks, as in individual steps: groups, lists and sums equal one rank bit for
// bit, on new and kept trees.
#include <doctest/doctest.h>

#include "chamomile/force/ranks/distributed_solver.hpp"
#include "tests/unit/pairwise.hpp"
#include "tests/unit/rank_series.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("small_rungs");

TEST_CASE("ranks equal a single rank bitwise at active particles, with new and reused trees")
{
    const SolverKind kinds[] = {SolverKind::tree, SolverKind::direct};
    const int rank_counts[] = {1, 2, 3, 7, held_back_ranks};
    const std::vector<NamedSet> all = sets();
    const auto rows = pairwise({all.size(), std::size(rank_counts), 2});
    for (std::size_t case_number = 0; case_number < 2 * all.size(); ++case_number) {
        const NamedSet& set = all[case_number / 2];
        const SolverKind kind = kinds[case_number % 2];
        CAPTURE(set.name);
        CAPTURE(int(kind));
        Particles p;
        const std::size_t max = kind == SolverKind::tree ? 1 << 20 : 1511;
        p.resize(std::min(max, set.particles.size()));
        for (std::size_t i = 0; i < p.size(); ++i) {
            p.position[i] = set.particles.position[i];
            p.mass[i] = kind == SolverKind::direct && i > 1300 ? 0 : set.particles.mass[i];
        }
        p.acceleration.resize(p.size());
        p.potential.resize(p.size());
        SolverOptions options;
        options.device = "cpu";
        options.solver = kind;
        options.softening.length = set.name == std::string("pairs") ? 1e-9 : 0.01;
        options.gravitational_constant = 2.5;
        if (set.name == std::string("disk"))
            options.criterion = Criterion::geometric;
        if (set.name == std::string("uniform"))
            options.precision = Precision::double_precision;
        const Series one = evaluate_blocks(p, *make_solver(options));
        CHECK(one.figures[1].back() == 1);
        for (const auto& row : rows)
            if (row[0] == case_number / 2 && row[2] == case_number % 2)
                check_blocks(one, p, options, rank_counts[row[1]]);
    }
}

TEST_CASE("each solver on a rank keeps a separate tree")
{
    Particles a = sets()[0].particles, b = sets()[5].particles;
    SolverOptions options;
    options.device = "cpu";
    options.softening.length = 0.01;
    on_three_ranks(options, {}, [&](const SolverOptions& given) {
        const auto first = make_solver(given), second = make_solver(given);
        Request of_a = request_of(a, Quantities::acceleration_potential);
        of_a.keeps_tree = true;
        CHECK(!first->evaluate(of_a).kept_tree);
        CHECK(first->evaluate(of_a).kept_tree);
        second->solve(b, Quantities::acceleration_potential);
        CHECK(first->evaluate(of_a).kept_tree);
        Particles one = a;
        make_solver(options)->solve(one, Quantities::acceleration_potential);
        CHECK(same_forces(one, a));
    });
}

TEST_CASE("an accuracy goal on ranks gives equal tolerances and needs a single caller")
{
    Particles p = sets()[0].particles;
    SolverOptions options;
    options.device = "cpu";
    options.softening.length = 0.01;
    set_goal(options);
    const auto one = make_solver(options);
    Particles alone = p;
    one->solve(alone, Quantities::acceleration_potential);
    for (const int P : {1, 3}) {
        CAPTURE(P);
        SolverOptions own = options;
        own.own_ranks = P;
        const auto several = make_solver(own);
        Particles together = p;
        const ForceStatistics s = several->solve(together, Quantities::acceleration_potential);
        CHECK(s.ranks->ranks == P);
        CHECK(several->options().tolerance == one->options().tolerance);
        CHECK(same_forces(alone, together));
    }
    run_ranks(2,
              [&](Communicator& communicator) {
                  CHECK_THROWS_WITH(DistributedSolver(options, communicator),
                                    "several processes: cannot adapt to accuracy; give tolerance");
              },
              {.time_limit = 60, .held_back = {}});
}

TEST_CASE("invalid active indices are refused and ranks stay usable")
{
    Particles p = sets()[5].particles;
    SolverOptions options;
    options.device = "cpu";
    options.own_ranks = 3;
    const auto solver = make_solver(options);
    Request request = request_of(p, Quantities::acceleration);
    const std::vector<Index> active{3, Index(p.size())};
    request.active = active;
    CHECK_THROWS_WITH(solver->evaluate(request),
                      "active particles: index: 12007: must be below 12007");
    request.active = std::span(active).first(1);
    CHECK(solver->evaluate(request).targets == 1);
}

TEST_SUITE_END();
