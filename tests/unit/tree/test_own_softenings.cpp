// Per-particle softening: every solver against a plain loop over pairs, and the resulting time
// steps.
#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

#include "chamomile/core/error.hpp"
#include "chamomile/core/files/memory_archive.hpp"
#include "chamomile/force/field.hpp"
#include "chamomile/force/solver.hpp"
#include "chamomile/initial/models/galaxy.hpp"
#include "chamomile/integrate/leapfrog.hpp"
#include "chamomile/integrate/simulation.hpp"
#include "tests/unit/clouds.hpp"
#include "tests/unit/plain_sums.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("own_softenings");

namespace {

struct NamedParticles {
    const char* name;
    Particles particles;
};

/// Sets with mixed, separate, and all different lengths; one with a few zero lengths.
std::vector<NamedParticles> sets(std::size_t n)
{
    const auto with = [](Particles p, auto own) {
        Random random(17);
        p.softening.resize(p.size());
        for (std::size_t i = 0; i < p.size(); ++i)
            p.softening[i] = own(i, random);
        return p;
    };
    Particles apart = plummer(n / 2, 3), second = plummer(n - n / 2, 4);
    for (std::size_t i = 0; i < second.size(); ++i) {
        apart.position.push_back(0.3 * second.position[i] + Vec3<double>{4, 1, -1});
        apart.mass.push_back(2 * second.mass[i]);
    }
    apart.resize(n);
    return {
        {"mixed", with(plummer(n), [](std::size_t i, Random&) { return i % 3 ? 0.02 : 0.1; })},
        {"apart", with(apart, [n](std::size_t i, Random&) { return i < n / 2 ? 0.1 : 0.02; })},
        {"all different",
         with(hernquist(n), [](std::size_t, Random& random) { return 0.2 * random() * random(); })},
        {"a few without", with(thin_disk(n), [](std::size_t i, Random&) {
             return i % 50 == 0 ? 0 : i % 2 ? 0.05 : 0.1;
         })}};
}

std::vector<Softening> laws()
{
    std::vector<Softening> all;
    for (const SofteningKind kind : {SofteningKind::plummer, SofteningKind::spline})
        for (const SofteningRule rule : {SofteningRule::larger, SofteningRule::root_of_squares})
            all.push_back({kind, 0, rule, true});
    return all;
}

std::string name_of(const NamedParticles& set, const Softening& law)
{
    return std::string(set.name) + (law.kind == SofteningKind::plummer ? ", plummer" : ", spline") +
           (law.rule == SofteningRule::larger ? ", larger" : ", root of squares");
}

SolverOptions options_of(const Softening& law, SolverKind solver, Precision precision)
{
    SolverOptions options;
    options.softening = law;
    options.solver = solver;
    options.precision = precision;
    return options;
}

} // namespace

TEST_CASE("direct sums match a plain loop and conserve momentum")
{
    for (const NamedParticles& set : sets(1201))
        for (const Softening& law : laws())
            for (const Precision precision :
                 {Precision::double_precision, Precision::single_precision}) {
                CAPTURE(name_of(set, law));
                const bool precise = precision == Precision::double_precision;
                const double limit = precise ? 1e-13 : 2e-6;
                Particles p = set.particles;
                make_solver(options_of(law, SolverKind::direct, precision))
                    ->solve(p, Quantities::acceleration_potential);
                const PlainSums plain = plain_sums(p, law);
                double error = 0, potential_error = 0, absolute = 0;
                Vec3<double> momentum{};
                for (std::size_t i = 0; i < p.size(); ++i) {
                    error = std::max(error, length(p.acceleration[i] - plain.acceleration[i]) /
                                                plain.absolute[i]);
                    potential_error = std::max(potential_error,
                                               std::abs(p.potential[i] / plain.potential[i] - 1));
                    momentum += p.mass[i] * p.acceleration[i];
                    absolute += p.mass[i] * plain.absolute[i];
                }
                CHECK(error < limit);
                CHECK(potential_error < limit);
                CHECK(length(momentum) < (precise ? 1e-15 : 1e-7) * absolute);
            }
}

