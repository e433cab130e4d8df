// Gradients in a periodic cube.
#include <doctest/doctest.h>
#include <omp.h>

#include "chamomile/force/mesh/ewald.hpp"
#include "tests/unit/adjoint_setups.hpp"
#include "tests/unit/error_line.hpp"
#include "tests/unit/periodic_sets.hpp"

using namespace chamomile;
using namespace chamomile::tests;

namespace {

constexpr double side = 4;

SolverOptions in_box(const Softened& softened, SolverKind solver, Precision precision)
{
    SolverOptions options = options_of(softened, solver, precision);
    options.box = side;
    options.local_order = 0;
    return options;
}

double ewald_loss(const Particles& p, const Loss& loss)
{
    double sum = 0;
    for (std::size_t i = 0; i < p.size(); ++i)
        for (std::size_t j = 0; j < p.size(); ++j) {
            const EwaldField pair = ewald_field(p.position[i] - p.position[j], side);
            if (i != j)
                sum += 2 * p.mass[j] * dot(loss.lambda[i], pair.acceleration);
            sum += 2 * p.mass[j] * loss.mu[i] * pair.potential;
        }
    return sum;
}

} // namespace

TEST_SUITE_BEGIN("periodic_adjoint");

TEST_CASE("gradients of direct sums in a box match differences of these sums and of Ewald's")
{
    for (const Softened& softened : softenings) {
        CAPTURE(softened.name);
        const Particles p = mixed(scaled(uniform_cube(24, 6), side), softened);
        const SolverOptions options =
            in_box(softened, SolverKind::direct, Precision::single_precision);
        const DifferenceErrors errors(options, p, 1e-4);
        MESSAGE(std::string(softened.name)
                << ": direct: " << errors.position << ", " << errors.mass);
        CHECK(errors.position < (softened.kind == SofteningKind::spline ? 1e-5 : 1e-7));
        CHECK(errors.mass < 1e-9);
        if (softened.length > 0)
            continue;
        const DifferenceErrors of_ewald(options, p, 1e-4, ewald_loss);
        MESSAGE("Ewald: " << of_ewald.position << ", " << of_ewald.mass);
        CHECK(of_ewald.position < 1e-7);
        CHECK(of_ewald.mass < 1e-9);
    }
}

TEST_CASE("gradients by pairs with a mesh or modes match differences of these sums")
{
    for (const LongRangeKind kind : {LongRangeKind::mesh, LongRangeKind::modes})
        for (const Softened& softened : softenings) {
            CAPTURE(softened.name);
            CAPTURE(int(kind));
            const Particles p = mixed(scaled(uniform_cube(24), side), softened);
            SolverOptions options = in_box(softened, SolverKind::tree, Precision::double_precision);
            options.periodic.long_range = kind;
            options.tolerance = 1e-12; // opens all cells
            const DifferenceErrors errors(options, p, 1e-5);
            MESSAGE(std::string(softened.name)
                    << ": " << int(kind) << ": " << errors.position << ", " << errors.mass);
            CHECK(errors.position < 1e-6);
            CHECK(errors.mass < 1e-8);
        }
}

TEST_CASE("gradients by the tree in a box have the errors of its forces")
{
    struct Setup {
        double tolerance;
        int order;
        double median, percentile_99, of_mass; ///< limits
    };
    // The mesh has 3e-4 of the median and, in a random set, 2e-4 of the masses' 99 %.
    constexpr Setup setups[] = {
        {1e-3, 2, 5e-4, 2e-3, 3e-3}, {1e-3, 0, 5e-4, 4e-3, 6e-3}, {1e-5, 2, 5e-4, 1.5e-3, 3e-4}};
    for (const PeriodicSet& set : periodic_sets(10000))
        for (const Softened& softened : {softenings[1], softenings[2], softenings[4]}) {
            if (set.name != "random" && set.name != "clumps")
                continue;
            CAPTURE(set.name);
            CAPTURE(softened.name);
            Softened narrow = softened;
            narrow.length *= 0.1;
            const Particles p = mixed(scaled(set.particles, side), narrow);
            const Loss loss(p.size());
            const Gradient exact(in_box(narrow, SolverKind::direct, Precision::double_precision), p,
                                 loss);
            for (const Setup& setup : setups) {
                CAPTURE(setup.tolerance);
                CAPTURE(setup.order);
                SolverOptions options =
                    in_box(narrow, SolverKind::tree, Precision::single_precision);
                options.tolerance = setup.tolerance;
                options.order = setup.order;
                const GradientErrors errors(Gradient(options, p, loss), exact);
                CHECK(GradientErrors::at(errors.position, 50) < setup.median);
                CHECK(GradientErrors::at(errors.position, 99) < setup.percentile_99);
                CHECK(GradientErrors::at(errors.mass, 99) < setup.of_mass);
            }
        }
}

