// Gradients with a solver on a GPU, direct and by the tree. Skipped without a GPU.
#include <doctest/doctest.h>

#include "chamomile/core/profile.hpp"
#include "tests/unit/adjoint_setups.hpp"
#include "tests/unit/error_line.hpp"
#include "tests/unit/gpu/on_gpu.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("gpu_adjoint");

namespace {

SolverOptions options_of(const char* device, SolverKind solver, Precision precision)
{
    SolverOptions options;
    options.device = device;
    options.solver = solver;
    options.precision = precision;
    options.gravitational_constant = 2;
    options.softening = {SofteningKind::plummer, 0.05};
    return options;
}

/// Every third particle is massless, and so are all in a cloud far away.
Particles with_massless(std::size_t n)
{
    Particles p = plummer(n);
    for (std::size_t i = 0; i < n; ++i) {
        p.mass[i] *= i % 3 == 1 ? 0 : 1;
        if (i % 10 == 4) {
            p.mass[i] = 0;
            p.position[i].x += 3;
        }
    }
    return p;
}

/// A gradient with all arrays on the GPU.
Gradient on_gpu(FieldSolver& field, const Loss& loss, std::size_t n)
{
    OnGpu lambda(view_of(std::span(loss.lambda)), n), mu(view_of(std::span(loss.mu)), n),
        position(n, 3), mass(n, 1);
    Gradient found(field, n, loss); // from the host, for the sizes
    found.statistics = field.evaluate_adjoint({lambda.view, mu.view}, {position.view, mass.view});
    const std::vector<double> x = position.rows(n);
    for (std::size_t i = 0; i < n; ++i)
        found.position[i] = {x[3 * i], x[3 * i + 1], x[3 * i + 2]};
    found.mass = mass.rows(n);
    return found;
}

void check_errors(const Gradient& found, const Gradient& exact, double median, double max)
{
    const GradientErrors errors(found, exact);
    CHECK(GradientErrors::at(errors.position, 50) < median);
    CHECK(GradientErrors::at(errors.position, 99) < max);
    CHECK(GradientErrors::at(errors.mass, 99) < max);
}

} // namespace

TEST_CASE("gradients of direct sums on a GPU are those of the host")
{
    for (const bool per_particle : {false, true}) {
        Particles p = with_massless(4000);
        for (std::size_t i = 0; i < p.size() && per_particle; ++i)
            p.softening.push_back(i % 2 ? 0.02 : 0.1);
        const Loss loss(p.size());
        for (const SofteningKind kind : {SofteningKind::plummer, SofteningKind::spline}) {
            SolverOptions options =
                options_of("cpu", SolverKind::direct, Precision::double_precision);
            options.softening = {kind, 0.05, SofteningRule::larger, per_particle};
            const Gradient exact(options, p, loss);
            options.device = "gpu";
            CHECK(GradientErrors::at(GradientErrors(Gradient(options, p, loss), exact).position,
                                     100) < 1e-11);
            options.precision = Precision::single_precision;
            CHECK(GradientErrors::at(GradientErrors(Gradient(options, p, loss), exact).position,
                                     99) < 1e-5);
        }
    }
}