namespace {

/// Result of a tree: the 99 % error |da| / |a| over the sampled targets, and pairs summed.
struct TreeResult {
    double error_of_99 = 0, pairs = 0;
};

/// Compares with sums at every `stride`-th particle, and checks the potentials.
TreeResult tree_result(Particles p, const SolverOptions& options, const PlainSums& plain,
                       std::size_t stride)
{
    const ForceStatistics statistics =
        make_solver(options)->solve(p, Quantities::acceleration_potential);
    CHECK(statistics.particle_cell + statistics.expansions > 0);
    std::vector<double> errors;
    for (std::size_t k = 0; k < plain.acceleration.size(); ++k) {
        errors.push_back(length(p.acceleration[k * stride] - plain.acceleration[k]) /
                         length(plain.acceleration[k]));
        CHECK(std::abs(p.potential[k * stride] / plain.potential[k] - 1) < 2e-2);
    }
    std::sort(errors.begin(), errors.end());
    return {errors[errors.size() * 99 / 100],
            double(statistics.particle_particle + statistics.particle_cell)};
}

} // namespace

TEST_CASE("per-particle softening costs a tree no accuracy")
{
    struct Case {
        const char* name;
        void (*choose)(SolverOptions&);
    };
    const Case cases[] = {
        {"default", [](SolverOptions&) {}},
        {"double", [](SolverOptions& o) { o.precision = Precision::double_precision; }},
        {"tolerance 1e-5", [](SolverOptions& o) { o.tolerance = 1e-5; }},
        {"monopoles", [](SolverOptions& o) { o.order = 0; }},
        {"octupoles, order 3", [](SolverOptions& o) { o.order = 3, o.local_order = 3; }},
        {"hexadecapoles", [](SolverOptions& o) { o.order = 4; }},
        {"no expansions", [](SolverOptions& o) { o.local_order = 0; }},
        {"relative", [](SolverOptions& o) { o.criterion = Criterion::relative; }},
        {"geometric", [](SolverOptions& o) { o.criterion = Criterion::geometric; }},
        {"distance", [](SolverOptions& o) { o.criterion = Criterion::minimum_distance; }}};
    for (const NamedParticles& set : sets(6007))
        for (const Softening& law : laws()) {
            constexpr std::size_t stride = 7;
            Particles alike = set.particles;
            alike.softening.assign(alike.size(), 0.05);
            const PlainSums plain = plain_sums(set.particles, law, stride),
                            plain_alike = plain_sums(alike, law, stride);
            for (const Case& c : cases) {
                CAPTURE(name_of(set, law));
                CAPTURE(std::string(c.name));
                SolverOptions options =
                    options_of(law, SolverKind::tree, Precision::single_precision);
                c.choose(options);
                const TreeResult own = tree_result(set.particles, options, plain, stride),
                                 one = tree_result(alike, options, plain_alike, stride);
                CHECK(own.error_of_99 < 1.25 * one.error_of_99);
            }
        }
}

TEST_CASE("a galaxy softened by type keeps accuracy at 6 % more pairs")
{
    constexpr std::size_t stride = 97;
    struct Case {
        double halo, disk, bulge, pairs; // pairs: max factor relative to one length
    };
    Particles p = make_galaxy({.particles = 100000}).particles;
    const Softening law{SofteningKind::plummer, 0, SofteningRule::larger, true};
    const SolverOptions options = options_of(law, SolverKind::tree, Precision::single_precision);
    TreeResult one;
    for (const Case& c : {Case{0.05, 0.05, 0.05, 1}, Case{0.05, 0.02, 0.05, 1.06},
                          Case{0.02, 0.05, 0.02, 1.06}, Case{0.05, 0.02, 0.01, 1.06}}) {
        CAPTURE(c.halo);
        CAPTURE(c.bulge);
        p.softening.clear();
        for (const std::uint8_t type : p.type)
            p.softening.push_back(type == 1 ? c.halo : type == 2 ? c.disk : c.bulge);
        const TreeResult own = tree_result(p, options, plain_sums(p, law, stride), stride);
        one = one.pairs > 0 ? one : own;
        CHECK(own.error_of_99 < 1.15 * one.error_of_99);
        CHECK(own.pairs <= c.pairs * one.pairs);
    }
}

