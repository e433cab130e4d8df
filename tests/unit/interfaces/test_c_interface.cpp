// The C interface against plain sums: views, targets apart from sources, subsets, jerks,
// neighbours.
#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

#include "chamomile/force/reference_sum.hpp"
#include "tests/unit/c_context.hpp"
#include "tests/unit/clouds.hpp"
#include "tests/unit/reference_jerk.hpp"
#include "tests/unit/within.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("c_interface");

namespace {

constexpr double eps = 0.02;

/// Sums at points, computed as sums at massless particles.
ReferenceSums sums_at(const Particles& p, const std::vector<Vec3<double>>& points, double length,
                      double G = 1)
{
    Particles all = p;
    all.resize(p.size() + points.size());
    std::vector<Index> targets;
    for (std::size_t i = 0; i < points.size(); ++i) {
        all.mass[p.size() + i] = 0;
        all.position[p.size() + i] = points[i];
        targets.push_back(Index(p.size() + i));
    }
    return reference_sum(all, targets, {SofteningKind::plummer, length}, G);
}

double worst(const std::vector<double>& a, const std::vector<Vec3<double>>& exact)
{
    double error = 0;
    for (std::size_t i = 0; i < exact.size(); ++i)
        error =
            std::max(error, norm(Vec3<double>{a[3 * i], a[3 * i + 1], a[3 * i + 2]} - exact[i]) /
                                norm(exact[i]));
    return error;
}

std::vector<Vec3<double>> points(std::size_t n)
{
    return uniform_cube(n, 9).position;
}

} // namespace

TEST_CASE("chm_solve() computes accelerations and potentials")
{
    const Particles p = plummer(597);
    const auto x = coordinates(p.position);
    std::vector<double> a(x.size()), phi(p.size());
    std::vector<Index> all(p.size());
    for (std::size_t i = 0; i < all.size(); ++i)
        all[i] = Index(i);
    const auto exact = reference_sum(p, all, {SofteningKind::plummer, eps}, 2.5);
    Context c;
    c.set("softening", "0.02");
    c.set("G", "2.5");
    for (const char* solver : {"direct", "tree"})
        for (const char* precision : {"double", "float"}) {
            c.set("solver", solver);
            c.set("precision", precision);
            REQUIRE(chm_solve(c, std::int64_t(p.size()), p.mass.data(), x.data(), a.data(),
                              phi.data()) == CHM_OK);
            const double limit = solver[0] == 't' ? 1e-2 : precision[0] == 'd' ? 1e-13 : 1e-6;
            CHECK(worst(a, exact.acceleration) < limit);
            CHECK(phi[17] == within(limit, exact.potential[17]));
        }
    chm_run_stats stats;
    REQUIRE(chm_stats(c, &stats) == CHM_OK);
    CHECK(stats.sources == 597);
    CHECK(stats.targets == 597);
    CHECK(stats.particle_particle > 0);
    CHECK(stats.seconds > 0);
    CHECK(std::string(chm_device(c)) != "");
}

TEST_CASE("chm_eval() accepts rows, columns and records in double and float")
{
    const Particles p = plummer(300);
    const auto at = points(131);
    const auto exact = sums_at(p, at, eps);
    struct Record {
        float tag, x, y, z;
        double phi, a[3];
        float eps, b[3];
    };
    std::vector<Record> records(at.size());
    std::vector<double> x, y, z;
    std::vector<double> columns(3 * at.size());
    for (std::size_t i = 0; i < at.size(); ++i) {
        // Coordinates exact in float.
        records[i] = {0, float(at[i].x), float(at[i].y), float(at[i].z), 0, {}, 0, {}};
        x.push_back(records[i].x);
        y.push_back(records[i].y);
        z.push_back(records[i].z);
    }
    std::vector<Vec3<double>> rounded;
    for (const Record& r : records)
        rounded.push_back({r.x, r.y, r.z});
    const auto there = sums_at(p, rounded, eps);

    Context c;
    c.exact();
    c.set("softening", "0.02");
    build(c, p);
    chm_targets targets{};
    chm_results results{};
    targets.n = std::int64_t(at.size());
    targets.position = chm_view_aos(&records[0].x, sizeof(Record), CHM_FLOAT32, CHM_HOST);
    results.acceleration = chm_view_aos(&records[0].b, sizeof(Record), CHM_FLOAT32, CHM_HOST);
    results.potential = chm_view_numbers(&records[0].phi, sizeof(Record), CHM_FLOAT64, CHM_HOST);
    REQUIRE(chm_eval(c, &targets, &results) == CHM_OK);
    std::vector<double> a;
    for (const Record& r : records)
        a.insert(a.end(), {r.b[0], r.b[1], r.b[2]});
    CHECK(worst(a, there.acceleration) < 1e-7);
    CHECK(records[77].phi == within(1e-13, there.potential[77]));
    CHECK(records[77].tag == 0);

    // Columns, from the last to the first.
    const std::size_t last = at.size() - 1;
    targets.position = chm_view_soa(&x[last], &y[last], &z[last], -8, CHM_FLOAT64, CHM_HOST);
    results = {};
    results.acceleration = chm_view_soa(&columns[0], &columns[at.size()], &columns[2 * at.size()],
                                        8, CHM_FLOAT64, CHM_HOST);
    REQUIRE(chm_eval(c, &targets, &results) == CHM_OK);
    for (std::size_t i = 0; i < at.size(); ++i)
        CHECK(columns[2 * at.size() + i] == within(1e-11, there.acceleration[last - i].z));
}