TEST_CASE("gradients by cells in a box converge as their moments say")
{
    // Two clumps of radius s, 4.5 r_s apart across a face, see each other as cells. Dual moments to
    // degree 3 leave errors of order s^3, of order 2 and less if a derivative of the law is wrong.
    const auto error_of = [](const Softened& softened, int order, double s) {
        Particles p = cloud(60, 11, [&](Random& random) {
            return Vec3<double>{0.3, 1.1, 2} + on_sphere(random, s * std::cbrt(random()));
        });
        for (std::size_t i = 0; i < p.size(); i += 2)
            p.position[i] = Periodicity{side}.wrapped(p.position[i] - Vec3<double>{0.9, 0.8, 0.7});
        p = mixed(p, softened);
        const Loss loss(p.size());
        SolverOptions options = in_box(softened, SolverKind::tree, Precision::double_precision);
        options.periodic.mesh = 16;
        options.order = order;
        options.tolerance = 1e-12;
        const Gradient by_pairs(options, p, loss);
        options.criterion = Criterion::geometric;
        options.theta = 1;
        const Gradient by_cells(options, p, loss);
        CHECK(by_cells.statistics.particle_cell > 0);
        double error = 0;
        for (std::size_t i = 0; i < p.size(); ++i)
            error = std::max({error, norm(by_cells.position[i] - by_pairs.position[i]),
                              std::abs(by_cells.mass[i] - by_pairs.mass[i])});
        return error;
    };
    for (const Softened& softened : {softenings[0], softenings[1]}) {
        CAPTURE(softened.name);
        const double factor = error_of(softened, 2, 0.04) / error_of(softened, 2, 0.01),
                     of_order_0 = error_of(softened, 0, 0.04) / error_of(softened, 0, 0.01);
        MESSAGE(std::string(softened.name) << ": " << factor << ", order 0: " << of_order_0);
        CHECK(factor > 40);
        CHECK(of_order_0 > 10);
    }
}

TEST_CASE("gradients in a box for any number of particles, threads and instruction sets")
{
    const Softened& softened = softenings[3];
    for (const std::size_t n : {1, 2, 17, 3001}) {
        CAPTURE(n);
        const Particles p = mixed(scaled(uniform_cube(n), side), softened);
        const Loss loss(n);
        SolverOptions options = in_box(softened, SolverKind::tree, Precision::double_precision);
        const Gradient in_double(options, p, loss);
        options.precision = Precision::single_precision;
        for (const Machine& machine : every_set()) {
            options.instruction_set = machine.instruction_set;
            const Gradient found(options, p, loss);
            const GradientErrors errors(found, in_double);
            CHECK(GradientErrors::at(errors.position, 98) < 5e-4);
            CHECK(GradientErrors::at(errors.mass, 98) < 5e-5);
            const int threads = omp_get_max_threads();
            omp_set_num_threads(threads == 3 ? 2 : 3);
            CHECK(Gradient(options, p, loss) == found);
            omp_set_num_threads(threads);
        }
    }
}

TEST_CASE("gradients in a box do not depend on the size of groups")
{
    const Particles p = mixed(scaled(uniform_cube(700), 0.1 * side), softenings[1]);
    const Loss loss(p.size());
    SolverOptions options = in_box(softenings[1], SolverKind::tree, Precision::double_precision);
    options.tolerance = 1e-12; // opens all cells
    options.group_size = 16;
    const Gradient small(options, p, loss);
    options.group_size = 600; // in a part of the box: many tiles of own pairs
    const GradientErrors errors(Gradient(options, p, loss), small);
    CHECK(GradientErrors::at(errors.position, 100) < 1e-10);
    CHECK(GradientErrors::at(errors.mass, 100) < 1e-10);
}

TEST_CASE("gradients of close and coincident particles in a box, and after forces")
{
    Particles p = mixed(scaled(uniform_cube(1000), side), softenings[0]);
    p.position[7] = p.position[9] + Vec3<double>{1e-9, 0, 0};
    const Loss loss(p.size());
    SolverOptions options = in_box(softenings[0], SolverKind::tree, Precision::single_precision);
    const auto field = Gradient::built(options, p);
    const Gradient found(*field, p.size(), loss);
    options.solver = SolverKind::direct;
    CHECK(std::abs(found.position[7].x / Gradient(options, p, loss).position[7].x - 1) < 1e-5);
    options.solver = SolverKind::tree;
    std::vector<Vec3<double>> a(p.size()), again(p.size());
    field->evaluate_sources({}, {view_of(std::span(a))});
    Gradient::built(options, p)->evaluate_sources({}, {view_of(std::span(again))});
    CHECK(a == again);
    CHECK(Gradient(*field, p.size(), loss) == found);
    p.position[7] = p.position[9];
    for (const SolverKind solver : {SolverKind::tree, SolverKind::direct}) {
        options.solver = solver;
        options.softening.length = 0;
        CHECK(error_line([&] { Gradient(options, p, loss); }, Fault::input).find("same position") !=
              std::string::npos);
        options.softening.length = 0.01;
        CHECK(std::isfinite(Gradient(options, p, loss).position[7].x));
    }
}

TEST_SUITE_END();
