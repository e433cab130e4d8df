// Fields from other array layouts, moved sources, other quantities, misuse.
#include <numeric>

#include "chamomile/core/error.hpp"
#include "tests/unit/field_behaviours.hpp"
#include "tests/unit/field_setups.hpp"
#include "tests/unit/periodic_sets.hpp"

namespace chamomile::tests {

void check_field_through_views(const Machine& machine)
{
    const Particles p = moving_plummer(1200);
    const Vectors points = points_about(p, 700, 0.5);
    const auto field = make_field_solver(options_of(machine, setups[0], 0.01));
    field->build(sources_of(p));
    const Felt right(*field, points);

    struct Record { // as in a user's code
        char flag;
        double x, y, z, mass, ax, ay, az;
        float potential;
    };
    std::vector<Record> sources(p.size()), targets(points.size());
    for (std::size_t i = 0; i < p.size(); ++i)
        sources[i] = {'s', p.position[i].x, p.position[i].y, p.position[i].z, p.mass[i], -1, -1, -1,
                      -1};
    for (std::size_t i = 0; i < points.size(); ++i)
        targets[i] = {'t', points[i].x, points[i].y, points[i].z, 0, -1, -1, -1, -1};
    field->build({sources.size(), vectors_at(&sources[0].x, sizeof(Record)),
                  numbers_at(&sources[0].mass, sizeof(Record))});
    field->evaluate({targets.size(), vectors_at(&targets[0].x, sizeof(Record))},
                    {vectors_at(&targets[0].ax, sizeof(Record)),
                     numbers_at(&targets[0].potential, sizeof(Record))});
    for (std::size_t i = 0; i < points.size(); ++i) {
        const Record& t = targets[i];
        CHECK(Vec3<double>{t.ax, t.ay, t.az} == right.a[i]);
        CHECK(t.potential == float(right.phi[i]));
        CHECK((t.flag == 't' && t.x == points[i].x && t.mass == 0));
    }

    // Columns apart, and backwards.
    std::vector<double> x, y, z;
    for (auto at = points.rbegin(); at != points.rend(); ++at) {
        x.push_back(at->x);
        y.push_back(at->y);
        z.push_back(at->z);
    }
    ArrayView columns = numbers_at(&x.back(), -std::ptrdiff_t(sizeof(double)));
    columns.component[1] = reinterpret_cast<std::byte*>(&y.back());
    columns.component[2] = reinterpret_cast<std::byte*>(&z.back());
    Vectors a(points.size());
    field->evaluate({points.size(), columns}, {view_of(std::span(a))});
    CHECK(a == right.a);
}

void check_field_refitted(const Machine& machine)
{
    Particles p = moving_plummer(4000);
    const Vectors points = points_about(p, 1000, 0.2);
    for (const Setup& setup : setups) {
        CAPTURE(setup.name);
        const auto field = make_field_solver(options_of(machine, setup, 0.01));
        field->build(sources_of(p));
        Particles moved = p;
        for (std::size_t i = 0; i < p.size(); ++i) {
            moved.position[i] += 0.05 * p.velocity[i];
            moved.mass[i] *= 1.25;
        }
        field->refit(sources_of(moved));
        check_felt(Felt(*field, points), moved, points, 0.01, setup);
        Particles fewer = moved;
        fewer.resize(10);
        CHECK_THROWS_WITH_AS(field->refit(sources_of(fewer)), doctest::Contains("must be equal"),
                             Error);
    }
}

void check_field_where_it_cancels(const Machine& machine)
{
    // A coarse lattice about the center: one target cluster; no force at its center.
    const Particles p = plummer(20000);
    Vectors points;
    for (int x = -2; x <= 2; ++x)
        for (int y = -2; y <= 2; ++y)
            for (int z = -2; z <= 2; ++z)
                points.push_back({0.5 * x + 1e-3, 0.5 * y, 0.5 * z});
    const auto field = make_field_solver(options_of(machine, setups[0], 0.01));
    field->build(sources_of(p));
    Vectors a(points.size());
    const ForceStatistics statistics =
        field->evaluate({points.size(), view_of(std::span(points))}, {view_of(std::span(a))});
    std::vector<double> errors;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const Point right = plain_field(p, points[i], {}, 0.01, -1, 2);
        // At the center forces cancel: compare errors with their typical size.
        errors.push_back(norm(a[i] - right.acceleration) / (norm(right.acceleration) + 0.2));
    }
    check_errors(errors, setups[0]);
    INFO("particle pairs per target: ", statistics.particle_particle / statistics.targets);
    CHECK(statistics.particle_particle / statistics.targets < p.size() / 2);
}