TEST_CASE("equal per-particle lengths equal a global length")
{
    for (const SolverKind solver : {SolverKind::tree, SolverKind::direct})
        for (const SofteningKind kind : {SofteningKind::plummer, SofteningKind::spline}) {
            SolverOptions options;
            options.solver = solver;
            options.softening = {kind, 0.03};
            Particles one = plummer(2003), own = one;
            make_solver(options)->solve(one, Quantities::acceleration_potential);
            for (const SofteningRule rule :
                 {SofteningRule::larger, SofteningRule::root_of_squares}) {
                const bool larger = rule == SofteningRule::larger;
                own.softening.assign(own.size(), larger ? 0.03 : 0.03 / std::sqrt(2.0));
                options.softening = {kind, 0, rule, true};
                make_solver(options)->solve(own, Quantities::acceleration_potential);
                for (std::size_t i = 0; i < own.size(); ++i)
                    CHECK(length(one.acceleration[i] - own.acceleration[i]) <=
                          (larger ? 0 : 1e-6) * length(one.acceleration[i]));
                CHECK((!larger || one.potential == own.potential));
            }
        }
}

TEST_CASE("active particles and reused trees use the per-particle lengths")
{
    for (const Softening& law : laws()) {
        Particles p = sets(3001)[0].particles;
        const auto solver =
            make_solver(options_of(law, SolverKind::tree, Precision::single_precision));
        std::vector<Index> active;
        for (Index i = 3; i < p.size(); i += 11)
            active.push_back(i);
        solver->solve(p, Quantities::acceleration_potential);
        for (Vec3<double>& x : p.position)
            x = 1.001 * x;
        Request request = request_of(p, Quantities::acceleration_potential);
        request.active = active;
        request.keeps_tree = true;
        CHECK(solver->evaluate(request).kept_tree);
        const PlainSums plain = plain_sums(p, law);
        for (const Index i : active)
            CHECK(length(p.acceleration[i] - plain.acceleration[i]) < 1e-2 * plain.absolute[i]);
    }
}

TEST_CASE("a request caps the per-particle lengths of an evaluation")
{
    Particles p = sets(1201)[2].particles;
    const Softening law{SofteningKind::plummer, 0, SofteningRule::larger, true};
    const auto solver =
        make_solver(options_of(law, SolverKind::direct, Precision::double_precision));
    Request request = request_of(p, Quantities::acceleration_potential);
    request.softening_length = 0.03;
    solver->evaluate(request);
    Particles cut = p;
    for (double& own : cut.softening)
        own = std::min(own, 0.03);
    const PlainSums plain = plain_sums(cut, law);
    for (std::size_t i = 0; i < p.size(); ++i)
        CHECK(length(p.acceleration[i] - plain.acceleration[i]) < 1e-13 * plain.absolute[i]);
}

TEST_CASE("target points with and without softening combine with softened sources")
{
    for (const SolverKind kind : {SolverKind::direct, SolverKind::tree})
        for (const Softening& law : laws()) {
            const Particles p = sets(2003)[0].particles;
            SolverOptions options = options_of(law, kind, Precision::double_precision);
            options.tolerance = 1e-5;
            const auto field = make_field_solver(options);
            Particles sources = p;
            field->build({p.size(),
                          view_of(std::span(sources.position)),
                          view_of(std::span(sources.mass)),
                          {},
                          view_of(std::span(sources.softening))});
            std::vector<Vec3<double>> point{
                {0.1, 0.2, 0.3}, {-1, 0, 1}, p.position[5], {1e7, 0, 0}},
                acceleration(point.size());
            std::vector<double> own{0.3, 0, 0, 0.1}, potential(point.size());
            const std::vector<std::int64_t> self{-1, -1, 5, -1};
            const FieldResults results{view_of(std::span(acceleration)),
                                       view_of(std::span(potential))};
            for (const bool given : {true, false}) {
                field->evaluate({point.size(),
                                 view_of(std::span(point)),
                                 {},
                                 self,
                                 given ? view_of(std::span(own)) : ArrayView{}},
                                results);
                for (std::size_t k = 0; k < point.size(); ++k) {
                    const double eps = given ? own[k] : self[k] >= 0 ? p.softening[5] : 0;
                    Vec3<double> a{};
                    double phi = 0;
                    for (std::size_t j = 0; j < p.size(); ++j) {
                        const Vec3<double> d = p.position[j] - point[k];
                        if (std::int64_t(j) == self[k])
                            continue;
                        const Pull f = pull(length(d), eps, p.softening[j], law);
                        a += (p.mass[j] * f.force / length(d)) * d;
                        phi -= p.mass[j] * f.potential;
                    }
                    CAPTURE(k);
                    const double limit = kind == SolverKind::direct ? 1e-12 : 1e-4;
                    CHECK(length(acceleration[k] - a) < limit * length(a));
                    CHECK(std::abs(potential[k] / phi - 1) < limit);
                }
            }
        }
}

