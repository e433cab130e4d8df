// Accuracy goals: reached on particles not measured by the solver, kept, and repeatable.
#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

#include "chamomile/core/error.hpp"
#include "chamomile/core/particle_reader.hpp"
#include "chamomile/core/ranks/thread_ranks.hpp"
#include "chamomile/force/accuracy/direct_sample.hpp"
#include "chamomile/force/accuracy/limit_search.hpp"
#include "chamomile/force/field.hpp"
#include "chamomile/force/reference_sum.hpp"
#include "chamomile/force/solver.hpp"
#include "chamomile/run/texts/accuracy_text.hpp"
#include "tests/unit/clouds.hpp"
#include "tests/unit/requests.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("accuracy_goal");

namespace {

constexpr Softening softening{SofteningKind::plummer, 1e-3};

SolverOptions options_for(double error)
{
    SolverOptions o;
    o.device = "cpu";
    o.softening = softening;
    o.accuracy = AccuracyGoal{.error = error};
    return o;
}

/// Returns a percentile of |da| / |a| over 3000 random particles, by the reference sum.
double independent_error(const Particles& p, double percentile = 99)
{
    Random random(4711);
    std::vector<Index> targets;
    for (int k = 0; k < 3000; ++k)
        targets.push_back(Index(random() * double(p.size())));
    const ReferenceSums exact = reference_sum(p, targets, softening, 1);
    std::vector<double> errors;
    for (std::size_t k = 0; k < targets.size(); ++k)
        errors.push_back(norm(p.acceleration[targets[k]] - exact.acceleration[k]) /
                         norm(exact.acceleration[k]));
    return value_at_percentile(errors, percentile);
}

} // namespace

TEST_CASE("errors outside the sample lie between 0.3 and 1 of the accuracy goal")
{
    for (Particles p : {plummer(20011), thin_disk(20011)})
        for (double goal : {1e-2, 1e-4}) {
            const auto solver = make_solver(options_for(goal));
            const auto statistics = solver->solve(p, Quantities::acceleration);
            const double error = independent_error(p);
            CHECK(error < goal);
            CHECK(error > 0.3 * goal);
            CHECK(statistics.measured_error.value() == doctest::Approx(error).epsilon(0.3));
        }
}

TEST_CASE("an accuracy goal can bound the median error")
{
    Particles p = plummer(20011);
    SolverOptions o = options_for(1e-3);
    o.accuracy->percentile = 50;
    make_solver(o)->solve(p, Quantities::acceleration);
    CHECK(independent_error(p, 50) < 1e-3);
    CHECK(independent_error(p, 50) > 3e-4);
    CHECK(independent_error(p, 99) > 1e-3);
}

TEST_CASE("options for the field of sources count the sources' per-particle softening")
{
    const Particles p = plummer(20011);
    const std::vector<double> lengths(p.size(), 0.5);
    FieldSources sources{p.size(), view_of(std::span(p.position)), view_of(std::span(p.mass))};
    SolverOptions same = options_for(1e-3);
    same.softening.length = 0.5;
    const SolverOptions expected = options_for(sources, same);
    sources.softening = view_of(std::span(lengths));
    const SolverOptions found = options_for(sources, options_for(1e-3));
    CHECK(found.theta == doctest::Approx(expected.theta).epsilon(0.02));
    CHECK(found.tolerance == doctest::Approx(expected.tolerance).epsilon(0.02));
}

TEST_CASE("options stay constant for fixed particles; errors stay below the goal after changes")
{
    std::vector<AccuracyReport> reports;
    SolverOptions o = options_for(1e-3);
    o.accuracy->criterion = Criterion::geometric; // criterion with errors that depend most on the
                                                  // particles
    o.accuracy->check_every = 10;
    o.accuracy->report = [&](const AccuracyReport& report) { reports.push_back(report); };
    const auto solver = make_solver(o);
    Particles p = hernquist(20011);
    for (int step = 0; step <= 20; ++step) {
        const auto statistics = solver->solve(p, Quantities::acceleration);
        CHECK(statistics.measured_error.has_value() == (step % 10 == 0));
    }
    REQUIRE(reports.size() == 3);
    CHECK(reports[0].event == AccuracyReport::Event::chosen);
    const double theta = reports[0].after.theta;
    for (int check : {1, 2}) {
        CHECK(reports[check].event == AccuracyReport::Event::kept);
        CHECK(reports[check].evaluation == 10u * check);
        CHECK(reports[check].trials == 0);
        CHECK(reports[check].error == reports[0].error);
    }
    CHECK(solver->options().theta == theta);

    Particles other = uniform_cube(20011);
    solve(*solver, other, {.number = 25}); // no check due
    CHECK(solver->options().theta == theta);
    CHECK(independent_error(other) > 1e-3);
    const auto statistics = solve(*solver, other, {.number = 30});
    REQUIRE(reports.size() == 4);
    CHECK(reports[3].event == AccuracyReport::Event::adjusted);
    CHECK(reports[3].error_before > 1e-3);
    CHECK(reports[3].before.theta == theta);
    CHECK(reports[3].after.theta == solver->options().theta);
    CHECK(solver->options().theta < theta);
    CHECK(statistics.measured_error == reports[3].error);
    CHECK(independent_error(other) < 1e-3);
    CHECK(independent_error(other) > 3e-4);
    CHECK(solver->options().group_size == reports[0].after.group_size);

    // Again for the same step, as for potentials.
    solve(*solver, other, {.number = 30}, Quantities::acceleration_potential);
    CHECK(reports.size() == 4);
}