TEST_CASE("targets take own softening lengths and self indices; sources take a single mass")
{
    const Particles p = plummer(200);
    const double mass = p.mass[0];
    auto x = coordinates(p.position);
    const auto points = x;
    std::vector<double> lengths(p.size()), a(x.size()), phi(p.size());
    std::vector<std::int64_t> self(p.size());
    for (std::size_t i = 0; i < p.size(); ++i) {
        lengths[i] = i % 3 == 0 ? 0.1 : i % 3 == 1 ? 0.02 : 0;
        self[i] = std::int64_t(i);
    }
    Context c;
    c.exact();
    c.set("softening", "0.02");
    REQUIRE(chm_set_sources(c, 200, chm_vectors(x.data()),
                            chm_view_numbers(&mass, 0, CHM_FLOAT64, CHM_HOST), {}) == CHM_OK);
    REQUIRE(chm_build(c) == CHM_OK);
    std::fill(x.begin(), x.end(), 7); // the built tree does not read them again
    chm_targets targets{
        200, chm_vectors(points.data()), {}, self.data(), chm_numbers(lengths.data())};
    chm_results results{chm_vectors(a.data()), chm_numbers(phi.data()), {}, {}};
    REQUIRE(chm_eval(c, &targets, &results) == CHM_OK);
    for (Index i : {30, 31, 32}) {
        const auto exact =
            reference_sum(p, std::span(&i, 1), {SofteningKind::plummer, lengths[i]}, 1);
        CHECK(a[3 * i + 1] == within(1e-12, exact.acceleration[0].y));
        CHECK(phi[i] == within(1e-13, exact.potential[0]));
    }
    // A single length for all equals the option, bit for bit.
    std::vector<double> same(x.size());
    targets.softening = chm_view_numbers(&eps, 0, CHM_FLOAT64, CHM_HOST);
    results = {chm_vectors(same.data()), {}, {}, {}};
    REQUIRE(chm_eval(c, &targets, &results) == CHM_OK);
    targets.softening = {};
    results.acceleration = chm_vectors(a.data());
    REQUIRE(chm_eval(c, &targets, &results) == CHM_OK);
    CHECK(a == same);
}

