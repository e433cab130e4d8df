// Direct sums in float with cancelling forces: no target in a softened sphere may lose digits.
#include <doctest/doctest.h>
#include <omp.h>

#include "tests/unit/behaviours.hpp"
#include "tests/unit/clouds.hpp"
#include "tests/unit/force_errors.hpp"

namespace chamomile::tests {
namespace {

constexpr double goal = 3e-7; // max |da| / |a| over all targets

struct Solved {
    Particles particles;
    std::uint64_t cancelling;
};

Solved solve(Particles p, const SolverOptions& o, const std::vector<Index>& active = {})
{
    const std::uint64_t cancelling =
        make_solver(o)->solve(p, Quantities::acceleration_potential, active).cancelling;
    return {std::move(p), cancelling};
}

/// Counts targets that agree with `reference` to double precision, not just float.
std::size_t summed_in_double(const Particles& p, const ReferenceSums& reference,
                             const std::vector<Index>& targets)
{
    std::size_t count = 0;
    for (std::size_t k = 0; k < targets.size(); ++k)
        count += norm(p.acceleration[targets[k]] - reference.acceleration[k]) <
                     1e-13 * reference.absolute_sum[k] &&
                 std::abs(p.potential[targets[k]] / reference.potential[k] - 1) < 1e-12;
    return count;
}

} // namespace

void check_cancelling_forces(const std::vector<Machine>& machines)
{
    for (std::size_t n : {2048, 16384})
        for (auto kind : {SofteningKind::plummer, SofteningKind::spline}) {
            if (n > 2048 && kind == SofteningKind::spline)
                continue;
            const Particles p = plummer(n);
            const Softening softening{kind, 1.0 / 32};
            const std::vector<Index> all = sample_targets(n, n), some = sample_targets(n, n / 5);
            const ReferenceSums exact = reference_sum(p, all, softening, 1),
                                of_some = reference_sum(p, some, softening, 1);
            for (const Machine& machine : machines) {
                CAPTURE(n);
                CAPTURE(int(kind));
                CAPTURE(machine.instruction_set);
                SolverOptions o = options_for(machine);
                o.solver = SolverKind::direct;
                o.softening = softening;
                const Solved solved = solve(p, o);
                CHECK(force_errors(solved.particles, exact, all).acceleration.max < goal);
                CHECK(solved.cancelling > 0);
                // A GPU's roots scatter more, so its limit is lower.
                CHECK(solved.cancelling < (machine.device == "cpu" ? n / 5 : n / 3));
                CHECK(summed_in_double(solved.particles, exact, all) >= solved.cancelling);
                const Solved subset = solve(p, o, some);
                CHECK(force_errors(subset.particles, of_some, some).acceleration.max < goal);
                CHECK(summed_in_double(subset.particles, of_some, some) >= subset.cancelling);
                o.precision = Precision::double_precision;
                CHECK(solve(p, o).cancelling == 0);
            }
        }
}

void check_cancelling_masses(const Machine& machine)
{
    // Half the particles have no mass. The rest have different masses, half negative: forces cancel
    // like random walks.
    Particles p = plummer(3001);
    Random random(7);
    for (std::size_t i = 0; i < p.size(); ++i)
        p.mass[i] = i % 4 < 2 ? 0 : (i % 4 == 2 ? 1 : -1) * random();
    SolverOptions o = options_for(machine);
    o.solver = SolverKind::direct;
    o.softening.length = 1.0 / 32;
    const std::vector<Index> all = sample_targets(p.size(), p.size());
    const ReferenceSums exact = reference_sum(p, all, o.softening, 1);
    const Solved solved = solve(p, o);
    CHECK(solved.cancelling > p.size() / 10);
    CHECK(summed_in_double(solved.particles, exact, all) >= solved.cancelling * 99 / 100);
    CHECK(force_errors(solved.particles, exact, all).scaled.max < goal);
}

void check_cancelling_on_threads(const Machine& machine)
{
    const Particles p = plummer(2048);
    SolverOptions o = options_for(machine);
    o.solver = SolverKind::direct;
    o.softening.length = 1.0 / 32;
    const Solved first = solve(p, o);
    REQUIRE(first.cancelling > 16); // more than one thread's share
    const int threads = omp_get_max_threads();
    for (int n : {1, 2, 5}) {
        omp_set_num_threads(n);
        const Solved again = solve(p, o);
        omp_set_num_threads(threads);
        CHECK(again.cancelling == first.cancelling);
        CHECK(again.particles.acceleration == first.particles.acceleration);
        CHECK(again.particles.potential == first.particles.potential);
    }
}

} // namespace chamomile::tests
