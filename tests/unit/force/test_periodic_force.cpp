// Whole forces in a periodic cube, mesh or modes, against exact Ewald sums.
#include <cmath>
#include <map>

#include <doctest/doctest.h>

#include "chamomile/core/error.hpp"
#include "chamomile/force/accuracy/direct_sample.hpp"
#include "chamomile/force/field.hpp"
#include "chamomile/force/mesh/ewald.hpp"
#include "tests/unit/error_line.hpp"
#include "tests/unit/periodic_sets.hpp"

using namespace chamomile;
using namespace chamomile::tests;

namespace {

std::vector<Vec3<double>> exact_accelerations(const Particles& p, std::vector<double>& potential)
{
    std::vector<Vec3<double>> a(p.size());
    potential.assign(p.size(), 0);
#pragma omp parallel for schedule(dynamic, 4)
    for (std::size_t i = 0; i < p.size(); ++i)
        for (std::size_t j = 0; j < p.size(); ++j) {
            const EwaldField field = ewald_field(p.position[i] - p.position[j], 1);
            if (i != j)
                a[i] += p.mass[j] * field.acceleration;
            potential[i] += p.mass[j] * field.potential;
        }
    return a;
}

struct SumErrors {
    double acceleration, potential, sum; ///< rms over rms; |sum m a| over sum m |a|
};

SumErrors errors_of(const PeriodicSet& set, SolverOptions options)
{
    options.device = "cpu";
    options.box = 1;
    Particles p = set.particles;
    static std::map<std::string, std::pair<std::vector<Vec3<double>>, std::vector<double>>> known;
    auto& exact = known[set.name + std::to_string(p.size())];
    if (exact.first.empty())
        exact.first = exact_accelerations(p, exact.second);
    make_solver(options)->solve(p, Quantities::acceleration_potential);
    double error = 0, whole = 0, phi = 0, whole_phi = 0, sizes = 0;
    Vec3<double> sum;
    for (std::size_t i = 0; i < p.size(); ++i) {
        error += norm_squared(p.acceleration[i] - exact.first[i]);
        whole += norm_squared(exact.first[i]);
        phi += std::pow(p.potential[i] - exact.second[i], 2);
        whole_phi += std::pow(exact.second[i], 2);
        sum += p.mass[i] * p.acceleration[i];
        sizes += p.mass[i] * norm(p.acceleration[i]);
    }
    return {std::sqrt(error / whole), std::sqrt(phi / whole_phi), norm(sum) / sizes};
}

/// Returns particles in the unit cube, one half at random, the other in ten clumps.
Particles half_in_clumps(std::size_t n)
{
    Particles p = periodic_sets(n)[0].particles;
    const Particles clumps = periodic_sets(n)[1].particles;
    for (std::size_t i = 0; i < n; i += 2)
        p.position[i] = clumps.position[i];
    return p;
}

/// Accelerations of a sample by Ewald sums.
struct EwaldSample {
    explicit EwaldSample(const Particles& p)
        : targets(sample_targets(p.size(), 2000)), exact(targets.size())
    {
#pragma omp parallel for schedule(dynamic, 4)
        for (std::size_t k = 0; k < targets.size(); ++k)
            for (std::size_t j = 0; j < p.size(); ++j)
                if (const Index i = targets[k]; j != i)
                    exact[k] +=
                        p.mass[j] * ewald_field(p.position[i] - p.position[j], 1).acceleration;
    }

    /// Returns the 99 % error |da| / |a| of forces with these options.
    double error(Particles& p, const SolverOptions& options) const
    {
        make_solver(options)->solve(p, Quantities::acceleration);
        std::vector<double> errors;
        for (std::size_t k = 0; k < targets.size(); ++k)
            errors.push_back(norm(p.acceleration[targets[k]] - exact[k]) / norm(exact[k]));
        return value_at_percentile(errors, 99);
    }

    std::vector<Index> targets;
    std::vector<Vec3<double>> exact;
};

} // namespace