TEST_CASE("chm_refit() follows moved sources; active sources get jerks and tidal tensors")
{
    Particles p = plummer(150);
    Random random(5);
    for (auto& v : p.velocity)
        v = on_sphere(random, 0.5);
    auto x = coordinates(p.position);
    const auto v = coordinates(p.velocity);
    Context c;
    c.exact();
    c.set("softening", "0.02");
    REQUIRE(chm_set_sources(c, 150, chm_vectors(x.data()), chm_numbers(p.mass.data()),
                            chm_vectors(v.data())) == CHM_OK);
    REQUIRE(chm_build(c) == CHM_OK);
    for (double& coordinate : x)
        coordinate *= 1.5;
    for (auto& place : p.position)
        place = 1.5 * place;
    REQUIRE(chm_refit(c) == CHM_OK);

    const std::vector<std::int64_t> active = {149, 3, 77};
    std::vector<double> a(9), jerk(9), tidal(18);
    chm_results results{chm_vectors(a.data()), {}, {}, chm_vectors(jerk.data())};
    REQUIRE(chm_eval_active(c, 3, active.data(), &results) == CHM_OK);
    std::vector<MovingSource> moving;
    for (std::size_t i = 0; i < p.size(); ++i)
        moving.push_back({p.position[i], p.velocity[i], p.mass[i]});
    std::vector<JerkSum> sums(3);
    const Index numbers[] = {149, 3, 77};
    ReferenceJerk(eps).solve(moving, {}, numbers, sums);
    for (int k = 0; k < 3; ++k) {
        CHECK(a[3 * k + 2] == within(1e-12, sums[std::size_t(k)].acceleration.z));
        CHECK(jerk[3 * k + 1] == within(1e-11, sums[std::size_t(k)].jerk.y));
    }

    // d a_i / d x_j by differences of the reference sum.
    const double h = 1e-5;
    const auto at = points(3);
    const auto probes = coordinates(at);
    chm_targets targets{3, chm_vectors(probes.data()), {}, nullptr, {}};
    results = {};
    results.tidal = chm_view_tensors(tidal.data(), 48, CHM_FLOAT64, CHM_HOST);
    REQUIRE(chm_eval(c, &targets, &results) == CHM_OK);
    const Vec3<double> step[] = {{h, 0, 0}, {0, h, 0}, {0, 0, h}};
    for (std::size_t i = 0; i < 3; ++i) {
        Vec3<double> slope[3];
        for (int axis = 0; axis < 3; ++axis) {
            const auto ends = sums_at(p, {at[i] + step[axis], at[i] - step[axis]}, eps);
            slope[axis] = (0.5 / h) * (ends.acceleration[0] - ends.acceleration[1]);
        }
        const double scale = std::abs(slope[0].x) + std::abs(slope[1].y) + std::abs(slope[2].z);
        const double expected[] = {slope[0].x, slope[1].x, slope[2].x,
                                   slope[1].y, slope[2].y, slope[2].z};
        for (std::size_t component = 0; component < 6; ++component)
            CHECK(std::abs(tidal[6 * i + component] - expected[component]) < 1e-7 * scale);
    }
}

TEST_CASE("chm_neighbours() returns neighbours in order, up to the requested maximum")
{
    const Particles p = uniform_cube(400);
    const auto x = coordinates(p.position);
    std::vector<double> radius(400, 0.2);
    radius[5] = 0.5;
    std::vector<std::int64_t> self(400), count(400), list(400 * 20, -7);
    for (std::size_t i = 0; i < 400; ++i)
        self[i] = std::int64_t(i);
    Context c;
    build(c, p);
    const chm_targets targets{400, chm_vectors(x.data()), {}, self.data(), {}};
    REQUIRE(chm_neighbours(c, &targets, chm_numbers(radius.data()), 20, count.data(),
                           list.data()) == CHM_OK);
    for (std::size_t i = 0; i < 400; ++i) {
        std::vector<std::int64_t> near;
        for (std::size_t j = 0; j < 400; ++j)
            if (j != i && norm(p.position[j] - p.position[i]) <= radius[i])
                near.push_back(std::int64_t(j));
        CHECK(count[i] == std::int64_t(near.size()));
        near.resize(std::min<std::size_t>(near.size(), 20));
        CHECK(std::equal(near.begin(), near.end(), &list[20 * i]));
    }
    CHECK(count[5] > 20);
}

TEST_CASE("chm_accel_strided() reads records in place; only the first n act as sources")
{
    struct Body {
        double x[3], v[3], a[3], m;
    };
    const Particles p = plummer(120);
    std::vector<Body> bodies(120);
    for (std::size_t i = 0; i < 120; ++i)
        bodies[i] = {{p.position[i].x, p.position[i].y, p.position[i].z}, {}, {}, p.mass[i]};
    Context c;
    c.exact();
    std::vector<double> phi(120);
    for (std::size_t pulling : {120, 70}) {
        REQUIRE(chm_accel_strided(c, 120, pulling, sizeof(Body), bodies[0].x, &bodies[0].m,
                                  bodies[0].a, phi.data(), 3, eps) == CHM_OK);
        Particles sources = p;
        for (std::size_t i = pulling; i < 120; ++i)
            sources.mass[i] = 0;
        for (Index i : {0, 69, 119}) {
            const auto exact =
                reference_sum(sources, std::span(&i, 1), {SofteningKind::plummer, eps}, 3);
            CHECK(bodies[i].a[0] == within(1e-12, exact.acceleration[0].x));
            CHECK(phi[i] == within(1e-13, exact.potential[0]));
        }
    }
}

