// Particles that move to their domains before the first forces.
#include <mutex>
#include <vector>

#include <doctest/doctest.h>

#include "chamomile/core/bounds.hpp"
#include "chamomile/core/ranks/column_exchange.hpp"
#include "chamomile/core/ranks/thread_ranks.hpp"
#include "chamomile/force/ranks/migration.hpp"
#include "chamomile/tree/key_sorter.hpp"
#include "tests/unit/clouds.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("migration");

TEST_CASE("a first migration sends all particles to equal domains, in tree order")
{
    Particles twins = uniform_cube(4000);
    for (std::size_t i = 0; i < twins.size(); i += 3)
        twins.position[i] = twins.position[0]; // one key: no domain divides them
    const Particles sets[] = {hernquist(4000), twins, Particles()};
    for (const Particles& p : sets)
        for (const int P : {1, 2, 3, 4, 7}) {
            CAPTURE(P);
            const std::size_t n = p.size();
            std::mutex mutex;
            std::vector<std::vector<Index>> numbers(std::size_t{unsigned(P)});
            run_ranks(P, [&](Communicator& ranks) {
                // The last rank has no row.
                const auto first = [&](int r) {
                    return n * std::size_t(r) / std::size_t(std::max(P - 1, 1));
                };
                const std::size_t begin = std::min(first(ranks.rank()), n),
                                  end = std::min(first(ranks.rank() + 1), n);
                const Migration way =
                    first_migration(std::span(p.position).subspan(begin, end - begin),
                                    std::span(p.mass).subspan(begin, end - begin), ranks);
                std::vector<Index> leaving;
                for (const Index row : way.leaving)
                    leaving.push_back(Index(begin) + row);
                Inbox inbox;
                ranks.all_to_all<Index>(runs_of(std::span<const Index>(leaving), way.begins),
                                        inbox);
                const std::lock_guard lock(mutex);
                for (const Index k : way.arriving)
                    numbers[std::size_t(ranks.rank())].push_back(inbox.all<Index>()[k]);
            });
            std::vector<Index> all;
            for (const auto& some : numbers) {
                if (&p == sets)
                    CHECK(std::abs(double(some.size()) - double(n) / P) <=
                          2.0 * double(n) / 64 / P);
                all.insert(all.end(), some.begin(), some.end());
            }
            Boundaries boundaries;
            std::pmr::vector<Index> order;
            if (n > 0)
                KeySorter().sort(
                    p.position,
                    cube_around(bounds_of(p.position).box.low, bounds_of(p.position).box.high),
                    boundaries, order);
            CHECK(std::ranges::equal(all, order));
        }
}

TEST_SUITE_END();
