// Per-particle softening on ranks: for every rule, law and criterion, sums equal one rank bit for
// bit.
#include <cmath>
#include <string>

#include <doctest/doctest.h>

#include "chamomile/core/error.hpp"
#include "chamomile/force/ranks/distributed_solver.hpp"
#include "tests/unit/pairwise.hpp"
#include "tests/unit/rank_series.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("rank_softenings");

namespace {

using Length = std::function<double(std::mt19937_64&, const Vec3<double>&, std::size_t)>;

/// Sets from rank_sets.hpp with lengths mixed, separate, all different, and partly 0; the last
/// particle has mass.
std::vector<NamedSet> softened_sets()
{
    const auto with = [](NamedSet set, const Length& length) {
        std::mt19937_64 random(17);
        Particles& p = set.particles;
        p.softening.resize(p.size());
        for (std::size_t i = 0; i < p.size(); ++i)
            p.softening[i] = length(random, p.position[i], i);
        p.mass.back() = 1 / double(p.size());
        return set;
    };
    const Length mixed = [](auto&, auto&, std::size_t i) { return i % 3 ? 0.02 : 0.15; },
                 apart = [](auto&, auto&x, std::size_t) { return x.x > 0 ? 0.2 : 0.01; },
                 different = [](auto&r, auto&,
                                std::size_t) { return 0.2 * uniform(r) * uniform(r); },
                 some_without = [](auto&, auto&, std::size_t i) {
                     return i % 50 == 0 ? 0 : i % 2 ? 0.05 : 0.1;
                 };
    const std::vector<NamedSet> all = sets();
    return {with(all[0], mixed),        // a Plummer sphere
            with(all[1], apart),        // a binary of clumps
            with(all[2], different),    // a disk
            with(all[5], some_without), // uniform
            with(all[6], mixed),        // an outlier
            with(all[7], apart),        // massless particles
            with(all[8], different),    // three particles
            with(all[9], mixed),        // all coincident
            with(all[11], apart)};      // many scales
}

struct NamedOptions {
    const char* name;
    SolverOptions options;
};

/// Both laws and rules, with each criterion and precision at least once.
std::vector<NamedOptions> ways()
{
    const auto way = [](const char* name, SofteningKind kind, SofteningRule rule, auto change) {
        SolverOptions options;
        options.device = "cpu";
        options.softening = {kind, 0, rule, true};
        options.gravitational_constant = 2.5;
        change(options);
        return NamedOptions{name, options};
    };
    using enum SofteningKind;
    using enum SofteningRule;
    return {way("plummer, larger", plummer, larger, [](SolverOptions&) {}),
            way("plummer, root of squares, in double", plummer, root_of_squares,
                [](SolverOptions& o) { o.precision = Precision::double_precision; }),
            way("spline, larger", spline, larger,
                [](SolverOptions& o) { o.criterion = Criterion::relative; }),
            way("spline, root of squares, order 4", spline, root_of_squares,
                [](SolverOptions& o) { o.order = 4; }),
            way("plummer, larger, by angles", plummer, larger,
                [](SolverOptions& o) {
                    o.criterion = Criterion::geometric;
                    o.local_order = 3;
                }),
            way("spline, larger, by angles in double", spline, larger, [](SolverOptions& o) {
                o.criterion = Criterion::minimum_distance;
                o.precision = Precision::double_precision;
            })};
}

/// Returns the first n particles without velocities and ids.
Particles first_of(const Particles& all, std::size_t n)
{
    Particles p;
    n = std::min(n, all.size());
    p.position.assign(all.position.begin(), all.position.begin() + std::ptrdiff_t(n));
    p.mass.assign(all.mass.begin(), all.mass.begin() + std::ptrdiff_t(n));
    p.softening.assign(all.softening.begin(), all.softening.begin() + std::ptrdiff_t(n));
    p.velocity.resize(n);
    p.id.resize(n);
    p.acceleration.resize(n);
    p.potential.resize(n);
    return p;
}

} // namespace

TEST_CASE("forces on ranks equal a single rank for every law, rule and criterion")
{
    const std::vector<NamedSet> all = softened_sets();
    const std::vector<NamedOptions> laws = ways();
    const int rank_counts[] = {1, 2, 3, 7};
    for (const auto& row : pairwise({all.size(), laws.size(), std::size(rank_counts)})) {
        const NamedSet& set = all[row[0]];
        const SolverOptions& options = laws[row[1]].options;
        const int P = rank_counts[row[2]];
        CAPTURE(set.name);
        CAPTURE(laws[row[1]].name);
        CAPTURE(P);
        Particles one = first_of(set.particles, set.name == std::string("one place") ? 901 : 6007);
        one.mass.back() = 1e-4; // and no tracer
        Particles several = one;
        make_solver(options)->solve(one, Quantities::acceleration_potential);
        solve_on_ranks(several, options, P, 2);
        CHECK(same_forces(one, several));
    }
}