TEST_CASE("chm_compare_direct() measures errors on a seeded sample")
{
    const Particles p = plummer(3000);
    const auto x = coordinates(p.position);
    Context c;
    c.set("tolerance", "0.01");
    c.set("softening", "0.01");
    REQUIRE(chm_set_sources(c, 3000, chm_vectors(x.data()), chm_numbers(p.mass.data()), {}) ==
            CHM_OK);
    REQUIRE(chm_build(c) == CHM_OK);
    chm_error_stats errors, other;
    // At all particles together, against plain sums.
    std::vector<double> a(x.size()), exact_errors;
    const chm_results results{chm_vectors(a.data()), {}, {}, {}};
    REQUIRE(chm_eval_active(c, 3000, nullptr, &results) == CHM_OK);
    for (Index i = 0; i < 3000; ++i) {
        const auto exact = reference_sum(p, std::span(&i, 1), {SofteningKind::plummer, 0.01}, 1);
        exact_errors.push_back(worst({a[3 * i], a[3 * i + 1], a[3 * i + 2]}, exact.acceleration));
    }
    std::sort(exact_errors.begin(), exact_errors.end());
    REQUIRE(chm_compare_direct(c, 3000, 1, &errors) == CHM_OK);
    CHECK(errors.sample == 3000);
    CHECK(errors.acceleration.max == within(1e-6, exact_errors.back()));
    CHECK(errors.acceleration.p99 == within(1e-2, exact_errors[2970]));
    REQUIRE(chm_compare_direct(c, 500, 1, &errors) == CHM_OK);
    CHECK(errors.sample == 500);
    CHECK(errors.acceleration.median > 1e-5);
    CHECK(errors.acceleration.p99 < 1e-2);
    CHECK(errors.acceleration.max >= errors.acceleration.p999);
    CHECK(errors.potential.p99 < 2e-3);
    CHECK(errors.worst < 3000);
    REQUIRE(chm_compare_direct(c, 500, 2, &other) == CHM_OK);
    CHECK(other.acceleration.rms != errors.acceleration.rms);
    c.set("accuracy", "1e-3");
    REQUIRE(chm_build(c) == CHM_OK);
    REQUIRE(chm_compare_direct(c, 3000, 1, &errors) == CHM_OK);
    CHECK(errors.acceleration.p99 < 1e-3);
    c.set("accuracy", "0");
    c.exact();
    REQUIRE(chm_build(c) == CHM_OK);
    REQUIRE(chm_compare_direct(c, 500, 1, &errors) == CHM_OK);
    CHECK(errors.acceleration.max < 1e-12);
}

TEST_CASE("the option accuracy holds in a periodic box")
{
    const Particles p = uniform_cube(3000);
    const std::vector<double> x = coordinates(p.position);
    Context c;
    c.set("box", "1");
    c.set("accuracy", "2e-3");
    REQUIRE(chm_set_sources(c, 3000, chm_vectors(x.data()), chm_numbers(p.mass.data()), {}) ==
            CHM_OK);
    REQUIRE(chm_build(c) == CHM_OK);
    chm_error_stats errors;
    REQUIRE(chm_compare_direct(c, 3000, 1, &errors) == CHM_OK);
    CHECK(errors.acceleration.p99 < 2e-3);
    CHECK(errors.acceleration.p99 > 1e-5);
}

TEST_CASE("chm_eval_adjoint() computes the gradient of a loss")
{
    const Particles p = plummer(200);
    const std::size_t n = p.size();
    Context c;
    c.exact();
    c.set("softening", "0.05");
    build(c, p);
    std::vector<double> a(3 * n), phi(n), x(3 * n), m(n), other(n);
    const chm_results results = {chm_vectors(a.data()), chm_numbers(phi.data()), {}, {}};
    REQUIRE(chm_eval_active(c, std::int64_t(n), nullptr, &results) == CHM_OK);
    // With mu = m: dL/dm = phi, dL/dx = -2 m a.
    REQUIRE(chm_eval_adjoint(c, {}, chm_numbers(p.mass.data()), chm_vectors(x.data()),
                             chm_numbers(m.data())) == CHM_OK);
    for (const std::size_t i : {0, 77, 199}) {
        CHECK(m[i] == within(1e-13, phi[i]));
        CHECK(x[3 * i + 1] == within(1e-12, -2 * p.mass[i] * a[3 * i + 1]));
    }
    REQUIRE(chm_eval_adjoint(c, chm_vectors(a.data()), {}, {}, chm_numbers(other.data())) ==
            CHM_OK);
    CHECK(other[3] != m[3]);
    CHECK(chm_eval_adjoint(c, {}, chm_numbers(m.data()), {}, chm_numbers(m.data())) == CHM_USAGE);
    CHECK(chm_eval_adjoint(c, {}, chm_numbers(phi.data()), {}, {}) == CHM_USAGE);
    CHECK(c.error().find("gradients: none") != std::string::npos);
}

