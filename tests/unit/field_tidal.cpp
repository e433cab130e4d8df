// Tidal tensors and jerks from a field, summed over pairs.
#include "chamomile/core/error.hpp"
#include "tests/unit/field_behaviours.hpp"
#include "tests/unit/field_setups.hpp"
#include "tests/unit/plain_sums.hpp"

namespace chamomile::tests {

namespace {

struct TidalAndJerk {
    std::vector<double> tidal; ///< six per point
    Vectors jerk;
};

TidalAndJerk felt_at(FieldSolver& field, const Vectors& points, const Vectors& speeds,
                     std::span<const std::int64_t> self = {})
{
    TidalAndJerk felt{std::vector<double>(6 * points.size()), Vectors(points.size())};
    field.evaluate({points.size(), view_of(std::span(points)), view_of(std::span(speeds)), self},
                   {.tidal = tensors(felt.tidal), .jerk = view_of(std::span(felt.jerk))});
    return felt;
}

} // namespace

void check_field_tidal_tensor_and_jerk(const Machine& machine)
{
    const Particles p = moving_plummer(1500);
    const Vectors points = points_about(p, 300, 0.5);
    Vectors speeds(points.size());
    for (std::size_t i = 0; i < speeds.size(); ++i)
        speeds[i] = {0.1, -0.2, 0.001 * double(i)};
    for (const Setup& setup : setups) {
        CAPTURE(setup.name);
        const auto field = make_field_solver(options_of(machine, setup, 0.05));
        field->build(sources_of(p));
        const auto [tidal, jerk] = felt_at(*field, points, speeds);
        const double limit = setup.precision == single ? 1e-4 : 1e-11;
        for (std::size_t i = 0; i < points.size(); ++i) {
            const Point right = plain_field(p, points[i], speeds[i], 0.05, -1, 2);
            CHECK(norm(jerk[i] - right.jerk) < limit * norm(right.jerk));
            double scale = 0;
            for (const double t : right.tidal)
                scale = std::max(scale, std::abs(t));
            for (std::size_t c = 0; c < 6; ++c)
                CHECK(std::abs(tidal[6 * i + c] - right.tidal[c]) < limit * scale);
        }
    }
}

void check_field_derivatives_at_sources(const Machine& machine)
{
    for (const std::size_t n : {1, 30, 5000}) {
        Particles p = moving_plummer(n);
        for (std::size_t i = 3; i < n; i += 7)
            p.mass[i] = 0;
        std::vector<double> lengths(n, 0.05);
        for (std::size_t i = 0; i < n; i += 3)
            lengths[i] = 0.1;
        const auto felt = [&](const SolverOptions& options) {
            const auto field = make_field_solver(options);
            FieldSources sources = sources_of(p);
            sources.softening =
                options.softening.per_particle ? view_of(std::span(lengths)) : ArrayView{};
            field->build(sources);
            TidalAndJerk all{std::vector<double>(6 * n), Vectors(n)};
            field->evaluate_sources(
                {}, {.tidal = tensors(all.tidal), .jerk = view_of(std::span(all.jerk))});
            return all;
        };
        for (const Setup& setup : setups)
            for (const bool own : {false, true}) {
                CAPTURE(n);
                CAPTURE(setup.name);
                CAPTURE(own);
                SolverOptions options = options_of(machine, setup, 0.05);
                options.softening.per_particle = own;
                const TidalAndJerk found = felt(options);
                options.solver = SolverKind::direct;
                options.precision = Precision::double_precision;
                options.device = "cpu";
                const TidalAndJerk exact = felt(options);
                std::vector<double> errors;
                for (std::size_t i = 0; i < n; ++i) {
                    double scale = 0, off = 0;
                    for (std::size_t c = 6 * i; c < 6 * i + 6; ++c) {
                        scale = std::max(scale, std::abs(exact.tidal[c]));
                        off = std::max(off, std::abs(found.tidal[c] - exact.tidal[c]));
                    }
                    errors.push_back(n == 1 ? off : off / scale);
                    errors.push_back(norm(found.jerk[i] - exact.jerk[i]) /
                                     (n == 1 ? 1 : norm(exact.jerk[i])));
                }
                std::sort(errors.begin(), errors.end());
                const bool is_tree = setup.kind == SolverKind::tree;
                const double rounding = setup.precision == single ? 1e-4 : 1e-11;
                CHECK(errors[errors.size() / 2] < (is_tree && n > 30 ? 1e-3 : rounding));
                CHECK(errors[errors.size() * 99 / 100] < (is_tree && n > 30 ? 2e-2 : rounding));
            }
    }
}

namespace {

/// Returns the 9 derivatives of the accelerations at points, by finite differences.
std::vector<std::array<double, 9>> differences_of(FieldSolver& exact, const Vectors& points,
                                                  std::span<const double> softening)
{
    const double step = 1e-5;
    std::vector<std::array<double, 9>> differences(points.size());
    const auto felt = [&](const Vectors& at) {
        Vectors a(at.size());
        exact.evaluate({at.size(),
                        view_of(std::span(at)),
                        {},
                        {},
                        softening.empty() ? ArrayView{} : view_of(softening)},
                       {view_of(std::span(a))});
        return a;
    };
    for (int b = 0; b < 3; ++b) {
        Vectors ahead = points, behind = points;
        for (std::size_t i = 0; i < points.size(); ++i) {
            (&ahead[i].x)[b] += step;
            (&behind[i].x)[b] -= step;
        }
        const Vectors a = felt(ahead), z = felt(behind);
        for (std::size_t i = 0; i < points.size(); ++i)
            for (int c = 0; c < 3; ++c)
                differences[i][std::size_t(3 * c + b)] = ((&a[i].x)[c] - (&z[i].x)[c]) / (2 * step);
    }
    return differences;
}

} // namespace

void check_field_tidal_tensor_of_splines(const Machine& machine)
{
    // Against finite differences of accelerations, some within the spline.
    const Particles p = moving_plummer(700);
    const Vectors points = points_about(p, 150, 0.05);
    std::vector<double> of_sources, of_points;
    for (std::size_t i = 0; i < p.size(); ++i)
        of_sources.push_back(i % 40 == 0 ? 0 : i % 3 ? 0.02 : 0.1);
    for (std::size_t i = 0; i < points.size(); ++i)
        of_points.push_back(i % 2 ? 0 : 0.05);
    const auto spline = [&](const Setup& setup, bool own) {
        SolverOptions options = options_of(machine, setup, own ? 0 : 0.05);
        options.softening.kind = SofteningKind::spline;
        options.softening.per_particle = own;
        auto field = make_field_solver(options);
        FieldSources sources = sources_of(p);
        sources.softening = own ? view_of(std::span(of_sources)) : ArrayView{};
        field->build(sources);
        return field;
    };
    for (const bool own : {false, true}) {
        const std::span<const double> lengths =
            own ? std::span<const double>(of_points) : std::span<const double>();
        const auto differences = differences_of(*spline(setups[3], own), points, lengths);
        for (const Setup& setup : setups) {
            CAPTURE(setup.name);
            CAPTURE(own);
            std::vector<double> tidal(6 * points.size());
            const ArrayView six = tensors(tidal);
            spline(setup, own)
                ->evaluate({points.size(),
                            view_of(std::span(points)),
                            {},
                            {},
                            own ? view_of(lengths) : ArrayView{}},
                           {.tidal = six});
            const double limit = setup.precision == single ? 1e-4 : 1e-6;
            for (std::size_t i = 0; i < points.size(); ++i) {
                double scale = 0;
                for (const double t : differences[i])
                    scale = std::max(scale, std::abs(t));
                for (std::size_t a = 0, t = 0; a < 3; ++a)
                    for (std::size_t b = a; b < 3; ++b)
                        CHECK(std::abs(tidal[6 * i + t++] - differences[i][3 * a + b]) <
                              limit * scale);
            }
        }
    }
}

void check_field_of_softened_targets(const Machine& machine)
{
    const Particles p = moving_plummer(700);
    const Vectors points = points_about(p, 60, 0.5);
    std::vector<double> of_points(points.size(), 0.8);
    const double G = options_of(machine, setups[0], 0).gravitational_constant;
    const auto plain = [&](const Vec3<double>& x, double eps, const Softening& softening) {
        Vec3<double> a;
        for (std::size_t j = 0; j < p.size(); ++j) {
            const Vec3<double> r = p.position[j] - x;
            a += (G * p.mass[j] * pull(norm(r), 0, eps, softening).force / norm(r)) * r;
        }
        return a;
    };
    for (const Setup& setup : setups)
        for (const SofteningForm& form : softening_forms) {
            CAPTURE(setup.name);
            CAPTURE(form.name);
            SolverOptions options = options_of(machine, setup, 0);
            options.softening.kind = form.kind;
            options.tolerance = 1e-6;
            options.softening.per_particle = true;
            const auto field = make_field_solver(options);
            FieldSources sources = sources_of(p);
            const std::vector<double> none(p.size());
            sources.softening = view_of(std::span(none));
            field->build(sources);
            Vectors acceleration(points.size());
            std::vector<double> tidal(6 * points.size());
            const FieldTargets targets{
                points.size(), view_of(std::span(points)), {}, {}, view_of(std::span(of_points))};
            field->evaluate(targets, {.acceleration = view_of(std::span(acceleration)),
                                      .tidal = tensors(tidal)});
            for (std::size_t k = 0; k < points.size(); ++k) {
                const double eps = of_points[k], step = 1e-5;
                const Vec3<double> right = plain(points[k], eps, options.softening),
                                   side{step, 0, 0},
                                   slope = (0.5 / step) *
                                           (plain(points[k] + side, eps, options.softening) -
                                            plain(points[k] - side, eps, options.softening));
                CHECK(norm(acceleration[k] - right) < 1e-4 * norm(right));
                CHECK(std::abs(tidal[6 * k] - slope.x) < 1e-4 * norm(slope));
            }
            of_points[3] = -1;
            CHECK_THROWS_WITH_AS(field->evaluate(targets, {.tidal = tensors(tidal)}),
                                 "target 3: softening length: -1.000000: must be 0 or more", Error);
            of_points[3] = 0.8;
        }
}

void check_field_of_own_softenings(const Machine& machine)
{
    Particles p = moving_plummer(700);
    p.position[5] = p.position[6]; // the first without softening
    std::vector<double> of_sources;
    for (std::size_t i = 0; i < p.size(); ++i)
        of_sources.push_back(i % 40 == 5 ? 0 : i % 3 ? 0.02 : 0.2);
    Vectors points = points_about(p, 40, 0.5);
    points[0] = p.position[5];
    points[1] = p.position[9];
    Vectors speeds(points.size(), {0.1, -0.2, 0.3});
    std::vector<std::int64_t> self(points.size(), -1);
    self[1] = 9;
    std::vector<double> of_points;
    for (std::size_t i = 0; i < points.size(); ++i)
        of_points.push_back(i % 2 ? 0.05 : 0);
    for (const Setup& setup : setups)
        for (const SofteningRule rule : {SofteningRule::larger, SofteningRule::root_of_squares}) {
            CAPTURE(setup.name);
            CAPTURE(int(rule));
            SolverOptions options = options_of(machine, setup, 0);
            options.softening.rule = rule;
            options.softening.per_particle = true;
            const auto field = make_field_solver(options);
            const auto build = [&](std::vector<double>& lengths) {
                FieldSources sources = sources_of(p);
                sources.softening = view_of(std::span(lengths));
                field->build(sources);
            };
            const double limit = setup.precision == single ? 1e-4 : 1e-11;
            std::vector<double> tidal(6 * p.size());
            Vectors jerk(p.size());
            const ArrayView six = tensors(tidal);
            const FieldResults results{.tidal = six, .jerk = view_of(std::span(jerk))};
            const auto check = [&](std::size_t k, const Point& right) {
                CAPTURE(k);
                CHECK(norm(jerk[k] - right.jerk) < limit * norm(right.jerk));
                double scale = 0;
                for (const double t : right.tidal)
                    scale = std::max(scale, std::abs(t));
                for (std::size_t c = 0; c < 6; ++c)
                    CHECK(std::abs(tidal[6 * k + c] - right.tidal[c]) < limit * scale);
            };
            const auto of_pair = [&](double a, double b) {
                return rule == SofteningRule::larger ? std::max(a, b) : std::hypot(a, b);
            };
            build(of_sources);
            field->evaluate({points.size(), view_of(std::span(points)), view_of(std::span(speeds)),
                             self, view_of(std::span(of_points))},
                            results);
            for (std::size_t k = 0; k < points.size(); ++k)
                check(k, plain_field_by_pair(p, points[k], speeds[k], self[k], [&](std::size_t j) {
                          return of_pair(of_points[k], of_sources[j]);
                      }));
            const std::vector<Index> active{9, 5, 60};
            field->evaluate_sources(active, results);
            for (std::size_t k = 0; k < active.size(); ++k) {
                const std::size_t i = active[k];
                check(k, plain_field_by_pair(
                             p, p.position[i], p.velocity[i], std::int64_t(i),
                             [&](std::size_t j) { return of_pair(of_sources[i], of_sources[j]); }));
            }
            // Equal lengths act like a single length. Points have no softening.
            std::vector<double> alike(p.size(), 0.07);
            build(alike);
            field->evaluate({points.size(), view_of(std::span(points)), view_of(std::span(speeds))},
                            results);
            for (std::size_t k = 0; k < points.size(); ++k)
                check(k, plain_field(p, points[k], speeds[k], of_pair(0, 0.07), -1, 2));
            Vectors a(p.size());
            field->evaluate_sources({}, {view_of(std::span(a))});
            for (std::size_t k = 0; k < p.size(); k += 50) {
                const Vec3<double> right =
                    plain_field(p, p.position[k], {}, of_pair(0.07, 0.07), std::int64_t(k), 2)
                        .acceleration;
                CHECK(norm(a[k] - right) < setup.largest * norm(right));
            }
        }
}

void check_field_of_places(const Machine& machine)
{
    // Without softening, sources exactly at a target's position exert no force, with or without
    // self.
    Particles p = moving_plummer(300);
    p.position[5] = p.position[6];
    Vectors points{p.position[6], p.position[9], {0.1, 0.2, 0.3}, p.position[5]}, speeds(4);
    const std::vector<std::int64_t> self{-1, 9, -1, 5};
    for (const Setup& setup : setups) {
        CAPTURE(setup.name);
        const auto field = make_field_solver(options_of(machine, setup, 0));
        field->build(sources_of(p));
        auto [tidal, jerk] = felt_at(*field, points, speeds, self);
        const double limit = setup.precision == single ? 1e-4 : 1e-11;
        for (std::size_t i = 0; i < points.size(); ++i) {
            const Point right = plain_field(p, points[i], speeds[i], 0, self[i], 2);
            CHECK(norm(jerk[i] - right.jerk) < limit * norm(right.jerk));
            CHECK(std::abs(tidal[6 * i] - right.tidal[0]) <
                  limit * (std::abs(right.tidal[0]) + std::abs(right.tidal[3])));
        }
        CHECK_THROWS_WITH_AS(field->evaluate_sources({}, {.tidal = tensors(tidal)}),
                             doctest::Contains("coincident"), Error);
    }
}

} // namespace chamomile::tests