TEST_CASE("ranks equal a single rank bitwise at active particles, with new and reused trees")
{
    const std::vector<NamedSet> all = softened_sets();
    const std::vector<NamedOptions> laws = ways();
    const int rank_counts[] = {2, 7, held_back_ranks};
    for (std::size_t s = 0; s < all.size(); ++s)
        for (std::size_t r = 0; r < 3; ++r) { // all pairs but those of sets and laws
            const SolverKind kind = (s + r) % 2 == 0 ? SolverKind::tree : SolverKind::direct;
            const NamedOptions& law = laws[(s + 2 * r) % laws.size()];
            CAPTURE(all[s].name);
            CAPTURE(law.name);
            CAPTURE(int(kind));
            Particles p = first_of(all[s].particles, kind == SolverKind::tree ? 6007 : 1103);
            SolverOptions options = law.options;
            options.solver = kind;
            for (std::size_t i = 1000; kind == SolverKind::direct && i < p.size(); ++i)
                p.mass[i] = 0; // tracers
            if (kind == SolverKind::tree)
                p.mass.back() = 1e-4;
            check_blocks(evaluate_blocks(p, *make_solver(options)), p, options, rank_counts[r]);
        }
}

TEST_CASE("a request's cap on softening holds on ranks and reused trees")
{
    const Particles p = first_of(softened_sets()[2].particles, 6007);
    for (const NamedOptions& way : {ways()[1], ways()[2]}) {
        CAPTURE(way.name);
        const auto series = [&](Solver& solver) {
            Particles now = p;
            std::vector<Particles> after;
            for (const double max : {1e-6, 0.01, 1.0, 1e-7, 0.02}) {
                Request request = request_of(now, Quantities::acceleration_potential);
                request.keeps_tree = true;
                request.softening_length = max;
                solver.evaluate(request);
                after.push_back(now);
                for (Vec3<double>& x : now.position)
                    x = 1.001 * x;
            }
            return after;
        };
        for (const SolverKind kind : {SolverKind::tree, SolverKind::direct}) {
            SolverOptions options = way.options;
            options.solver = kind;
            const std::vector<Particles> one = series(*make_solver(options));
            CHECK(!same_forces(one[0], one[1]));
            options.own_ranks = 3;
            const std::vector<Particles> three = series(*make_solver(options));
            for (std::size_t k = 0; k < one.size(); ++k)
                CHECK(same_forces(one[k], three[k]));
        }
    }
}

TEST_CASE("equal per-particle lengths on ranks cost no more traffic than a global length")
{
    Particles one = first_of(softened_sets()[0].particles, 5003), same = one;
    one.softening.clear();
    same.softening.assign(same.size(), 0.05);
    SolverOptions options;
    options.device = "cpu";
    options.own_ranks = 3;
    options.softening = {SofteningKind::plummer, 0.05};
    const ForceStatistics a = make_solver(options)->solve(one, Quantities::acceleration_potential),
                          b = make_solver(options)->solve(same, Quantities::acceleration_potential);
    CHECK(same_forces(one, same));
    CHECK(a.ranks->bytes == b.ranks->bytes);
    same.softening[7] = 0.04;
    const ForceStatistics c = make_solver(options)->solve(same, Quantities::acceleration_potential);
    CHECK(c.ranks->bytes > a.ranks->bytes + 8 * same.size());
}

TEST_CASE("with per-particle softening a goal gives equal tolerances on any number of ranks")
{
    const Particles p = softened_sets()[0].particles;
    SolverOptions options;
    options.device = "cpu";
    options.softening.per_particle = true;
    set_goal(options);
    const auto one = make_solver(options);
    Particles alone = p, together = p;
    one->solve(alone, Quantities::acceleration_potential);
    options.own_ranks = 3;
    const auto several = make_solver(options);
    several->solve(together, Quantities::acceleration_potential);
    CHECK(several->options().tolerance == one->options().tolerance);
    CHECK(same_forces(alone, together));
}

TEST_CASE("invalid lengths on a single rank are refused with an error line")
{
    Particles p = first_of(softened_sets()[0].particles, 500);
    SolverOptions options;
    options.device = "cpu";
    options.own_ranks = 2;
    const auto solver = make_solver(options);
    p.softening[3] = -1;
    CHECK_THROWS_WITH(solver->solve(p, Quantities::acceleration),
                      "particle 3: softening length: -1.000000: must be 0 or more");
    p.softening[3] = 0.1;
    solver->solve(p, Quantities::acceleration);
    std::string said[2]; // each rank continues, so neither ends the other's call
    run_ranks(2,
              [&](Communicator& communicator) {
                  SolverOptions own;
                  own.device = "cpu";
                  Request request = request_of(p, Quantities::acceleration);
                  if (communicator.rank() == 1)
                      request.softening = {};
                  try {
                      communicator.run_or_fail(
                          [&] { DistributedSolver(own, communicator).evaluate(request); });
                  } catch (const Error& error) {
                      said[communicator.rank()] = error.what();
                  }
              },
              {.time_limit = 60, .held_back = {}});
    for (const std::string& line : said)
        CHECK(line == "softening: must be given on all ranks or on none");
}

TEST_SUITE_END();
