// Runs behaviours.hpp on the processor with each supported instruction set.
#include <doctest/doctest.h>

#include "chamomile/core/instruction_sets.hpp"
#include "chamomile/force/evaluator.hpp"
#include "tests/unit/behaviours.hpp"
#include "tests/unit/clouds.hpp"
#include "tests/unit/far_lists.hpp"
#include "tests/unit/force_errors.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("host_force");

TEST_CASE("the host evaluator fulfils all common behaviours")
{
    check_behaviours(force_behaviours, every_set());
}

TEST_CASE("active targets mixed with other sources match the reference without softening")
{
    // Every pack of a near tile contains its own targets, other targets and non-targets.
    const Particles p = plummer(1009);
    std::vector<Index> active;
    for (Index i = 0; i < p.size(); i += i % 5 < 3 ? 1 : 3)
        active.push_back(i);
    const ReferenceSums reference = reference_sum(p, active, {}, 1);
    SolverOptions o;
    o.device = "cpu";
    o.tolerance = 1e-9; // equivalent to direct
    for (const std::string& set : instruction_sets())
        for (auto kind : {SolverKind::direct, SolverKind::tree})
            for (int group : {1, 50, 128}) {
                CAPTURE(set);
                CAPTURE(group);
                o.instruction_set = set;
                o.solver = kind;
                o.group_size = group;
                Particles some = p;
                make_solver(o)->solve(some, Quantities::acceleration_potential, active);
                const ForceErrors e = force_errors(some, reference, active);
                CHECK(e.all_finite);
                CHECK(e.acceleration.max < 3e-6);
                CHECK(e.potential.max < 1e-6);
            }
}

TEST_CASE("computing potentials does not change accelerations")
{
    for (const Machine& machine : every_set())
        check_potential_changes_nothing(machine);
}

TEST_CASE("direct sums reach 3e-7 for every target, however forces cancel")
{
    check_cancelling_forces(every_set());
}

TEST_CASE("expansions about groups and clusters converge with the local order")
{
    for (const std::string& set : instruction_sets()) {
        CAPTURE(set);
        check_far_cells([&](Precision precision) { return make_host_evaluator(precision, set); });
    }
}

TEST_CASE("far-cell accelerations do not depend on units or potential output")
{
    for (const std::string& set : instruction_sets()) {
        CAPTURE(set);
        check_scaled_far_cells(
            [&](Precision precision) { return make_host_evaluator(precision, set); });
    }
}

TEST_CASE("the first evaluation works without earlier accelerations")
{
    // A coarse walk estimates the tolerance's reference in each evaluation; nothing is remembered.
    const Particles p = plummer(20011);
    for (const Criterion criterion : {Criterion::relative, Criterion::moments}) {
        SolverOptions o;
        o.device = "cpu";
        o.criterion = criterion;
        const auto solver = make_solver(o);
        Particles fresh = p, again = p, misled = p;
        const ForceStatistics first = solver->solve(fresh, Quantities::acceleration);
        misled.acceleration.assign(p.size(), {1e30, 0, 0});
        for (Particles* other : {&again, &misled}) {
            const ForceStatistics later = solver->solve(*other, Quantities::acceleration);
            CHECK(later.particle_particle == first.particle_particle);
            CHECK(later.particle_cell == first.particle_cell);
            CHECK(later.expansions == first.expansions);
            CHECK(other->acceleration == fresh.acceleration);
        }
        CHECK(first.particle_particle < p.size() * p.size() / 10);
    }
}

TEST_CASE("instruction sets agree on identical lists")
{
    const Particles p = plummer(20011);
    SolverOptions o;
    o.device = "cpu";
    o.softening.length = 0.01;
    for (int order : {2, 3, 4}) {
        CAPTURE(order);
        o.order = order;
        o.instruction_set = "auto";
        Particles first = p;
        make_solver(o)->solve(first, Quantities::acceleration_potential);
        for (const std::string& set : instruction_sets()) {
            o.instruction_set = set;
            Particles other = p;
            make_solver(o)->solve(other, Quantities::acceleration_potential);
            std::vector<double> differences;
            for (std::size_t i = 0; i < p.size(); ++i)
                differences.push_back(norm(other.acceleration[i] - first.acceleration[i]) /
                                      norm(first.acceleration[i]));
            std::sort(differences.begin(), differences.end());
            CHECK(differences[p.size() * 99 / 100] < 1e-6);
        }
    }
}

TEST_SUITE_END();
