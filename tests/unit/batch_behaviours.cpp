#include "tests/unit/batch_behaviours.hpp"

#include <numeric>

#include "chamomile/core/error.hpp"
#include "chamomile/force/reference_sum.hpp"
#include "chamomile/integrate/leapfrog.hpp"
#include "tests/unit/clouds.hpp"
#include "tests/unit/error_line.hpp"

namespace chamomile::tests {
namespace {

constexpr double G = 4.3;

SolverOptions options_of(const Softening& softening, const std::string& device, Precision precision)
{
    SolverOptions options = direct_sums(softening.length, device, precision);
    options.softening = softening;
    options.gravitational_constant = G;
    return options;
}

double error_of(const Vec3<double>& a, const Vec3<double>& exact, double scale)
{
    return norm(a - exact) / scale;
}

void check_sums(BatchSystems& systems, const SolverOptions& options, bool with_jerks, double limit)
{
    const bool own = options.softening.per_particle;
    BatchSums sums(systems.size());
    BatchSolver solver(options);
    const ForceStatistics statistics =
        solver.evaluate(systems.batch(own), sums.results(with_jerks));
    std::uint64_t pairs = 0;
    double worst = 0;
    for (std::size_t b = 0; b + 1 < systems.offsets.size(); ++b) {
        const Particles p = systems.particles(b, own);
        const std::uint64_t begin = systems.offsets[b];
        pairs += p.size() * p.size();
        std::vector<Index> all(p.size());
        std::iota(all.begin(), all.end(), Index(0));
        const ReferenceSums exact = reference_sum(p, all, options.softening, G);
        std::vector<MovingSource> sources;
        for (std::size_t i = 0; i < p.size(); ++i)
            sources.push_back({p.position[i], p.velocity[i], p.mass[i]});
        std::vector<JerkSum> jerks(p.size());
        if (with_jerks)
            ReferenceJerk(options.softening.length, G, options.softening.rule)
                .solve(sources, p.softening, all, jerks);
        for (std::size_t i = 0; i < p.size(); ++i) {
            const double scale = std::fmax(exact.absolute_sum[i], 1e-300);
            worst = std::fmax(worst,
                              error_of(sums.acceleration[begin + i], exact.acceleration[i], scale));
            worst = std::fmax(worst, std::fabs(sums.potential[begin + i] - exact.potential[i]) /
                                         std::fmax(std::fabs(exact.potential[i]), 1e-300));
            if (with_jerks)
                worst = std::fmax(worst, error_of(sums.jerk[begin + i], jerks[i].jerk,
                                                  std::fmax(norm(jerks[i].jerk), 10 * scale)));
            if (p.size() == 1) {
                CHECK(sums.acceleration[begin] == Vec3<double>{});
                CHECK(sums.potential[begin] == 0);
            }
        }
    }
    CHECK(worst < limit);
    CHECK(statistics.particle_particle == pairs);
    CHECK(statistics.targets == systems.size());
}

std::vector<std::size_t> one_to(std::size_t n)
{
    std::vector<std::size_t> sizes(n);
    std::iota(sizes.begin(), sizes.end(), std::size_t(1));
    return sizes;
}

} // namespace

void check_batch_sums(const std::string& device)
{
    for (const Precision precision : {Precision::single_precision, Precision::double_precision}) {
        const double limit = precision == Precision::single_precision ? 4e-6 : 1e-12;
        BatchSystems all(one_to(300)), some({3, 128, 1, 77, 256, 2}, 1e19);
        check_sums(all, options_of({SofteningKind::plummer, 0.05}, device, precision), true, limit);
        check_sums(all, options_of({}, device, precision), false, limit);
        check_sums(some, options_of({SofteningKind::spline, 3e18}, device, precision), false,
                   limit);
        for (const SofteningRule rule : {SofteningRule::larger, SofteningRule::root_of_squares})
            for (const SofteningKind kind : {SofteningKind::plummer, SofteningKind::spline}) {
                CAPTURE(int(rule));
                CAPTURE(int(kind));
                check_sums(some, options_of({kind, 0, rule, true}, device, precision),
                           kind == SofteningKind::plummer, limit);
            }
    }
}

void check_batch_bits(const std::string& device)
{
    for (const Precision precision : {Precision::single_precision, Precision::double_precision}) {
        BatchSolver solver(options_of({SofteningKind::plummer, 0.05}, device, precision));
        BatchSystems all({128, 5, 300, 1, 64, 129});
        BatchSums sums(all.size()), single(300);
        solver.evaluate(all.batch(), sums.results());
        for (std::size_t b = 0; b + 1 < all.offsets.size(); ++b) {
            const std::uint64_t begin = all.offsets[b], n = all.offsets[b + 1] - begin;
            const std::uint64_t offsets[] = {0, n};
            Batch one = all.batch();
            one = {offsets, one.position.from(begin), one.velocity.from(begin),
                   one.mass.from(begin)};
            solver.evaluate(one, single.results());
            for (std::uint64_t i = 0; i < n; ++i) {
                const bool equal = sums.acceleration[begin + i] == single.acceleration[i] &&
                                   sums.jerk[begin + i] == single.jerk[i] &&
                                   sums.potential[begin + i] == single.potential[i];
                REQUIRE(equal);
            }
        }
    }
}

void check_batch_steps(const std::string& device)
{
    const SolverOptions options =
        options_of({SofteningKind::plummer, 0.1}, device, Precision::double_precision);
    const std::vector<double> steps{0.01, 0.02, 0.005};
    for (const BatchScheme scheme : {BatchScheme::leapfrog, BatchScheme::hermite}) {
        BatchSystems systems({3, 40, 1});
        std::vector<Particles> single;
        for (std::size_t b = 0; b < 3; ++b) {
            Particles p = systems.particles(b);
            if (scheme == BatchScheme::hermite) {
                ReferenceJerk solver(0.1, G);
                Hermite hermite(solver, {.sharing = StepSharing::shared, .fixed_length = steps[b]});
                Simulation(p, hermite, 0, 20 * steps[b]).run();
            } else {
                const auto solver = make_solver(
                    options_of({SofteningKind::plummer, 0.1}, "cpu", Precision::double_precision));
                Leapfrog leapfrog(*solver, {.length = steps[b]});
                Simulation(p, leapfrog, 0, 20 * steps[b]).run();
            }
            single.push_back(p);
        }
        BatchSolver(options).advance(systems.batch(), {scheme, steps, 20});
        for (std::size_t b = 0; b < 3; ++b)
            for (std::size_t i = 0; i < single[b].size(); ++i) {
                CAPTURE(b);
                CHECK(norm(systems.position[systems.offsets[b] + i] - single[b].position[i]) <
                      1e-11);
                CHECK(norm(systems.velocity[systems.offsets[b] + i] - single[b].velocity[i]) <
                      1e-11);
            }
    }
    // Twice the step is 16 times the error in a fourth-order scheme, and 4 times in the leapfrog.
    for (const BatchScheme scheme : {BatchScheme::leapfrog, BatchScheme::hermite}) {
        const auto end_of = [&](double step, std::uint64_t count) {
            BatchSystems systems({8});
            BatchSolver(options).advance(systems.batch(), {scheme, {&step, 1}, count});
            return systems.position;
        };
        const auto exact = end_of(0.001, 400), fine = end_of(0.01, 40), coarse = end_of(0.02, 20);
        double error = 0, twice = 0;
        for (std::size_t i = 0; i < 8; ++i) {
            error += norm(fine[i] - exact[i]);
            twice += norm(coarse[i] - exact[i]);
        }
        const double order = std::log2(twice / error);
        CHECK(order > (scheme == BatchScheme::hermite ? 3.4 : 1.8));
        CHECK(order < (scheme == BatchScheme::hermite ? 5.5 : 2.3));
    }
}

void check_batch_repairs(const std::string& device)
{
    for (const bool with_jerks : {false, true}) {
        BatchSolver solver(options_of({}, device, Precision::single_precision));
        BatchSystems systems({5, 9});
        BatchSums sums(14);
        systems.position[8] = systems.position[6];
        systems.position[8].x *= 1 + 1e-15; // r^-3 overflows float
        solver.evaluate(systems.batch(), sums.results(with_jerks));
        CHECK(norm(sums.acceleration[8]) > 1e20);
        CHECK(std::isfinite(norm(sums.acceleration[6])));
        systems.position[8] = systems.position[6];
        const std::string line = error_line(
            [&] { solver.evaluate(systems.batch(), sums.results(with_jerks)); }, Fault::input);
        CHECK(line.find("system 1: particles 1 and 3: position: ") == 0);
        BatchSolver softened(
            options_of({SofteningKind::plummer, 0.1}, device, Precision::single_precision));
        softened.evaluate(systems.batch(), sums.results(with_jerks));
        const double difference = G * (systems.mass[8] - systems.mass[6]) / 0.1;
        CHECK(sums.potential[8] - sums.potential[6] == doctest::Approx(difference).epsilon(1e-4));
    }
}

} // namespace chamomile::tests