TEST_SUITE_BEGIN("periodic_force");

TEST_CASE("tree and mesh match Ewald sums at the default and a wider cut")
{
    for (const PeriodicSet& set : periodic_sets(1000)) {
        CAPTURE(set.name);
        if (set.name == "near a lattice")
            continue; // separate test case
        SolverOptions options;
        SumErrors errors = errors_of(set, options);
        CHECK(errors.acceleration < 5e-4);
        CHECK(errors.potential < 1e-3);
        options.periodic.cut = 6.5;
        options.tolerance = 3e-4;
        errors = errors_of(set, options);
        CHECK(errors.acceleration < 2e-4);
        CHECK(errors.sum < 2e-5);
    }
}

TEST_CASE("99 % of the forces in a clustered box keep 1e-3 by default, or an accuracy goal")
{
    Particles p = half_in_clumps(2000);
    const EwaldSample sample(p);
    SolverOptions options;
    options.device = "cpu";
    options.box = 1;
    CHECK(sample.error(p, options) < 1e-3);
    SolverOptions narrow = options;
    narrow.periodic.cut = 5;
    CHECK(sample.error(p, narrow) > 1e-3);
    for (const double goal : {1e-2, 5e-4}) {
        options.accuracy = AccuracyGoal{.error = goal, .criterion = Criterion::moments};
        const double error = sample.error(p, options);
        CHECK(error < goal);
        CHECK(error > 0.2 * goal);
    }
    options.precision = Precision::double_precision;
    options.periodic.long_range = LongRangeKind::modes;
    options.accuracy->error = 1e-4;
    CHECK(sample.error(p, options) < 1e-4);
}

TEST_CASE("an accuracy goal in a box chooses mesh, split and cut unless given")
{
    Particles p = half_in_clumps(4000);
    AccuracyReport chosen;
    const auto choose = [&](double goal, auto change) {
        SolverOptions options;
        options.device = "cpu";
        options.box = 1;
        options.accuracy = AccuracyGoal{.error = goal};
        options.accuracy->report = [&](const AccuracyReport& report) { chosen = report; };
        change(options);
        make_solver(options)->solve(p, Quantities::acceleration);
        CHECK(chosen.error < goal);
        return chosen.after.periodic;
    };
    const PeriodicOptions coarse = choose(1e-2, [](SolverOptions&) {}),
                          fine = choose(1e-4, [](SolverOptions&) {});
    CHECK(fine.split > coarse.split);
    CHECK(fine.cut > coarse.cut);
    const PeriodicOptions given = choose(2e-3, [](SolverOptions& o) {
        o.periodic.mesh = 48;
        o.periodic.cut = 6.5;
        o.accuracy->cut = 6.5;
    });
    CHECK(given.mesh == 48);
    CHECK(given.cut == 6.5);
    // Beyond the default cut, where pairs are not softened, the force would jump by 0.3 %.
    const PeriodicOptions softened = choose(2e-3, [](SolverOptions& o) {
        o.softening.length = 0.01;
        o.accuracy->criterion = Criterion::moments;
    });
    CHECK(softened.cut * softened.split / softened.mesh > 0.26);
    CHECK(chosen.after.solver == SolverKind::tree);

    Particles many = half_in_clumps(17000);
    SolverOptions options;
    options.device = "cpu";
    options.box = 1;
    options.accuracy = AccuracyGoal{.error = 1e-7, .criterion = Criterion::moments, .order = 2};
    const std::string line =
        error_line([&] { make_solver(options)->solve(many, Quantities::acceleration); });
    CHECK(line.find("accuracy: 1e-07: cannot be reached in a box of 17000 particles: the error "
                    "is ") == 0);
}