TEST_CASE("close targets with smaller and larger softening than the sources keep separate lengths")
{
    // (1 + 49) / 2 = 25: the middle of the points' eps^2 equals the sources' eps^2.
    Particles p = plummer(2003);
    for (std::size_t i = 0; i < p.size(); ++i)
        p.softening.push_back(i % 2 ? 5. / 64 : 1. / 64);
    const Softening law{SofteningKind::plummer, 0, SofteningRule::larger, true};
    const auto field =
        make_field_solver(options_of(law, SolverKind::tree, Precision::double_precision));
    field->build({p.size(),
                  view_of(std::span(p.position)),
                  view_of(std::span(p.mass)),
                  {},
                  view_of(std::span(p.softening))});
    std::vector<Vec3<double>> point{{0.1, 0.2, 0.3}, {0.1, 0.2, 0.31}}, acceleration(2);
    std::vector<double> own{1. / 64, 7. / 64};
    field->evaluate({point.size(), view_of(std::span(point)), {}, {}, view_of(std::span(own))},
                    {view_of(std::span(acceleration)), {}});
    for (std::size_t k = 0; k < point.size(); ++k) {
        Vec3<double> a{};
        for (std::size_t j = 0; j < p.size(); ++j) {
            const Vec3<double> d = p.position[j] - point[k];
            const double r = length(d);
            a += (p.mass[j] * pull(r, own[k], p.softening[j], law).force / r) * d;
        }
        CHECK(length(acceleration[k] - a) < 2e-3 * length(a));
    }
}

namespace {

/// Returns the tree's 99 % error relative to sum |a|, with one length.
double error_of_99_in_box(Particles p, const SolverOptions& tree, const SolverOptions& direct)
{
    p.softening.clear();
    Particles exact = p;
    make_solver(direct)->solve(exact, Quantities::acceleration_potential);
    make_solver(tree)->solve(p, Quantities::acceleration_potential);
    std::vector<double> errors;
    for (std::size_t i = 0; i < p.size(); ++i) {
        double absolute = 0;
        for (std::size_t j = 0; j < p.size(); ++j)
            if (j != i) {
                const double r = length(Periodicity{1}.nearest(p.position[j] - p.position[i]));
                absolute += p.mass[j] * pull(r, direct.softening.length, direct.softening.length,
                                             direct.softening)
                                            .force;
            }
        errors.push_back(length(p.acceleration[i] - exact.acceleration[i]) / absolute);
    }
    std::sort(errors.begin(), errors.end());
    return errors[errors.size() * 99 / 100];
}

} // namespace