TEST_CASE("gradients by the tree on a GPU have the errors of the host's tree")
{
    struct Setup {
        double tolerance;
        int local_order;
        double median, percentile_99;
    };
    constexpr Setup setups[] = {
        {1e-3, 6, 1e-3, 2e-2}, {1e-3, 0, 1e-3, 2e-2}, {1e-5, 6, 1e-4, 2e-3}};
    for (const std::size_t n : {1, 2, 31, 1000, 20000}) {
        CAPTURE(n);
        const Particles p = with_massless(n);
        const Loss loss(n);
        for (const SofteningKind kind : {SofteningKind::plummer, SofteningKind::spline})
            for (const double length : {0.0, 0.05}) {
                SolverOptions options =
                    options_of("gpu", SolverKind::direct, Precision::double_precision);
                options.softening = {kind, length};
                CAPTURE(int(kind));
                CAPTURE(length);
                const Gradient exact(options, p, loss);
                options.solver = SolverKind::tree;
                for (const Setup& setup : setups)
                    for (const Precision precision :
                         {Precision::single_precision, Precision::double_precision}) {
                        CAPTURE(setup.tolerance);
                        CAPTURE(setup.local_order);
                        CAPTURE(int(precision));
                        options.device = "gpu";
                        options.precision = precision;
                        options.tolerance = setup.tolerance;
                        options.local_order = setup.local_order;
                        const auto field = Gradient::built(options, p);
                        const Gradient found = on_gpu(*field, loss, n);
                        if (n < 31) {
                            CHECK(std::isfinite(found.position[0].x + found.mass[0]));
                            continue;
                        }
                        check_errors(found, exact, setup.median, setup.percentile_99);
                        options.device = "cpu";
                        const GradientErrors here(Gradient(options, p, loss), exact),
                            there(found, exact);
                        for (const double percent : {50.0, 90.0, 99.0})
                            CHECK(GradientErrors::at(there.position, percent) <
                                  1.5 * GradientErrors::at(here.position, percent) + 3e-6);
                    }
            }
    }
}

TEST_CASE("gradients on a GPU have equal bits, with arrays anywhere and after other evaluations")
{
    const std::size_t n = 30000;
    Particles p = with_massless(n);
    const Loss loss(n);
    const SolverOptions options = options_of("gpu", SolverKind::tree, Precision::single_precision);
    const auto field = Gradient::built(options, p);
    const auto forces = [&] {
        std::vector<Vec3<double>> a(n);
        field->evaluate_sources({}, {view_of(std::span(a))});
        return a;
    };
    const std::vector<Vec3<double>> before = forces();
    const Gradient host(*field, n, loss);
    CHECK(forces() == before); // forces must not use the wider radii of the gradient
    CHECK(Gradient(*field, n, loss) == host);
    const Gradient there = on_gpu(*field, loss, n);
    double difference = 0;
    for (std::size_t i = 0; i < n; ++i) // to the host come floats
        difference = std::max({difference,
                               std::sqrt(norm_squared(there.position[i] - host.position[i]) /
                                         norm_squared(there.position[i])),
                               std::abs(there.mass[i] / host.mass[i] - 1)});
    CHECK(difference < 1e-6);
    std::vector<double> mass(n);
    field->evaluate_adjoint(loss.cotangents(), {{}, view_of(std::span(mass))});
    CHECK(std::abs(mass[n / 2] / host.mass[n / 2] - 1) < 1e-6);
    const std::vector<Index> some{3, 700};
    std::vector<Vec3<double>> of_some(2);
    field->evaluate_adjoint(loss.cotangents(), {view_of(std::span(of_some)), {}, some});
    CHECK(of_some[1] == host.position[700]);

    for (Vec3<double>& x : p.position)
        x = 1.001 * x;
    field->refit(softened_sources(p));
    const Gradient moved(*field, n, loss);
    SolverOptions exact = options;
    exact.solver = SolverKind::direct;
    exact.precision = Precision::double_precision;
    check_errors(moved, Gradient(exact, p, loss), 1e-3, 2e-2);

    Loss bad = loss;
    bad.lambda[3].y = NAN;
    CHECK(error_line([&] { on_gpu(*field, bad, n); }, Fault::input)
              .find("cotangents: acceleration: row 3") != std::string::npos);
    Loss large = loss; // units
    for (std::size_t i = 0; i < n; ++i) {
        large.lambda[i] = 0x1p90 * loss.lambda[i];
        large.mu[i] = 0x1p90 * loss.mu[i];
    }
    const Gradient scaled(*field, n, large);
    CHECK(scaled.position[7] == 0x1p90 * moved.position[7]);
}