TEST_CASE("Ewald modes leave only the error of the tree")
{
    for (const PeriodicSet& set : periodic_sets(1000)) {
        CAPTURE(set.name);
        SolverOptions options;
        options.periodic.long_range = LongRangeKind::modes;
        options.periodic.cut = 7;
        options.tolerance = 1e-4;
        const SumErrors errors = errors_of(set, options);
        CHECK(errors.acceleration < (set.error > 1 ? 8e-3 : 6e-5));
        CHECK(errors.potential < 2e-5);
    }
}

TEST_CASE("cancelling forces near a lattice are accurate to 2 %")
{
    const PeriodicSet set = periodic_sets(1000)[3]; // 4000 times weaker than a pair's
    for (const double cut : {5., 6., 7.})
        for (const int mesh : {32, 40, 48}) {
            SolverOptions options;
            options.periodic.cut = cut;
            options.periodic.mesh = mesh;
            CHECK(errors_of(set, options).acceleration < 2e-2);
        }
    SolverOptions options;
    const double usual = errors_of(set, options).acceleration;
    options.periodic.cut = 6.5;
    options.tolerance = 3e-4;
    const double wider = errors_of(set, options).acceleration;
    MESSAGE("error with defaults " << usual << ", with a wider cut " << wider);
    CHECK(usual < 6e-3);
    CHECK(wider < 6e-3);
}

TEST_CASE("a perfect lattice stays at rest")
{
    Particles p = cloud(12 * 12 * 12, 1, [k = 0](Random&) mutable {
        const int i = k++;
        return Vec3<double>{(i / 144 + 0.5) / 12, (i / 12 % 12 + 0.5) / 12, (i % 12 + 0.5) / 12};
    });
    SolverOptions options;
    options.device = "cpu";
    options.box = 1;
    make_solver(options)->solve(p, Quantities::acceleration_potential);
    const double neighbour = p.mass[0] * 144; // a neighbour's attraction
    double energy = 0, largest = 0, squares = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
        largest = std::max(largest, norm(p.acceleration[i]));
        squares += norm_squared(p.acceleration[i]);
        energy += 0.5 * p.mass[i] * p.potential[i];
    }
    CHECK(std::sqrt(squares / double(p.size())) < 4e-3 * neighbour);
    CHECK(largest < 2.5e-2 * neighbour); // error from cells across the cut
    // Energy per unit cell of a lattice, from Ewald's constant.
    const double exact = 0.5 * 2.8372974794806195 * p.mass[0] * p.mass[0] * 1728 * 12;
    CHECK(energy == doctest::Approx(exact).epsilon(2e-4));
}

TEST_CASE("invalid options of periodic boxes are refused with an error line")
{
    const auto refusal = [](auto change) {
        SolverOptions options;
        options.device = "cpu";
        options.box = 1;
        change(options);
        return error_line([&] { make_solver(options); });
    };
    CHECK(refusal([](SolverOptions& o) { o.order = 3; }) ==
          "order: 3: must be 0 or 2 in a periodic box");
    CHECK(refusal([](SolverOptions& o) { o.periodic.mesh = 8; }) ==
          "mesh: 8: must be a whole number from 16 to 32768, or 0");
    CHECK(refusal([](SolverOptions& o) { o.periodic.cut = 9; }) ==
          "cut: 9: must be a number from 3 to 7");
    CHECK(refusal([](SolverOptions& o) { o.periodic.split = 0; }) ==
          "split: 0: must be a number from 0.5 to 10");
    CHECK(refusal([](SolverOptions& o) {
              o.periodic.mesh = 16;
              o.periodic.cut = 7;
          }).find("too few cells") != std::string::npos);
    CHECK(refusal([](SolverOptions& o) { o.softening.length = 0.5; }) ==
          "eps: 0.5: must be at most a tenth of the box");
    CHECK(refusal([](SolverOptions& o) { o.box = -1; }) ==
          "box: -1: must be a number from 1e-100 to 1e+100, or 0");
    CHECK(refusal([](SolverOptions& o) { o.order = 5; }) == "order: 5: must be one of 0, 2, 3, 4");
    CHECK(refusal([](SolverOptions& o) { o.theta = NAN; }) ==
          "theta: nan: must be a number > 0 and <= 1.5");
}