void check_field_neighbours(const Machine& machine)
{
    const Particles p = plummer(3000);
    const Vectors points = points_about(p, 200, 0.1);
    std::vector<double> radius(points.size());
    std::vector<std::int64_t> self(points.size(), -1);
    Random random(3);
    for (double& r : radius)
        r = random(0, 0.5);
    Vectors places = points;
    places[10] = p.position[99], self[10] = 99, radius[10] = 0;
    places[11] = p.position[99], self[11] = -1, radius[11] = 0;
    const auto field = make_field_solver(options_of(machine, setups[0], 0.01));
    field->build(sources_of(p));
    constexpr std::size_t max = 50;
    std::vector<std::int64_t> count(places.size()), list(max * places.size(), -7);
    field->neighbours({places.size(), view_of(std::span(places)), {}, self},
                      view_of(std::span(radius)), max, count, list);
    bool overflowed = false;
    for (std::size_t i = 0; i < places.size(); ++i) {
        std::vector<std::int64_t> right;
        for (std::size_t j = 0; j < p.size(); ++j) {
            const Vec3<double> d = p.position[j] - places[i];
            if (d.x * d.x + d.y * d.y + d.z * d.z <= radius[i] * radius[i] &&
                std::int64_t(j) != self[i])
                right.push_back(std::int64_t(j));
        }
        CHECK(count[i] == std::int64_t(right.size()));
        overflowed = overflowed || right.size() > max;
        right.resize(std::min(max, right.size()));
        CHECK(std::equal(right.begin(), right.end(), list.begin() + std::ptrdiff_t(max * i)));
    }
    CHECK(overflowed);
    CHECK((count[10] == 0 && count[11] == 1));
}

void check_field_in_box(const Machine& machine)
{
    constexpr double side = 2;
    for (const PeriodicSet& set : periodic_sets(1000)) {
        CAPTURE(set.name);
        Particles sources = scaled(set.particles, side);
        const std::size_t n = sources.size();
        for (std::size_t i = 0; i < n; i += 7)
            sources.position[i] += Vec3<double>{side, 0, -3 * side}; // another image
        // Points feel forces like massless particles; sources feel no forces from points.
        Particles all = sources;
        Random random(23);
        Vectors points;
        for (int k = 0; k < 200; ++k)
            points.push_back({random(-side, 2 * side), random(0, side), random(0, side)});
        all.resize(n + points.size());
        std::copy(points.begin(), points.end(), all.position.begin() + std::ptrdiff_t(n));
        SolverOptions options;
        options.box = side;
        options.gravitational_constant = 3;
        options.softening.length = 0.002; // the tree drops softening for pairs beyond the cut
        options.device = "cpu";
        options.solver = SolverKind::direct;
        make_solver(options)->solve(all, Quantities::acceleration_potential);
        const auto exact = make_field_solver(options);
        exact->build(sources_of(all));
        Vectors same(all.size());
        exact->evaluate_sources({}, {view_of(std::span(same))});
        CHECK(same == all.acceleration);

        options.solver = SolverKind::tree;
        options.device = machine.device;
        options.tolerance = 1e-4;
        options.periodic.cut = 6;
        const auto field = make_field_solver(options);
        field->build(sources_of(sources));
        const auto differs = [&](const Vectors& a, const std::vector<double>& phi,
                                 std::size_t first) {
            double error = 0, whole = 0, error_phi = 0, whole_phi = 0;
            for (std::size_t i = 0; i < a.size(); ++i) {
                error += norm_squared(a[i] - all.acceleration[first + i]);
                whole += norm_squared(all.acceleration[first + i]);
                error_phi += std::pow(phi[i] - all.potential[first + i], 2);
                whole_phi += std::pow(all.potential[first + i], 2);
            }
            CHECK(std::sqrt(error / whole) < 1e-3 * set.error);
            CHECK(std::sqrt(error_phi / whole_phi) < 1e-3 * set.error);
        };
        Vectors a(n), b(points.size()), c(n);
        std::vector<double> phi_a(n), phi_b(points.size()), phi_c(n);
        field->evaluate_sources({}, {view_of(std::span(a)), view_of(std::span(phi_a))});
        differs(a, phi_a, 0);
        field->evaluate({points.size(), view_of(std::span(points))},
                        {view_of(std::span(b)), view_of(std::span(phi_b))});
        differs(b, phi_b, n);
        std::vector<std::int64_t> self(n);
        std::iota(self.begin(), self.end(), 0);
        field->evaluate({n, view_of(std::span(sources.position)), {}, self},
                        {view_of(std::span(c)), view_of(std::span(phi_c))});
        differs(c, phi_c, 0);
    }
}

