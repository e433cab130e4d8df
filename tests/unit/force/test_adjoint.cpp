// Gradients of losses of accelerations and potentials.
#include <doctest/doctest.h>
#include <omp.h>

#include "tests/unit/adjoint_setups.hpp"
#include "tests/unit/error_line.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("adjoint");

TEST_CASE("gradients of direct sums match finite differences")
{
    for (const Softened& softened : softenings) {
        CAPTURE(softened.name);
        const Particles p = mixed(40, softened);
        const DifferenceErrors errors(
            options_of(softened, SolverKind::direct, Precision::double_precision), p, 1e-4);
        // The spline's force has jumps in a higher derivative.
        CHECK(errors.position < (softened.kind == SofteningKind::spline ? 1e-5 : 1e-7));
        CHECK(errors.mass < 1e-9);
    }
}

TEST_CASE("gradients by the tree have the errors of its forces")
{
    struct Setup {
        double tolerance;
        int order, local_order;
        double median, percentile_99, of_mass; ///< limits
    };
    constexpr Setup setups[] = {{1e-3, 2, 6, 1e-3, 2e-2, 2e-2},
                                {1e-3, 2, 0, 1e-3, 2e-2, 2e-2},
                                {1e-3, 0, 3, 2e-3, 4e-2, 5e-2},
                                {1e-4, 3, 5, 1.5e-4, 3e-3, 5e-3},
                                {1e-5, 4, 4, 4e-5, 6e-4, 1e-3}};
    for (const Softened& softened : softenings) {
        CAPTURE(softened.name);
        const Particles p = mixed(5000, softened);
        const Loss loss(p.size());
        const Gradient exact(options_of(softened, SolverKind::direct, Precision::double_precision),
                             p, loss);
        for (const Setup& setup : setups) {
            CAPTURE(setup.tolerance);
            CAPTURE(setup.order);
            SolverOptions options =
                options_of(softened, SolverKind::tree, Precision::single_precision);
            options.tolerance = setup.tolerance;
            options.order = setup.order;
            options.local_order = setup.local_order;
            const GradientErrors errors(Gradient(options, p, loss), exact);
            CHECK(GradientErrors::at(errors.position, 50) < setup.median);
            CHECK(GradientErrors::at(errors.position, 99) < setup.percentile_99);
            CHECK(GradientErrors::at(errors.mass, 99) < setup.of_mass);
        }
    }
}

TEST_CASE("other criteria, and losses of a few particles, have gradients as accurate")
{
    const Softened& softened = softenings[1];
    const Particles p = mixed(5000, softened);
    Loss few(p.size());
    for (std::size_t i = 0; i < p.size(); ++i)
        if (i % 600 != 1) { // massless ones and others
            few.lambda[i] = {};
            few.mu[i] = 0;
        }
    for (const Criterion kind :
         {Criterion::moments, Criterion::geometric, Criterion::minimum_distance})
        for (const Loss& loss : {Loss(p.size()), few}) {
            SolverOptions options =
                options_of(softened, SolverKind::direct, Precision::double_precision);
            const Gradient exact(options, p, loss);
            options.solver = SolverKind::tree;
            options.criterion = kind;
            options.tolerance = 1e-4;
            options.theta = 0.4;
            const GradientErrors errors(Gradient(options, p, loss), exact);
            CAPTURE(int(kind));
            CHECK(GradientErrors::at(errors.position, 50) < 1e-3);
            CHECK(GradientErrors::at(errors.position, 99) < 1e-2);
            CHECK(GradientErrors::at(errors.mass, 99) < 2e-2);
        }
}

TEST_CASE("gradients of any number of particles, on any number of threads and instruction set")
{
    const Softened& softened = softenings[3];
    for (const std::size_t n : {1, 2, 3, 17, 130, 3001}) {
        CAPTURE(n);
        const Particles p = mixed(n, softened);
        Loss loss(n);
        SolverOptions options =
            options_of(softened, SolverKind::direct, Precision::double_precision);
        const Gradient exact(options, p, loss);
        options.solver = SolverKind::tree;
        options.tolerance = 1e-4;
        for (const Machine& machine : every_set()) {
            options.instruction_set = machine.instruction_set;
            options.precision = Precision::single_precision;
            const Gradient found(options, p, loss);
            if (n == 1)
                CHECK(norm_squared(found.position[0]) + std::abs(found.mass[0]) == 0);
            else
                CHECK(GradientErrors::at(GradientErrors(found, exact).position, 98) < 5e-3);
            const int threads = omp_get_max_threads();
            omp_set_num_threads(threads == 3 ? 2 : 3);
            CHECK(Gradient(options, p, loss) == found);
            omp_set_num_threads(threads);
        }
    }
}