TEST_CASE("the chosen options repeat the forces bitwise in a new solver")
{
    Particles p = thin_disk(10007);
    const auto solver = make_solver(options_for(2e-3));
    solver->solve(p, Quantities::acceleration);
    const SolverOptions chosen = solver->options();
    REQUIRE(chosen.solver == SolverKind::tree);

    SolverOptions fixed = options_for(2e-3);
    fixed.accuracy->criterion = chosen.criterion;
    fixed.accuracy->order = chosen.order;
    fixed.accuracy->local_order = chosen.local_order;
    fixed.group_size = chosen.group_size;
    fixed.leaf_size = chosen.leaf_size;
    int trials = 0;
    fixed.accuracy->report = [&](const AccuracyReport& report) { trials = report.trials; };
    Particles again = thin_disk(10007);
    make_solver(fixed)->solve(again, Quantities::acceleration);
    CHECK(again.acceleration == p.acceleration);
    CHECK(trials > 0);
    CHECK(trials < 10);

    SolverOptions resumed = chosen;
    resumed.accuracy->chosen_already = true;
    Particles on = thin_disk(10007);
    const auto next = make_solver(resumed);
    CHECK(!solve(*next, on, {.number = 1}).measured_error);
    CHECK(on.acceleration == p.acceleration);
}

TEST_CASE("choosing options for active particles leaves other particles unchanged")
{
    Particles p = plummer(5003);
    p.acceleration.assign(p.size(), {7, 7, 7});
    std::vector<Index> active;
    for (Index i = 0; i < p.size(); i += 3)
        active.push_back(i);
    const auto solver = make_solver(options_for(1e-3));
    solver->solve(p, Quantities::acceleration, active);
    const ReferenceSums exact = reference_sum(p, active, softening, 1);
    std::vector<double> errors;
    for (std::size_t k = 0; k < active.size(); ++k)
        errors.push_back(norm(p.acceleration[active[k]] - exact.acceleration[k]) /
                         norm(exact.acceleration[k]));
    CHECK(value_at_percentile(errors, 99) < 1.2e-3); // groups of active particles are larger
    for (Index i = 1; i < p.size(); i += 3)
        CHECK(p.acceleration[i].x == 7);
}

TEST_CASE("goals beyond float trees use double, small sets use direct sums")
{
    Particles p = plummer(2003);
    const auto solver = make_solver(options_for(1e-9));
    solver->solve(p, Quantities::acceleration);
    CHECK(solver->options().precision == Precision::double_precision);
    CHECK(independent_error(p) < 1e-9);
    for (std::size_t n : {0, 1, 2, 50}) {
        Particles few = plummer(n);
        const auto statistics =
            make_solver(options_for(1e-3))->solve(few, Quantities::acceleration_potential);
        CHECK(statistics.measured_error.value() < 1e-3);
    }
}

TEST_CASE("solvers refuse accuracy goals out of range")
{
    CHECK_THROWS_WITH_AS(make_solver(options_for(1e-13)),
                         "accuracy: 1e-13: must be a number from 1e-12 to 0.5", Error);
    CHECK_THROWS_AS(make_solver(options_for(0)), Error);
    SolverOptions o = options_for(1e-3);
    o.accuracy->percentile = 100;
    CHECK_THROWS_WITH_AS(make_solver(o),
                         "accuracy_percentile: 100: must be a number > 0 and <= 99.9", Error);
    o = options_for(1e-3);
    o.solver = SolverKind::direct;
    CHECK_THROWS_AS(make_solver(o), Error);
}

TEST_CASE("the search converges for curved error laws and stops at a rounding floor")
{
    const LimitLaw law = LimitLaw::of(Criterion::relative);
    // Two crossing powers, as for multipoles and expansions, and a rounding floor.
    const auto bent = [](double x) { return 3 * std::pow(x, 0.45) * std::pow(1 + x / 1e-4, 0.6); };
    for (double goal : {0.3, 1e-2, 1e-3, 1e-4, 1e-5}) {
        LimitSearch search(law, goal, law.guess(goal));
        while (!search.done()) {
            const double limit = search.next();
            search.add({limit, bent(limit)}, false);
        }
        CHECK(search.points().size() <= 8);
        REQUIRE(search.best());
        CHECK(search.best()->error >= GoalBand::min_aimed * goal);
        CHECK(search.best()->error <= GoalBand::max_aimed * goal);
    }
    LimitSearch never(law, 1e-6, law.guess(1e-6));
    while (!never.done()) {
        const double limit = never.next();
        never.add({limit, 3e-6 + bent(limit)}, false);
    }
    CHECK(!never.best());
    LimitSearch at_once(law, 0.1, law.guess(0.1));
    while (!at_once.done())
        at_once.add({at_once.next(), 1e-7}, false); // few particles: all pairs for any limit
    CHECK(at_once.best()->limit == 1);
    CHECK(at_once.points().size() <= 2);
}

