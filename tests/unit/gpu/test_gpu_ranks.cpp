// Trees and direct sums on several ranks with GPUs: bitwise equal to one rank on one GPU. Ranks
// share the first GPU, or use one GPU each if several exist.
#include <doctest/doctest.h>

#include "chamomile/core/error.hpp"
#include "chamomile/force/accuracy/force_errors.hpp"
#include "chamomile/force/field.hpp"
#include "chamomile/force/gpu.hpp"
#include "chamomile/force/reference_sum.hpp"
#include "chamomile/integrate/scheme.hpp"
#include "chamomile/integrate/simulation.hpp"
#include "tests/unit/clouds.hpp"
#include "tests/unit/direct_parts.hpp"
#include "tests/unit/gpu/cards.hpp"
#include "tests/unit/rank_runs.hpp"
#include "tests/unit/rank_series.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("gpu_ranks");

namespace {

/// Compares with one rank; assumes identical GPUs.
void check_same(const Particles& p, SolverOptions options, Quantities quantities)
{
    options.device = "gpu";
    Particles one = p;
    make_solver(options)->solve(one, quantities);
    one.potential.resize(p.size());
    for (const Cards& cards : all_cards()) {
        CAPTURE(cards.device);
        CAPTURE(cards.ranks);
        const auto solver = make_solver(cards.given(options));
        Particles several = p;
        for (int k = 0; k < 2; ++k) // cuts follow the previous work
            solver->solve(several, quantities);
        several.potential.resize(p.size());
        CHECK(same_forces(one, several));
    }
}

} // namespace

TEST_CASE("several ranks equal a single rank bitwise on all particle sets")
{
    for (const SolverKind kind : {SolverKind::tree, SolverKind::direct})
        for (const NamedSet& set : sets()) {
            CAPTURE(int(kind));
            CAPTURE(set.name);
            for (const Precision precision :
                 {Precision::single_precision, Precision::double_precision}) {
                CAPTURE(int(precision));
                SolverOptions options;
                options.solver = kind;
                options.precision = precision;
                options.softening.length = set.name == std::string("plummer") ? 0 : 0.01;
                options.gravitational_constant = 2.5;
                check_same(set.particles, options, Quantities::acceleration_potential);
            }
        }
}

TEST_CASE("ranks with host trees equal a single rank bitwise")
{
    SolverOptions options;
    options.softening.length = 0.01;
    options.tree_built_by = TreeBuiltBy::host;
    check_same(plummer(100003), options, Quantities::acceleration_potential);
}

TEST_CASE("several ranks equal a single rank bitwise for all orders and criteria")
{
    const Particles p = plummer(100003);
    for (const Quantities quantities :
         {Quantities::acceleration, Quantities::acceleration_potential})
        for (const int order : {0, 2, 3, 4})
            for (const int local_order : {0, 4, 6}) {
                CAPTURE(order);
                CAPTURE(local_order);
                SolverOptions options;
                options.softening = {order == 2 ? SofteningKind::spline : SofteningKind::plummer,
                                     0.01};
                options.order = order;
                options.local_order = local_order;
                if (order == 3) {
                    options.criterion = Criterion::geometric;
                    options.theta = 0.7;
                }
                check_same(p, options, quantities);
            }
}

TEST_CASE("several ranks equal a single rank with active particles and per-particle softening")
{
    for (const SolverKind solver : {SolverKind::tree, SolverKind::direct})
        for (const bool own_softenings : {false, true})
            for (const SofteningKind kind : {SofteningKind::plummer, SofteningKind::spline}) {
                CAPTURE(int(solver));
                CAPTURE(own_softenings);
                CAPTURE(int(kind));
                SolverOptions options;
                options.solver = solver;
                options.softening = {kind, 0.02};
                options.softening.per_particle = own_softenings;
                options.device = "gpu:0";
                Particles p = plummer(20011, 5);
                for (std::size_t i = 0; own_softenings && i < p.size(); ++i)
                    p.softening.push_back(i % 3 ? 0.02 : 0.1);
                const Series one = evaluate_blocks(p, *make_solver(options));
                for (const Cards& cards : all_cards()) {
                    CAPTURE(cards.device);
                    CAPTURE(cards.ranks);
                    CHECK(difference(one, evaluate_blocks(p, *make_solver(cards.given(options)))) ==
                          -1);
                }
            }
}