void check_field_misuse(const Machine& machine)
{
    const auto field = make_field_solver(options_of(machine, setups[0], 0.01));
    Vectors points(3), a(3);
    const FieldTargets targets{3, view_of(std::span(points))};
    const FieldResults results{view_of(std::span(a))};
    CHECK_THROWS_WITH_AS(field->evaluate(targets, results), doctest::Contains("call build() first"),
                         Error);
    CHECK(field->size() == 0);
    SolverOptions boxed = options_of(machine, setups[0], 0.01);
    boxed.box = 1;
    const auto periodic = make_field_solver(boxed);
    periodic->build({});
    CHECK_THROWS_WITH_AS(periodic->evaluate(targets, {.jerk = results.acceleration}),
                         doctest::Contains("box: must be 0"), Error);
    boxed.solver = SolverKind::direct;
    CHECK_THROWS_WITH_AS(make_field_solver(boxed)->evaluate(targets, results),
                         doctest::Contains("box: must be 0"), Error);
    a.assign(3, {7, 7, 7});
    field->build({}); // no sources, no forces
    field->evaluate(targets, results);
    CHECK(a == Vectors(3));
    const std::vector<std::int64_t> none_there{0, -1, -1};
    CHECK_THROWS_WITH_AS(field->evaluate({3, targets.position, {}, none_there}, results),
                         doctest::Contains("self: 0"), Error);
    Particles p = moving_plummer(100);
    p.position[17].y = std::nan("");
    CHECK_THROWS_WITH_AS(field->build(sources_of(p)), doctest::Contains("particle 17"), Error);
    CHECK_THROWS_AS(field->evaluate(targets, results), Error);
    p = moving_plummer(100);
    p.mass[3] = -1;
    CHECK_THROWS_WITH_AS(field->build(sources_of(p)), doctest::Contains("mass"), Error);
    CHECK_THROWS_AS(field->evaluate(targets, results), Error);
    p = moving_plummer(100);
    field->build(sources_of(p));
    CHECK_THROWS_WITH_AS(field->evaluate(targets, {}), doctest::Contains("none"), Error);
    points[2].x = INFINITY;
    CHECK_THROWS_WITH_AS(field->evaluate(targets, results), doctest::Contains("target 2"), Error);
    points[2].x = 0;
    const std::vector<std::int64_t> beyond{0, 100, 1}, few{0};
    CHECK_THROWS_WITH_AS(field->evaluate({3, targets.position, {}, beyond}, results),
                         doctest::Contains("self: 100"), Error);
    CHECK_THROWS_AS(field->evaluate({3, targets.position, {}, few}, results), Error);
    CHECK_THROWS_WITH_AS(field->evaluate(targets, {.jerk = results.acceleration}),
                         doctest::Contains("velocities"), Error);
    CHECK_THROWS_AS(field->evaluate(targets, {.potential = results.acceleration}), Error);
    field->evaluate(targets, results);
    const Vectors before = a;
    a.assign(3, {});
    CHECK_THROWS_WITH_AS(field->refit(sources_of(moving_plummer(99))),
                         doctest::Contains("must be equal"), Error);
    field->evaluate(targets, results); // with the previous sources
    CHECK(a == before);
    // After a failed refit the field has no sources, neither old nor new.
    Particles moved = p;
    moved.position[5].z = std::nan("");
    CHECK_THROWS_WITH_AS(field->refit(sources_of(moved)), doctest::Contains("particle 5"), Error);
    std::vector<double> radius(3, 1);
    std::vector<std::int64_t> count(3), list(30);
    CHECK_THROWS_WITH_AS(field->evaluate_sources({}, results),
                         doctest::Contains("call build() first"), Error);
    CHECK_THROWS_WITH_AS(field->neighbours(targets, view_of(std::span(radius)), 10, count, list),
                         doctest::Contains("call build() first"), Error);
    field->build(sources_of(p));
    if (machine.device == "cpu" || machine.device == "gpu") { // host memory
        FieldTargets elsewhere = targets;
        elsewhere.position.on_device = true;
        CHECK_THROWS_WITH_AS(field->evaluate(elsewhere, results),
                             doctest::Contains("array: marked as GPU memory: must be"), Error);
    }
    const std::vector<Index> active{100};
    CHECK_THROWS_AS(field->evaluate_sources(active, results), Error);
    p.position[5].x = std::nan("");
    CHECK_THROWS_WITH_AS(field->refit(sources_of(p)), doctest::Contains("particle 5"), Error);
    CHECK_THROWS_AS(field->evaluate(targets, results), Error);
    field->build(sources_of(moving_plummer(100)));
    field->evaluate({0, {}}, results);
    field->evaluate(targets, results);
    CHECK(std::isfinite(norm(a[0])));
}

} // namespace chamomile::tests