TEST_CASE("in a periodic box short and long range follow per-particle softening")
{
    Particles p = uniform_cube(700, 9);
    for (std::size_t i = 0; i < p.size(); ++i) {
        p.mass[i] *= 1 + double(i % 5);
        p.softening.push_back(i % 4 ? 0.01 : 0.03);
    }
    for (const Softening& law : laws()) {
        // The sum with one length, plus corrections for individual lengths at each pair's nearest
        // image.
        SolverOptions options = options_of(law, SolverKind::direct, Precision::double_precision);
        options.box = 1;
        SolverOptions alike = options;
        alike.softening = {law.kind, 0.02};
        Particles expected = p, summed = p;
        expected.softening.clear();
        make_solver(alike)->solve(expected, Quantities::acceleration_potential);
        std::vector<double> absolute(p.size());
        for (std::size_t i = 0; i < p.size(); ++i)
            for (std::size_t j = 0; j < p.size(); ++j) {
                if (j == i)
                    continue;
                const Vec3<double> d = Periodicity{1}.nearest(p.position[j] - p.position[i]);
                const double r = length(d);
                const Pull own = pull(r, p.softening[i], p.softening[j], law),
                           one = pull(r, 0.02, 0.02, alike.softening);
                expected.acceleration[i] += (p.mass[j] * (own.force - one.force) / r) * d;
                expected.potential[i] -= p.mass[j] * (own.potential - one.potential);
                absolute[i] += p.mass[j] * std::abs(own.force);
            }
        make_solver(options)->solve(summed, Quantities::acceleration_potential);
        for (std::size_t i = 0; i < p.size(); ++i) {
            CHECK(length(summed.acceleration[i] - expected.acceleration[i]) < 1e-12 * absolute[i]);
            CHECK(std::abs(summed.potential[i] - expected.potential[i]) < 1e-11);
        }
        for (const LongRangeKind kind : {LongRangeKind::mesh, LongRangeKind::modes})
            for (const int order : {0, 2}) {
                SolverOptions tree = options;
                tree.solver = SolverKind::tree;
                tree.order = order;
                tree.periodic.long_range = kind;
                tree.periodic.cut = kind == LongRangeKind::mesh ? 6 : 5;
                Particles q = p;
                make_solver(tree)->solve(q, Quantities::acceleration_potential);
                std::vector<double> errors;
                for (std::size_t i = 0; i < p.size(); ++i)
                    errors.push_back(length(q.acceleration[i] - expected.acceleration[i]) /
                                     absolute[i]);
                std::sort(errors.begin(), errors.end());
                CAPTURE(int(kind));
                CAPTURE(order);
                // Beyond the cut no pair is softened, with the max length as with one length.
                SolverOptions tree_alike = tree, direct_alike = alike;
                tree_alike.softening = direct_alike.softening = {
                    law.kind, law.rule == SofteningRule::larger ? 0.03 : 0.03 * std::sqrt(2.0)};
                const double one = error_of_99_in_box(p, tree_alike, direct_alike);
                CHECK(errors[errors.size() * 99 / 100] < 1.25 * one);
            }
    }
}

TEST_CASE("adaptive steps use each particle's softening length")
{
    Particles p = plummer(1000);
    for (std::size_t i = 0; i < p.size(); ++i)
        p.softening.push_back(i % 2 ? 0.02 : 0.32);
    SolverOptions options;
    options.softening.per_particle = true;
    options.softening.length = 0.32;
    const auto solver = make_solver(options);
    solver->solve(p, Quantities::acceleration_potential);
    double shortest = HUGE_VAL;
    for (std::size_t i = 0; i < p.size(); ++i)
        shortest = std::min(shortest, std::sqrt(p.softening[i] / length(p.acceleration[i])));
    const TimeStep step{.kind = TimeStepKind::adaptive, .eta = 0.25};
    Leapfrog leapfrog(*solver, step);
    leapfrog.start(p, Quantities::acceleration, {});
    CHECK(leapfrog.next_step({}).length == doctest::Approx(0.25 * shortest));

    Leapfrog blocks(*solver, BlockSteps{.eta = 0.02});
    blocks.start(p, Quantities::acceleration, {});
    const auto rung = blocks.next_step({}).length;
    CHECK(rung > 0);
    blocks.step(p, rung, Quantities::acceleration_potential, {});
    CHECK(blocks.report().rungs.size() > 1);

    p.softening[0] = 0;
    CHECK_THROWS_WITH(leapfrog.start(p, Quantities::acceleration, {}),
                      doctest::Contains("for each particle"));
}

TEST_CASE("a restarted run with per-particle softening continues bitwise")
{
    const auto begin = [] {
        Particles p = sets(600)[0].particles;
        return p;
    };
    SolverOptions options;
    options.softening.per_particle = true;
    options.softening.length = 0.1;
    Particles whole = begin(), part = begin(), later;
    later.resize(part.size());
    const auto evolve = [&](Particles& p, double end, MemoryArchive* from, MemoryArchive* to) {
        const auto solver = make_solver(options);
        Leapfrog leapfrog(*solver, BlockSteps{.eta = 0.02, .longest = 1. / 64});
        Simulation simulation(p, leapfrog, 0, end);
        if (from) {
            from->rewind();
            simulation.exchange(*from);
        }
        simulation.run();
        if (to)
            simulation.exchange(*to);
    };
    evolve(whole, 0.125, nullptr, nullptr);
    MemoryArchive kept;
    evolve(part, 0.0625, nullptr, &kept);
    evolve(later, 0.125, &kept, nullptr);
    CHECK(later.softening == whole.softening);
    CHECK(later.position == whole.position);
    CHECK(later.velocity == whole.velocity);
}
