// Initial conditions on ranks and transforms in slabs, against a single rank bit by bit.
#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include <doctest/doctest.h>

#include "chamomile/core/ranks/thread_ranks.hpp"
#include "chamomile/force/mesh/slab_fourier.hpp"
#include "chamomile/initial/cosmology/initial_plan.hpp"
#include "tests/unit/planck_power.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("rank_initial_conditions");

namespace {

constexpr int numbers_of_ranks[] = {1, 2, 3, 4, 7};

/// Returns whether the first `values` of each row of a part are those of the whole grid.
bool are_equal(const Grid<double>& part, const Grid<double>& whole, std::size_t values)
{
    for (int i = part.planes().begin; i < part.planes().end; ++i)
        for (int j = part.rows().begin; j < part.rows().end; ++j)
            if (std::memcmp(&part(i, j, 0), &whole(i % whole.side(), j, 0),
                            values * sizeof(double)) != 0)
                return false;
    return true;
}

} // namespace

TEST_CASE("transforms in slabs have the bits of a whole mesh; windows wrap")
{
    for (const int n : {2, 5, 12}) {
        Grid<double> field(n);
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j)
                for (int k = 0; k < n; ++k)
                    field(i, j, k) = 0.3 * i - 0.7 * j * k + (i * 31 + j * 17 + k) % 13;
        const Fourier<double> whole(n);
        Grid<double> spectrum(n), back(n);
        std::copy_n(field.data(), field.plane() * std::size_t(n), spectrum.data());
        whole.forward(spectrum);
        std::copy_n(spectrum.data(), field.plane() * std::size_t(n), back.data());
        whole.backward(back);
        const std::size_t modes = std::size_t(n / 2 + 1) * 2, points = std::size_t(n);
        for (const int ranks : numbers_of_ranks)
            run_ranks(ranks, [&](Communicator& own) {
                SlabFourier<double> slabs(n, &own);
                Grid<double> grid = slabs.spectrum();
                const MeshRange planes = slabs.own();
                CHECK(grid.rows() == planes);
                CHECK(planes.count() <= (n + ranks - 1) / ranks);
                grid.reshape(planes, {0, n});
                for (int i = planes.begin; i < planes.end; ++i)
                    std::copy_n(&field(i, 0, 0), field.plane(), &grid(i, 0, 0));
                slabs.forward(grid);
                CHECK(grid.rows() == planes);
                CHECK(are_equal(grid, spectrum, modes));
                slabs.backward(grid);
                CHECK(grid.planes() == planes);
                CHECK(are_equal(grid, back, points));
                std::optional<Grid<double>> held;
                for (const MeshRange wanted :
                     {MeshRange{0, own.rank() == 0 ? n : 0}, MeshRange{n - 1, n + n / 2},
                      MeshRange{own.rank() % n, own.rank() % n + 1}}) {
                    const Grid<double>& seen = slabs.window(grid, wanted, held);
                    CHECK((own.size() == 1 || seen.planes() == wanted));
                    CHECK(are_equal(seen, back, points));
                }
            });
    }
}

TEST_CASE("initial conditions on ranks have the bits of one rank")
{
    struct Box {
        int n;
        ParticleLoad load;
        int glass;
    };
    for (const Box& box : {Box{16, ParticleLoad::grid, 8}, Box{4, ParticleLoad::grid, 4},
                           Box{16, ParticleLoad::glass, 4}, Box{16, ParticleLoad::glass, 16},
                           Box{4, ParticleLoad::glass, 2}})
        for (const int order : {1, 2}) {
            InitialConditionsOptions options;
            options.power = planck();
            options.particles = box.n;
            options.load = box.load;
            options.glass = box.glass;
            options.order = order;
            options.length_unit = 1000;
            const InitialPlan plan = plan_initial_conditions(options, 43.0071);
            const Particles all = make_initial_conditions(plan, nullptr);
            CHECK(all.velocity.front().x != 0);
            for (const int ranks : numbers_of_ranks)
                run_ranks(ranks, [&](Communicator& own) {
                    const Particles mine = make_initial_conditions(plan, &own);
                    const std::size_t first = own.first_of_run(all.size(), own.rank());
                    REQUIRE(first + mine.size() == own.first_of_run(all.size(), own.rank() + 1));
                    const auto is_run = [&](const auto& part, const auto& whole) {
                        return std::equal(part.begin(), part.end(),
                                          whole.begin() + std::ptrdiff_t(first));
                    };
                    CHECK(is_run(mine.id, all.id));
                    CHECK(is_run(mine.mass, all.mass));
                    CHECK(is_run(mine.position, all.position));
                    CHECK(is_run(mine.velocity, all.velocity));
                });
        }
}

TEST_SUITE_END();