TEST_CASE("a request without masses is refused by every solver")
{
    std::vector<Vec3<double>> position(2, {0.5, 0.5, 0.5}), acceleration(2);
    for (const SolverKind solver : {SolverKind::tree, SolverKind::direct})
        for (const double box : {0, 1}) {
            SolverOptions options;
            options.device = "cpu";
            options.solver = solver;
            options.box = box;
            const auto evaluate = [&] {
                make_solver(options)->evaluate({.count = 2,
                                                .position = view_of(std::span(position)),
                                                .mass = {},
                                                .acceleration = view_of(std::span(acceleration))});
            };
            CHECK(error_line(evaluate) == "masses: missing: must be given, one per particle");
        }
}

TEST_CASE("a kept field in a box gives potentials without accelerations")
{
    SolverOptions options;
    options.device = "cpu";
    options.box = 1;
    Particles p = periodic_sets(500)[0].particles;
    const auto field = make_field_solver(options);
    field->build({p.size(), view_of(std::span(p.position)), view_of(std::span(p.mass))});
    std::vector<Vec3<double>> points = p.position;
    for (Vec3<double>& x : points)
        x.x += 0.01;
    for (const bool at_sources : {true, false}) {
        std::vector<double> alone(p.size()), both(p.size());
        const auto evaluate = [&](const FieldResults& results) {
            if (at_sources)
                field->evaluate_sources({}, results);
            else
                field->evaluate({p.size(), view_of(std::span(points))}, results);
        };
        evaluate({.acceleration = {}, .potential = view_of(std::span(alone))});
        std::vector<Vec3<double>> sums(p.size());
        evaluate({view_of(std::span(sums)), view_of(std::span(both))});
        CHECK((alone == both));
        CHECK(both[7] != 0);
    }
}

TEST_CASE("a softening length near the short-range cut is reported or refused")
{
    SolverOptions options;
    options.device = "cpu";
    options.box = 1;
    options.softening.per_particle = true;
    Particles p = periodic_sets(300).front().particles;
    p.softening.assign(p.size(), 0.001);
    const double cut = 5.75 * 1.25 / 32;
    const auto jump = [&](double longest) {
        p.softening.back() = longest;
        return make_solver(options)->solve(p, Quantities::acceleration).softening_jump.value_or(-1);
    };
    CHECK(jump(0.02) == doctest::Approx(1.5 * 0.02 * 0.02 / cut / cut));
    CHECK(error_line([&] { jump(0.05); }).find("eps: 0.05: must be at most 0.041") == 0);
    options.softening.rule = SofteningRule::root_of_squares;
    CHECK(jump(0.02) == doctest::Approx(3 * 0.02 * 0.02 / cut / cut));
    options.softening.kind = SofteningKind::spline;
    CHECK(jump(0.056) == 0);
    CHECK(error_line([&] { jump(0.06); }).find("eps: 0.06: must be at most 0.0567") == 0);
    options.solver = SolverKind::direct;
    CHECK(jump(0.05) == -1);
    options = {};
    options.device = "cpu";
    options.box = 1;
    options.periodic.mesh = 128;
    options.softening.length = 0.011;
    p.softening.clear();
    const auto solver = make_solver(options);
    const auto evaluate = [&](double length) { // cut as by a comoving clock
        Request request = request_of(p, Quantities::acceleration);
        request.softening_length = length;
        return solver->evaluate(request).softening_jump.value_or(-1);
    };
    CHECK(error_line([&] { evaluate(0.011); }) ==
          "eps: 0.011: must be at most 0.0103, because pairs beyond 0.05615 are not "
          "softened; or give mesh=16, softening spline, or solver direct");
    CHECK(evaluate(0.001) == doctest::Approx(1.5 * 0.001 * 0.001 / 0.05615234375 / 0.05615234375));
}

TEST_SUITE_END();