TEST_CASE("any subset of targets equals the whole direct sum bitwise")
{
    SolverOptions options;
    options.device = "gpu:0";
    for (const Precision precision : {Precision::single_precision, Precision::double_precision}) {
        CAPTURE(int(precision));
        options.precision = precision;
        options.softening = {SofteningKind::plummer, 1e-9};
        for (const NamedSet& set : sets()) {
            CAPTURE(set.name);
            check_parts(set.particles, options);
        }
        for (const bool own_softenings : {false, true}) {
            CAPTURE(own_softenings);
            options.softening = {SofteningKind::spline, 0.01};
            options.softening.per_particle = own_softenings;
            // Each case has blocks with another shape, or active targets along the curve.
            for (const auto& [n, count] : {std::pair<std::size_t, std::size_t>{3000, 0},
                                           {20011, 0},
                                           {20011, 300},
                                           {20011, 9001},
                                           {270001, 0},
                                           {280001, 263001}}) {
                CAPTURE(n);
                CAPTURE(count);
                Particles p = plummer(n, 5);
                for (std::size_t i = 0; own_softenings && i < n; ++i)
                    p.softening.push_back(i % 3 ? 0.01 : 0.1);
                check_parts(p, options,
                            count > 0 ? some_of(p, count, false) : std::vector<Index>());
            }
        }
    }
}

TEST_CASE("direct sums on ranks match the reference for scattered and for local particles")
{
    const Particles p = plummer(12011, 4);
    std::vector<Index> targets;
    for (Index i = 0; i < p.size(); i += 37)
        targets.push_back(i);
    for (const Precision precision : {Precision::single_precision, Precision::double_precision}) {
        CAPTURE(int(precision));
        SolverOptions options;
        options.solver = SolverKind::direct;
        options.precision = precision;
        options.softening.length = 0.01;
        options.device = "gpu:0";
        options.share_gpu = true;
        const ReferenceSums reference = reference_sum(p, targets, options.softening, 1);
        Particles distributed = p, own = p;
        solve_on_ranks(distributed, options, 3, 2);
        const ForceErrors errors = force_errors(distributed, reference, targets);
        CHECK(errors.all_finite);
        const bool is_double = precision == Precision::double_precision;
        CHECK(errors.acceleration.max < (is_double ? 1e-12 : 2.4e-6));
        CHECK(errors.potential.max < (is_double ? 1e-13 : 1e-6));
        solve_own_rows(
            own, options, 3, [&](int r) { return own.size() * std::size_t(r) / 3; }, 7);
        CHECK(same_forces(distributed, own));
    }
}

TEST_CASE("direct-sum steps on ranks equal a single rank bitwise")
{
    for (const bool individual : {false, true}) {
        CAPTURE(individual);
        Particles p = plummer(5003, 3);
        for (std::size_t i = 0; i < p.size(); ++i)
            p.velocity[i] = {0.3 * p.position[i].y, -0.3 * p.position[i].x, 0.1};
        SolverOptions options;
        options.solver = SolverKind::direct;
        options.softening.length = 0.01;
        options.device = "gpu:0";
        Scheme scheme;
        scheme.individual = individual;
        (individual ? scheme.longest : scheme.fixed_length) = 1. / 64;
        const auto after = [&](const SolverOptions& given) {
            Particles moved = p;
            const IntegratorWithSolver made = make_integrator(given, scheme);
            Simulation simulation(moved, *made.integrator, 0, 0.0625);
            simulation.run();
            return moved;
        };
        const Particles one = after(options);
        for (const Cards& cards : all_cards()) {
            CAPTURE(cards.device);
            CAPTURE(cards.ranks);
            const Particles several = after(cards.given(options));
            CHECK(one.position == several.position);
            CHECK(one.velocity == several.velocity);
        }
    }
}

TEST_CASE("hierarchical steps on ranks with pairs in a place follow a single rank")
{
    for (const RankCase& c : rank_cases()) {
        if (c.scheme.block_scheme != BlockScheme::hierarchical || c.options.box > 0)
            continue;
        CAPTURE(c.name);
        const auto after = [&](SolverOptions options) {
            Particles moved = c.particles;
            const IntegratorWithSolver made = make_integrator(options, c.scheme);
            Simulation simulation(moved, *made.integrator, 0, 0.0625);
            simulation.run();
            return moved;
        };
        SolverOptions options = c.options;
        options.device = "gpu:0";
        const Particles one = after(options);
        for (const Cards& cards : all_cards()) {
            CAPTURE(cards.device);
            CAPTURE(cards.ranks);
            const Particles several = after(cards.given(options));
            double apart = 0, moved = 0;
            for (std::size_t i = 0; i < one.size(); ++i) {
                apart = std::max(apart, norm(several.position[i] - one.position[i]));
                moved = std::max(moved, norm(one.position[i] - c.particles.position[i]));
            }
            CHECK(apart <= 1e-8 * moved);
        }
    }
}