TEST_CASE("chm_set_softenings() sets per-particle softening")
{
    Particles p = plummer(500);
    for (std::size_t i = 0; i < p.size(); ++i)
        p.softening.push_back(i % 3 ? 0.02 : 0.2);
    Context c;
    c.exact();
    CHECK(chm_set_softenings(c, chm_numbers(p.softening.data())) == CHM_USAGE); // no sources yet
    const auto x = coordinates(p.position);
    REQUIRE(chm_set_sources(c, 500, chm_vectors(x.data()), chm_numbers(p.mass.data()), {}) ==
            CHM_OK);
    REQUIRE(chm_set_softenings(c, chm_numbers(p.softening.data())) == CHM_OK);
    REQUIRE(chm_build(c) == CHM_OK);
    std::vector<double> a(1500), phi(500), tidal(3000);
    const chm_results results = {chm_vectors(a.data()), chm_numbers(phi.data()), {}, {}};
    REQUIRE(chm_eval_active(c, 500, nullptr, &results) == CHM_OK);
    std::vector<Index> all = sample_targets(500, 500);
    const ReferenceSums exact = reference_sum(p, all, {}, 1);
    for (std::size_t i = 0; i < 500; ++i) {
        CHECK(std::abs(a[3 * i] - exact.acceleration[i].x) < 1e-12 * exact.absolute_sum[i]);
        CHECK(phi[i] == within(1e-12, exact.potential[i]));
    }
    const chm_results tensors = {
        {}, {}, chm_view_tensors(tidal.data(), 48, CHM_FLOAT64, CHM_HOST), {}};
    REQUIRE(chm_eval_active(c, 500, nullptr, &tensors) == CHM_OK);
    double xx = 0, scale = 0;
    for (std::size_t j = 0; j < 500; ++j) {
        const Vec3<double> d = p.position[j] - p.position[7];
        const double eps = std::max(p.softening[j], p.softening[7]),
                     u2 = norm_squared(d) + eps * eps;
        if (j == 7)
            continue;
        xx += p.mass[j] * (3 * d.x * d.x / u2 - 1) / std::pow(u2, 1.5);
        scale += p.mass[j] / std::pow(u2, 1.5);
    }
    CHECK(std::abs(tidal[42] - xx) < 1e-12 * scale);
    REQUIRE(chm_set_sources(c, 500, chm_vectors(x.data()), chm_numbers(p.mass.data()), {}) ==
            CHM_OK);
    CHECK(chm_refit(c) == CHM_USAGE);
    p.softening[7] = -1;
    REQUIRE(chm_set_softenings(c, chm_numbers(p.softening.data())) == CHM_OK);
    CHECK(chm_build(c) == CHM_INPUT);
    CHECK(c.error().find("particle 7: softening length") != std::string::npos);
}

TEST_CASE("a softening rule without per-particle softening is refused")
{
    const Particles p = plummer(50);
    const std::vector<double> own(50, 0.1);
    const auto x = coordinates(p.position);
    Context c;
    c.set("softening_rule", "root-of-squares");
    for (const bool given : {false, true, false}) {
        REQUIRE(chm_set_sources(c, 50, chm_vectors(x.data()), chm_numbers(p.mass.data()), {}) ==
                CHM_OK);
        if (given)
            REQUIRE(chm_set_softenings(c, chm_numbers(own.data())) == CHM_OK);
        CHECK(chm_build(c) == (given ? CHM_OK : CHM_USAGE));
        if (!given)
            CHECK(c.error() == "softening_rule: needs several softening lengths");
    }
    std::vector<double> a(150);
    CHECK(chm_solve(c, 50, p.mass.data(), x.data(), a.data(), nullptr) == CHM_USAGE);
}

TEST_SUITE_END();
