// Ranks with a failure at any call, or with delayed messages: all end with one error, or with equal
// bits.
#include <memory>

#include <doctest/doctest.h>

#include "chamomile/core/ranks/thread_ranks.hpp"
#include "chamomile/force/ranks/domain_solver.hpp"
#include "chamomile/force/solver.hpp"
#include "tests/unit/clouds.hpp"
#include "tests/unit/failing_rank.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("rank_faults");

namespace {

SolverOptions options_on(Communicator& ranks)
{
    SolverOptions options;
    options.softening.length = 0.02;
    options.device = "cpu";
    options.ranks = &ranks;
    return options;
}

/// Evaluates a small rung: few active particles, with cells from the last evaluation.
void solve_small_rung(Particles& p, Solver& solver, std::uint64_t number)
{
    std::vector<Index> active;
    for (Index i = 0; i < p.size(); i += 37)
        active.push_back(i);
    Request request = request_of(p, Quantities::acceleration_potential);
    request.active = active;
    request.keeps_tree = true;
    request.number = number;
    CHECK(solver.evaluate(request).kept_tree);
}

/// Solves twice and then a small rung on `ranks` ranks; one rank fails at this exchange. A rank
/// must not throw before the others know, because they would wait for it.
FailedRanks solve_with_fault(Particles& p, int ranks, int failing, int exchange)
{
    return run_with_fault(ranks, failing, exchange, [&](Communicator& own) {
        try {
            if (own.rank() > 0)
                return serve_solver(own);
            const auto solver = make_solver(options_on(own));
            for (int k = 0; k < 2; ++k)
                solver->solve(p, Quantities::acceleration_potential);
            solve_small_rung(p, *solver, 2);
            end_serving(own);
        } catch (...) {
            CHECK(own.has_failed());
            throw;
        }
    });
}

/// Solves three times, each followed by a small rung; domain cuts follow the previous work.
void solve(Particles& p, int ranks, std::optional<std::uint64_t> held_back)
{
    run_ranks(ranks,
              [&](Communicator& own) {
                  if (own.rank() > 0)
                      return serve_solver(own);
                  const auto solver = make_solver(options_on(own));
                  for (int k = 0; k < 3; ++k) {
                      solver->solve(p, Quantities::acceleration_potential);
                      for (std::size_t i = 0; i < p.size(); ++i) // other cells and other work
                          p.position[i] += 0.01 * p.acceleration[i];
                      solve_small_rung(p, *solver, 100);
                  }
                  end_serving(own);
              },
              {.time_limit = 120, .held_back = held_back});
}

bool same(const Particles& a, const Particles& b)
{
    return a.position == b.position && a.acceleration == b.acceleration &&
           a.potential == b.potential;
}

} // namespace

TEST_CASE("a failure before any exchange ends all ranks with the failing rank's error")
{
    const Particles cloud = plummer(700, 5);
    for (const int P : {2, 3}) {
        for (int failing = 0; failing < P; ++failing) {
            CAPTURE(P);
            CAPTURE(failing);
            int exchange = 0;
            for (bool has_occurred = true; has_occurred; ++exchange) {
                CAPTURE(exchange);
                Particles p = cloud;
                const FailedRanks failed = solve_with_fault(p, P, failing, exchange);
                has_occurred = failed.has_occurred;
                CAPTURE(failed.line);
                CHECK(failed.reports);
            }
            CHECK(exchange > 40); // all evaluations completed
        }
    }
}

TEST_CASE("ranks drop solvers that rank 0 has dropped, also while an older one lives")
{
    Particles p = plummer(300, 5);
    run_ranks(3, [&](Communicator& own) {
        if (own.rank() > 0) {
            RankDispatcher dispatcher(own);
            dispatcher.serve();
            CHECK(dispatcher.solvers() == 2);
            return;
        }
        const auto older = make_solver(options_on(own));
        for (int k = 0; k < 4; ++k)
            make_solver(options_on(own))->solve(p, Quantities::acceleration);
        const auto newer = make_solver(options_on(own));
        older->solve(p, Quantities::acceleration);
        end_serving(own);
    });
}

TEST_CASE("random message delays change no bit")
{
    const Particles cloud = plummer(3000, 5);
    Particles one = cloud;
    solve(one, 1, {});
    for (const int P : {2, 3, 7}) {
        for (const std::uint64_t seed : {1, 2, 3, 4}) {
            CAPTURE(P);
            CAPTURE(seed);
            Particles several = cloud;
            solve(several, P, seed);
            CHECK(same(one, several));
        }
    }
}

TEST_SUITE_END();