TEST_CASE("gradients are linear in lambda and mu, and scale with units")
{
    const Softened& softened = softenings[2];
    Particles p = mixed(3000, softened);
    Loss loss(p.size()), of_forces = loss, of_potentials = loss;
    for (double& mu : of_forces.mu)
        mu = 0;
    for (Vec3<double>& lambda : of_potentials.lambda)
        lambda = {};
    for (const SolverKind solver : {SolverKind::tree, SolverKind::direct}) {
        SolverOptions options = options_of(softened, solver, Precision::double_precision);
        const Gradient both(options, p, loss), forces(options, p, of_forces),
            potentials(options, p, of_potentials);
        double error = 0, largest = 0;
        for (std::size_t i = 0; i < p.size(); ++i) {
            const Vec3<double> sum = forces.position[i] + potentials.position[i];
            error = std::max(error, norm_squared(sum - both.position[i]));
            largest = std::max(largest, norm_squared(sum));
        }
        // In trees, different cells are opened.
        CHECK(std::sqrt(error / largest) < (solver == SolverKind::tree ? 2e-3 : 1e-12));
        options.precision = Precision::single_precision;
        const Gradient found(options, p, loss);
        const double length = 0x1p70, mass = 0x1p-90; // L: of accelerations times 0x1p20
        Particles large = p;
        Loss scaled = loss;
        for (std::size_t i = 0; i < p.size(); ++i) {
            large.position[i] = length * p.position[i];
            large.mass[i] = mass * p.mass[i];
            scaled.lambda[i] = 0x1p20 * loss.lambda[i];
            scaled.mu[i] = 0x1p20 / length * loss.mu[i];
        }
        options.softening.length *= length;
        const Gradient other(options, large, scaled);
        bool equal = true;
        for (std::size_t i = 0; i < p.size(); ++i)
            equal = equal &&
                    other.position[i] ==
                        (0x1p20 * mass / length / length / length) * found.position[i] &&
                    other.mass[i] == 0x1p20 / length / length * found.mass[i];
        CHECK(equal);
    }
}

TEST_CASE("gradients of close and coincident particles")
{
    Particles p = mixed(2000, softenings[0]);
    p.position[7] = p.position[9] + Vec3<double>{1e-15, 0, 0};
    const Loss loss(p.size());
    for (const SolverKind solver : {SolverKind::tree, SolverKind::direct}) {
        SolverOptions options = options_of(softenings[0], solver, Precision::single_precision);
        const Gradient found(options, p, loss);
        options.solver = SolverKind::direct;
        options.precision = Precision::double_precision;
        const Gradient exact(options, p, loss);
        CHECK(std::abs(found.position[7].x / exact.position[7].x - 1) < 1e-5);
        CHECK(std::isfinite(found.mass[9]));
    }
    p.position[7] = p.position[9];
    for (const SolverKind solver : {SolverKind::tree, SolverKind::direct}) {
        SolverOptions options = options_of(softenings[0], solver, Precision::single_precision);
        CHECK(error_line([&] { Gradient(options, p, loss); }, Fault::input)
                  .find("two at the same position") != std::string::npos);
        options.softening.length = 0.01;
        CHECK(std::isfinite(Gradient(options, p, loss).position[7].x));
    }
}

TEST_CASE("gradients follow a refit, and refuse what has none")
{
    Particles p = mixed(1500, softenings[1]);
    const Loss loss(p.size());
    SolverOptions options =
        options_of(softenings[1], SolverKind::tree, Precision::double_precision);
    options.tolerance = 1e-5;
    const auto field = Gradient::built(options, p);
    const Gradient before(*field, p.size(), loss); // from now on lists are kept
    const auto forces = [&](FieldSolver& solver, std::span<const Index> active) {
        std::vector<Vec3<double>> a(active.empty() ? p.size() : active.size());
        solver.evaluate_sources(active, {view_of(std::span(a))});
        return a;
    };
    const std::vector<Index> some{3, 700};
    for (int k = 0; k < 2; ++k) {
        CHECK(forces(*field, {}) == forces(*Gradient::built(options, p), {}));
        CHECK(Gradient(*field, p.size(), loss) == before);
        CHECK(forces(*field, some)[1] == forces(*Gradient::built(options, p), some)[1]);
    }
    CHECK(Gradient(*field, p.size(), loss).statistics.particle_cell ==
          before.statistics.particle_cell);
    Particles other = p;
    std::reverse(other.position.begin(), other.position.end());
    field->build(softened_sources(other));
    CHECK(Gradient(*field, p.size(), loss) == Gradient(options, other, loss));
    field->build(softened_sources(p));
    for (Vec3<double>& x : p.position)
        x = 1.01 * x;
    field->refit(softened_sources(p));
    const Gradient found(*field, p.size(), loss);
    options.solver = SolverKind::direct;
    CHECK(GradientErrors::at(GradientErrors(found, Gradient(options, p, loss)).position, 99) <
          1e-3);
    std::vector<double> mass(p.size()); // one result, and one loss
    const auto of_potentials = [&](FieldSolver& solver) {
        solver.evaluate_adjoint({.potential = view_of(std::span(loss.mu))},
                                {.mass = view_of(std::span(mass))});
    };
    of_potentials(*field);
    CHECK(std::abs(mass[3]) > 0);

    Loss bad = loss;
    bad.lambda[3].y = NAN;
    CHECK(error_line([&] { Gradient(*field, p.size(), bad); }, Fault::input)
              .find("cotangents: acceleration: row 3") != std::string::npos);
    CHECK(error_line([&] { field->evaluate_adjoint(loss.cotangents(), {}); }, Fault::usage)
              .find("gradients: none") != std::string::npos);
    CHECK(error_line([&] { of_potentials(*make_field_solver(options)); }, Fault::usage)
              .find("build()") != std::string::npos);
}

TEST_SUITE_END();
