// Gradients with a solver on a GPU, direct and by the tree. Skipped without a GPU.
#include <doctest/doctest.h>

#include "chamomile/core/profile.hpp"
#include "tests/unit/adjoint_setups.hpp"
#include "tests/unit/error_line.hpp"
#include "tests/unit/gpu/on_gpu.hpp"
#include "tests/unit/periodic_sets.hpp"

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

constexpr double side = 4;

SolverOptions in_box(const Softened& softened, SolverKind solver)
{
    SolverOptions options = tests::options_of(softened, solver, Precision::single_precision);
    options.device = "gpu";
    options.box = side;
    options.local_order = 0;
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

TEST_CASE("gradients in a box without lists on a GPU are those of the host")
{
    const std::size_t n = 3000;
    for (const Softened& softened : {softenings[1], softenings[3]}) {
        const Particles p = mixed(scaled(uniform_cube(n), side), softened);
        const Loss loss(n);
        SolverOptions options = // lengths of particles, or direct sums
            in_box(softened, softened.per_particle ? SolverKind::tree : SolverKind::direct);
        const auto field = Gradient::built(options, p);
        const Gradient found(*field, n, loss);
        CHECK(on_gpu(*field, loss, n).mass.size() == n);
        options.device = "cpu";
        CHECK(found == Gradient(options, p, loss));
    }
}

TEST_CASE("gradients in a box on a GPU with the host's lists are the host's")
{
    // By the geometric criterion both trust all cells; equal sizes make equal lists.
    for (const std::size_t n : {1, 2, 17, 9973, 100000})
        for (const PeriodicSet& set : periodic_sets(n))
            for (const Softened& softened : {softenings[0], softenings[1], softenings[2]})
                for (const LongRangeKind range : {LongRangeKind::mesh, LongRangeKind::modes}) {
                    if ((set.name != "random" && set.name != "clumps") ||
                        (n > 9973 && (range == LongRangeKind::modes || softened.length == 0)))
                        continue;
                    CAPTURE(n);
                    CAPTURE(set.name);
                    CAPTURE(softened.name);
                    CAPTURE(int(range));
                    Softened narrow = softened;
                    narrow.length *= 0.1;
                    const Particles p = mixed(scaled(set.particles, side), narrow);
                    const Loss loss(n);
                    SolverOptions options = in_box(narrow, SolverKind::tree);
                    options.periodic.long_range = range;
                    options.criterion = Criterion::geometric;
                    options.group_size = 200;
                    options.cluster_size = 8;
                    options.leaf_size = 24;
                    options.precision = Precision::double_precision;
                    options.device = "cpu";
                    const Gradient host(options, p, loss);
                    options.device = "gpu";
                    const Gradient there(options, p, loss);
                    CHECK(there.statistics.device_busy > 0);
                    CHECK(there.statistics.particle_cell == host.statistics.particle_cell);
                    CHECK((n < 9973 || host.statistics.particle_cell > 0));
                    const GradientErrors errors(there, host);
                    CHECK(GradientErrors::at(errors.mass, 100) < 1e-10);
                    if (n == 1) // its images do not pull it
                        continue;
                    CHECK(GradientErrors::at(errors.position, 100) < 1e-9);
                    options.precision = Precision::single_precision;
                    const GradientErrors in_float(Gradient(options, p, loss), host);
                    options.device = "cpu"; // with a mesh of doubles
                    const GradientErrors on_host(Gradient(options, p, loss), host);
                    MESSAGE(n << " " << set.name << " " << std::string(softened.name) << " "
                              << int(range) << ": in double "
                              << GradientErrors::at(errors.position, 100) << " "
                              << GradientErrors::at(errors.mass, 100));
                    for (const double percent : {50.0, 98.0}) {
                        const double position = GradientErrors::at(in_float.position, percent),
                                     mass = GradientErrors::at(in_float.mass, percent),
                                     here = GradientErrors::at(on_host.position, percent),
                                     mass_here = GradientErrors::at(on_host.mass, percent);
                        MESSAGE("in float, " << percent << " %: " << position << " " << mass
                                             << ", on the host " << here << " " << mass_here);
                        CHECK(position < 4 * here + 5e-5);
                        CHECK(mass < 4 * mass_here + 1e-5);
                    }
                }
}

TEST_CASE("gradients in a box on a GPU have the errors of the host's tree")
{
    for (const double tolerance : {1e-3, 1e-5}) {
        CAPTURE(tolerance);
        Softened narrow = softenings[1];
        narrow.length *= 0.1;
        const Particles p = mixed(scaled(periodic_sets(10000)[1].particles, side), narrow);
        const Loss loss(p.size());
        SolverOptions options = in_box(narrow, SolverKind::direct);
        const Gradient exact(options, p, loss);
        options.solver = SolverKind::tree;
        options.tolerance = tolerance;
        const GradientErrors there(Gradient(options, p, loss), exact);
        options.device = "cpu";
        const GradientErrors here(Gradient(options, p, loss), exact);
        for (const double percent : {50.0, 90.0, 99.0}) {
            CHECK(GradientErrors::at(there.position, percent) <
                  1.5 * GradientErrors::at(here.position, percent) + 3e-6);
            CHECK(GradientErrors::at(there.mass, percent) <
                  1.5 * GradientErrors::at(here.mass, percent) + 3e-6);
        }
    }
}

TEST_CASE("gradients in a box on a GPU have equal bits, with arrays anywhere and beside fields")
{
    const std::size_t n = 20000;
    Softened narrow = softenings[1];
    narrow.length *= 0.1;
    const Particles p = mixed(scaled(periodic_sets(n)[1].particles, side), narrow);
    const Loss loss(n);
    const FieldCotangents both = loss.cotangents();
    for (const LongRangeKind range : {LongRangeKind::mesh, LongRangeKind::modes}) {
        CAPTURE(int(range));
        SolverOptions options = in_box(narrow, SolverKind::tree);
        options.periodic.long_range = range;
        options.criterion = Criterion::geometric; // equal lists for any loss
        const auto field = Gradient::built(options, p);
        const auto sums_of = [&](FieldSolver& of) {
            std::pair<std::vector<Vec3<double>>, std::vector<double>> sums{n, n};
            of.evaluate_sources({},
                                {view_of(std::span(sums.first)), view_of(std::span(sums.second))});
            return sums;
        };
        const Gradient host(*field, n, loss);
        CHECK(sums_of(*field) == sums_of(*Gradient::built(options, p))); // the meshes are kept
        CHECK(Gradient(*field, n, loss) == host);
        const GradientErrors errors(on_gpu(*field, loss, n), host);
        CHECK(GradientErrors::at(errors.position, 100) < 1e-6);
        CHECK(GradientErrors::at(errors.mass, 100) < 1e-6);

        Gradient parts = host, more = host; // a gradient is linear in the loss
        field->evaluate_adjoint({both.acceleration, {}}, {view_of(std::span(parts.position)),
                                                          view_of(std::span(parts.mass))});
        field->evaluate_adjoint({{}, both.potential}, {view_of(std::span(more.position)), {}});
        field->evaluate_adjoint({{}, both.potential}, {{}, view_of(std::span(more.mass))});
        for (std::size_t i = 0; i < n; ++i) {
            parts.position[i] += more.position[i];
            parts.mass[i] += more.mass[i];
        }
        const GradientErrors of_parts(parts, host);
        CHECK(GradientErrors::at(of_parts.position, 98) < 1e-4);
        CHECK(GradientErrors::at(of_parts.mass, 98) < 1e-4);
        const std::vector<Index> some{3, 700};
        std::vector<Vec3<double>> of_some(2);
        field->evaluate_adjoint(both, {view_of(std::span(of_some)), {}, some});
        CHECK(of_some[1] == host.position[700]);
        if (range == LongRangeKind::modes)
            continue;
        Loss large = loss; // units
        for (std::size_t i = 0; i < n; ++i) {
            large.lambda[i] = 0x1p90 * loss.lambda[i];
            large.mu[i] = 0x1p90 * loss.mu[i];
        }
        CHECK(Gradient(*field, n, large).position[7] == 0x1p90 * host.position[7]);
    }
}

TEST_CASE(
    "gradients of 1e6 particles in a box take some milliseconds, less than forces to the host")
{
    const std::size_t n = 1000000;
    if (free_gpu_memory(0) < 4000.0 * double(n))
        return;
    for (const std::size_t set : {0, 1}) {
        const PeriodicSet of = periodic_sets(n)[set];
        SolverOptions options = options_of("gpu", SolverKind::tree, Precision::single_precision);
        options.softening.length = 1e-4;
        options.box = 1;
        const auto field = Gradient::built(options, of.particles);
        const Loss loss(n);
        OnGpu lambda(view_of(std::span(loss.lambda)), n), of_position(n, 3), of_mass(n, 1);
        std::vector<Vec3<double>> acceleration(n);
        double force = 1e9, gradient = 1e9;
        ForceStatistics forward, backward;
        for (int run = 0; run < 8; ++run) {
            const double start = wall_clock_seconds();
            forward = field->evaluate_sources({}, {view_of(std::span(acceleration))});
            const double middle = wall_clock_seconds();
            backward = field->evaluate_adjoint({lambda.view}, {of_position.view, of_mass.view});
            force = std::min(force, middle - start);
            gradient = std::min(gradient, wall_clock_seconds() - middle);
        }
        MESSAGE(n << " particles in a box, " << of.name << ": force " << 1e3 * force
                  << " ms (kernels " << 1e3 * forward.device_busy << "), gradient "
                  << 1e3 * gradient << " ms (kernels of lists " << 1e3 * backward.device_busy
                  << "), " << gradient / force << " times the force");
        for (const auto& [name, seconds] : backward.profile.phases())
            MESSAGE(name << " " << 1e3 * seconds << " ms");
        CHECK(gradient < force);
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