TEST_CASE("gradients on a GPU of close and coincident particles")
{
    Particles p = with_massless(2000);
    p.position[6] = p.position[9] + Vec3<double>{1e-15, 0, 0};
    const Loss loss(p.size());
    SolverOptions options = options_of("gpu", SolverKind::tree, Precision::single_precision);
    options.softening.length = 0;
    SolverOptions exactly = options;
    exactly.solver = SolverKind::direct;
    exactly.precision = Precision::double_precision;
    const Gradient found(options, p, loss), exact(exactly, p, loss);
    CHECK(std::abs(found.position[6].x / exact.position[6].x - 1) < 1e-5);
    CHECK(std::isfinite(found.mass[9]));
    p.position[6] = p.position[9];
    CHECK(error_line([&] { Gradient(options, p, loss); }, Fault::input)
              .find("two at the same position") != std::string::npos);
}

TEST_CASE("laws and orders without gradients by the tree on a GPU take a tree on the host")
{
    Particles p = with_massless(3000);
    const Loss loss(p.size());
    SolverOptions options = options_of("gpu", SolverKind::tree, Precision::single_precision);
    options.tolerance = 1e-5;
    options.order = 3;
    const Gradient found(options, p, loss);
    options.device = "cpu";
    CHECK(found == Gradient(options, p, loss));
}

TEST_CASE("gradients in a box with a solver on a GPU are those of the host")
{
    const std::size_t n = 3000;
    const Particles p = moved(uniform_cube(n), 4, {-1, 0, 0});
    const Loss loss(n);
    for (const SolverKind solver : {SolverKind::tree, SolverKind::direct}) {
        SolverOptions options = options_of("gpu", solver, Precision::single_precision);
        options.box = 4;
        const auto field = Gradient::built(options, p);
        const Gradient found(*field, n, loss);
        CHECK(on_gpu(*field, loss, n).mass.size() == n);
        options.device = "cpu";
        CHECK(found == Gradient(options, p, loss));
    }
}

TEST_CASE("gradients of 1e6 and 4e6 particles take some milliseconds, with arrays on the GPU")
{
    for (const std::size_t n : {100000, 1000000, 4000000}) {
        if (free_gpu_memory(0) < 2000.0 * double(n))
            return;
        const Particles p = plummer(n);
        SolverOptions options = options_of("gpu", SolverKind::tree, Precision::single_precision);
        options.gravitational_constant = 1;
        options.softening.length = 0.001;
        options.tolerance = 0.015; // 90 % of the forces within 1.3e-3
        const auto field = make_field_solver(options);
        OnGpu position(view_of(std::span(p.position)), n), mass(view_of(std::span(p.mass)), n),
            acceleration(n, 3), of_position(n, 3), of_mass(n, 1);
        double force = 1e9, gradient = 1e9;
        ForceStatistics forward, backward;
        for (int run = 0; run < 8; ++run) { // the loss a^2 / 2
            const double start = wall_clock_seconds();
            field->build({n, position.view, mass.view});
            forward = field->evaluate_sources({}, {acceleration.view});
            const double middle = wall_clock_seconds();
            backward =
                field->evaluate_adjoint({acceleration.view}, {of_position.view, of_mass.view});
            force = std::min(force, middle - start);
            gradient = std::min(gradient, wall_clock_seconds() - start);
        }
        MESSAGE(n << " particles: tree and force " << 1e3 * force << " ms (kernels "
                  << 1e3 * forward.device_busy << "), with the gradient " << 1e3 * gradient
                  << " ms (kernels of it " << 1e3 * backward.device_busy << "), "
                  << gradient / force << " times the force");
        for (const auto& [name, seconds] : backward.profile.phases())
            MESSAGE(name << " " << 1e3 * seconds << " ms");
        CHECK(gradient < 3.5 * force);
        const std::vector<double> x = of_position.rows(n);
        CHECK(std::all_of(x.begin(), x.end(), [](double v) { return std::isfinite(v); }));
    }
}

TEST_SUITE_END();
