// Ranks of which one fails at any of its calls, or whose messages are held back: all end with one
// error or with the same bits.
#include <atomic>
#include <memory>
#include <new>

#include <doctest/doctest.h>

#include "chamomile/force/ranks/domain_solver.hpp"
#include "chamomile/force/solver.hpp"
#include "chamomile/parallel/thread_ranks.hpp"
#include "tests/clouds.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("rank_faults");

namespace {

/// A FailingRank is a rank that fails before one of its exchanges, counted from 0.
class FailingRank final : public Communicator {
public:
    FailingRank(Communicator& ranks, int exchange, bool of_memory)
        : ranks_(ranks), left_(exchange), of_memory_(of_memory)
    {
        set_time_limit(ranks.time_limit());
    }

    int rank() const override { return ranks_.rank(); }
    int size() const override { return ranks_.size(); }
    int ranks_on_host() const override { return ranks_.ranks_on_host(); }
    int share_of_threads(int threads) const override { return ranks_.share_of_threads(threads); }
    void fail(const Error& error) noexcept override { ranks_.fail(error); }
    bool has_failed() const override { return ranks_.has_failed(); }

    /// Returns whether the exchange has come that fails.
    bool has_come() const { return left_ < 0; }

private:
    void transfer(std::span<const std::span<const std::byte>> to, Inbox& inbox,
                  Patience patience) override
    {
        if (left_-- == 0) {
            if (of_memory_)
                throw std::bad_alloc();
            throw Error(Fault::input, "a fault");
        }
        ranks_.exchange(to, inbox, patience);
    }

    Communicator& ranks_;
    int left_;
    bool of_memory_;
};

SolverOptions options_on(Communicator& ranks)
{
    SolverOptions options;
    options.softening.length = 0.02;
    options.device = "cpu";
    options.ranks = &ranks;
    return options;
}

/// Evaluates a small rung: few active particles, and the cells of the last evaluation.
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

struct Outcome {
    std::string line;      ///< of the error that all ended with; none
    bool has_come = false; ///< the exchange that fails
};

/// Solves twice on so many ranks, and a small rung after it, of which one fails in that exchange.
Outcome solve_with_fault(Particles& p, int ranks, int failing, int exchange, bool of_memory)
{
    std::atomic<bool> has_come{false};
    Outcome outcome;
    try {
        run_ranks(ranks,
                  [&](Communicator& own) {
                      FailingRank with_fault(own, own.rank() == failing ? exchange : -1, of_memory);
                      const auto work = [&] {
                          if (own.rank() > 0)
                              return serve_solver(with_fault);
                          const auto solver = make_solver(options_on(with_fault));
                          for (int k = 0; k < 2; ++k)
                              solver->solve(p, Quantities::acceleration_potential);
                          solve_small_rung(p, *solver, 2);
                          end_serving(with_fault);
                      };
                      try {
                          work();
                      } catch (...) {
                          if (own.rank() == failing) // the others would write over its word
                              has_come = with_fault.has_come();
                          throw;
                      }
                  },
                  {.time_limit = 60, .held_back = {}});
    } catch (...) {
        outcome.line = error_of(std::current_exception()).what();
    }
    outcome.has_come = has_come;
    return outcome;
}

/// Solves three times, by domains that are cut by the work of the time before, each time with a
/// small rung after it.
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

TEST_CASE("a rank that fails before any of its exchanges ends all with its error alone")
{
    const Particles cloud = plummer(700, 5);
    for (const int P : {2, 3}) {
        for (int failing = 0; failing < P; ++failing) {
            CAPTURE(P);
            CAPTURE(failing);
            int exchange = 0;
            for (bool has_come = true; has_come; ++exchange) {
                const bool of_memory = exchange % 2 == 1;
                Particles p = cloud;
                const Outcome outcome = solve_with_fault(p, P, failing, exchange, of_memory);
                has_come = outcome.has_come;
                const std::string what =
                    of_memory ? "not enough memory for so many particles or cells" : "a fault";
                CAPTURE(exchange);
                if (has_come)
                    CHECK((outcome.line == what ||
                           outcome.line == "rank " + std::to_string(failing) + " of " +
                                               std::to_string(P) + ": " + what));
                else
                    CHECK(outcome.line.empty());
            }
            CHECK(exchange > 60); // all evaluations have been gone through
        }
    }
}

TEST_CASE("messages that are held back at random change no bit")
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