TEST_CASE("an accuracy goal leads to the same tolerance on any number of ranks")
{
    const Particles p = plummer(20011, 5);
    SolverOptions options;
    options.softening.length = 0.01;
    options.device = "gpu:0";
    set_goal(options);
    const auto one = make_solver(options);
    Particles alone = p;
    const ForceStatistics s = one->solve(alone, Quantities::acceleration_potential);
    for (const Cards& cards : all_cards()) {
        if (cards.ranks == 0)
            continue;
        CAPTURE(cards.device);
        CAPTURE(cards.ranks);
        const auto several = make_solver(cards.given(options));
        Particles together = p;
        const ForceStatistics shared = several->solve(together, Quantities::acceleration_potential);
        CHECK(shared.ranks->ranks == cards.ranks);
        CHECK(shared.measured_error == s.measured_error);
        CHECK(several->options().tolerance == one->options().tolerance);
        CHECK(same_forces(alone, together));
    }
    // The direct solver sums where no tree is accurate enough.
    options.accuracy = AccuracyGoal{.error = 1e-11};
    const auto direct = make_solver(Cards{"gpu:0", 2, true}.given(options));
    Particles exact = plummer(2003, 5);
    CHECK(*direct->solve(exact, Quantities::acceleration).measured_error <= 1e-11);
    CHECK(direct->options().solver == SolverKind::direct);
}

TEST_CASE("direct sums on ranks name coincident particles and stay usable")
{
    Particles p = plummer(9001, 5), right = p;
    p.position[77] = p.position[5000];
    SolverOptions options;
    options.solver = SolverKind::direct;
    options.device = "gpu:0";
    std::string lines[2];
    for (const int ranks : {0, 3}) {
        const auto solver = make_solver(Cards{"gpu:0", ranks, true}.given(options));
        try {
            solver->solve(p, Quantities::acceleration);
        } catch (const Error& error) {
            lines[ranks > 0] = error.what();
        }
        solver->solve(right, Quantities::acceleration);
    }
    CHECK(lines[0].starts_with("particles with ids 1077 and 6000: position: "));
    CHECK(lines[0] == lines[1]);
}

TEST_CASE("ranks share targets among warps like a single rank with a full GPU")
{
    SolverOptions options;
    options.softening.length = 0.001;
    check_same(plummer(700001), options, Quantities::acceleration);
}

TEST_CASE("fields on ranks equal a single rank bitwise at sources and points")
{
    const Particles p = plummer(150001);
    std::vector<Vec3<double>> points(p.position.begin(), p.position.begin() + 1000);
    std::vector<Index> active{7, 3, 149000};
    const auto answers = [&](const SolverOptions& options) {
        Particles sources = p;
        const auto field = make_field_solver(options);
        field->build(
            {p.size(), view_of(std::span(sources.position)), view_of(std::span(sources.mass))});
        std::vector<Vec3<double>> all(p.size()), some(3), there(1000);
        field->evaluate_sources({}, {view_of(std::span(all))});
        field->evaluate_sources(active, {view_of(std::span(some))});
        field->evaluate({1000, view_of(std::span(points))}, {view_of(std::span(there))});
        all.insert(all.end(), some.begin(), some.end());
        all.insert(all.end(), there.begin(), there.end());
        return all;
    };
    SolverOptions options;
    options.softening.length = 0.01;
    options.device = "gpu:0";
    const std::vector<Vec3<double>> one = answers(options);
    for (const Cards& cards : all_cards()) {
        CAPTURE(cards.device);
        CAPTURE(cards.ranks);
        CHECK(one == answers(cards.given(options)));
    }
}

TEST_CASE("numbers of particles may lie beyond those of an Index")
{
    SolverOptions options;
    options.device = "gpu";
    options.share_gpu = true;
    for (const bool are_mixed : {false, true})
        check_large_numbers(options, are_mixed);
}

TEST_CASE("ranks share a GPU only with share_gpu")
{
    const int cards = int(list_gpus().size());
    SolverOptions options;
    options.softening.length = 0.01;
    options.own_ranks = cards + 1;
    for (const char* device : {"gpu", "gpu:all"}) {
        options.device = device;
        CHECK_THROWS_WITH_AS(make_solver(options), doctest::Contains("share_gpu"), Error);
    }
    options.own_ranks = 2;
    options.device = "gpu:0";
    CHECK_THROWS_WITH_AS(make_solver(options), doctest::Contains("share_gpu"), Error);
    options.own_ranks = 0;
    for (const char* device : {"gpu:0,0", "gpu:0,", "gpu:,0", "gpu:0,99", "gpu:all,0"}) {
        options.device = device;
        CHECK_THROWS_WITH_AS(make_solver(options), doctest::Contains(device), Error);
    }
}

TEST_SUITE_END();