TEST_CASE("sampled direct sums match the reference and leave particles unchanged")
{
    Particles p = hernquist(701); // so few that the sample repeats some
    for (std::size_t i = 0; i < p.size(); ++i) {
        p.acceleration[i] = {double(i), 1, 2};
        p.potential[i] = double(i);
    }
    SolverOptions o;
    o.device = "cpu";
    o.softening = softening;
    o.precision = Precision::double_precision;
    DirectSample sample(o);
    const Request request = request_of(p, Quantities::acceleration_potential);
    sample.measure(request, 500, Quantities::acceleration_potential);
    for (std::size_t i = 0; i < p.size(); ++i) {
        CHECK(p.acceleration[i].x == double(i));
        CHECK(p.potential[i] == double(i));
    }
    const ReferenceSums exact = reference_sum(p, sample.targets(), softening, 1);
    for (std::size_t k = 0; k < 500; ++k) {
        p.acceleration[sample.targets()[k]] = exact.acceleration[k];
        p.potential[sample.targets()[k]] = exact.potential[k];
    }
    for (double error : sample.acceleration_errors(request.acceleration))
        CHECK(error < 1e-12);
    for (double error : sample.potential_errors(request.potential))
        CHECK(error < 1e-12);
    CHECK(sample.acceleration_errors(request.acceleration).size() == 500);
}

TEST_CASE("sampled direct sums have the same bits on any number of ranks")
{
    for (const double box : {0.0, 4.0}) {
        CAPTURE(box);
        const std::size_t n = rows_of_block + 7001, targets = box > 0 ? 3 : 20;
        Particles p = hernquist(n);
        p.acceleration.assign(n, {1, 2, 3});
        p.potential.assign(n, 4);
        std::fill(p.mass.end() - 500, p.mass.end(), 0); // tracers, also among the targets
        SolverOptions o;
        o.device = "cpu";
        o.softening = softening;
        o.precision = Precision::double_precision;
        o.box = box;
        DirectSample one(o);
        Request whole = request_of(p, Quantities::acceleration_potential);
        one.measure(whole, targets, Quantities::acceleration_potential);
        const std::vector<double> errors = one.acceleration_errors(whole.acceleration),
                                  depths = one.potential_errors(whole.potential);
        REQUIRE(errors.size() == targets);
        if (box == 0) {
            const ReferenceSums exact = reference_sum(p, one.targets(), softening, 1);
            for (std::size_t k = 0; k < targets; ++k)
                CHECK(std::abs(errors[k] * norm(exact.acceleration[k]) /
                                   norm(Vec3<double>{1, 2, 3} - exact.acceleration[k]) -
                               1) < 1e-12);
        }
        for (const int number : {2, 3})
            run_ranks(number, [&](Communicator& ranks) {
                // the second of three ranks has no first particle of a block
                const std::size_t r = std::size_t(ranks.rank()),
                                  begins[] = {0, 1000, number == 2 ? n : 200000, n},
                                  begin = begins[r];
                Request own = whole;
                own.count = begins[r + 1] - begin;
                own.id = own.id.subspan(begin, own.count);
                for (ArrayView* view :
                     {&own.position, &own.mass, &own.acceleration, &own.potential})
                    *view = view->from(begin);
                DirectSample sample(o);
                sample.measure(own, targets, Quantities::acceleration_potential, ranks);
                const auto of_all = [&](const std::vector<double>& values) {
                    return ranks.all_gather(std::span<const double>(values));
                };
                const auto a = of_all(sample.acceleration_errors(own.acceleration)),
                           phi = of_all(sample.potential_errors(own.potential));
                ranks.run_and_agree([&] {
                    if (a != errors || phi != depths)
                        throw Error(Fault::numeric, "other bits");
                });
            });
    }
}

TEST_CASE("without memory the cancellation report skips its error sample")
{
    ForceStatistics statistics;
    statistics.cancelling_part = 1;
    const auto text = [&](auto fail) {
        return cancellation_text(statistics, {}, 1, [&](std::size_t) {
            fail();
            return std::vector<double>();
        });
    };
    CHECK(text([] { throw std::bad_alloc(); }) ==
          "forces that cancel: errors not measured: not enough memory");
    CHECK(text([] { throw Error(Fault::device, "GPU 0: out of memory"); }) ==
          "forces that cancel: errors not measured: GPU 0: out of memory");
    CHECK_THROWS_AS(text([] { throw Error(Fault::numeric, "not finite"); }), Error);
}

TEST_SUITE_END();
