// Gradients of losses of accelerations and potentials.
#include <doctest/doctest.h>

#include <omp.h>

#include "tests/unit/adjoint_setups.hpp"
#include "tests/unit/error_line.hpp"

using namespace chamomile;
using namespace chamomile::tests;

namespace {

struct Softened {
    const char* name;
    SofteningKind kind;
    double length;
    bool per_particle = false;
    SofteningRule rule = SofteningRule::larger;
};

constexpr Softened softenings[] = {
    {"none", SofteningKind::plummer, 0},
    {"plummer", SofteningKind::plummer, 0.05},
    {"spline", SofteningKind::spline, 0.1},
    {"plummer, larger", SofteningKind::plummer, 0.05, true},
    {"plummer, root of squares", SofteningKind::plummer, 0.05, true,
     SofteningRule::root_of_squares},
    {"spline, larger", SofteningKind::spline, 0.1, true},
};

SolverOptions options_of(const Softened& softened, SolverKind solver, Precision precision)
{
    SolverOptions options;
    options.device = "cpu";
    options.solver = solver;
    options.precision = precision;
    options.gravitational_constant = 2;
    options.softening = {softened.kind, softened.length, softened.rule, softened.per_particle};
    return options;
}

/// Every third particle is massless, masses differ, and so do softening lengths.
Particles mixed(std::size_t n, const Softened& softened)
{
    Particles p = plummer(n);
    Random random(5);
    for (std::size_t i = 0; i < n; ++i)
        p.mass[i] = i % 3 == 1 ? 0 : random(0.5, 2) / double(n);
    for (std::size_t i = 0; i < n && softened.per_particle; ++i)
        p.softening.push_back(softened.length * (i % 4 == 0 ? 2 : i % 4 == 1 ? 0.5 : 1));
    return p;
}

double loss_of(const SolverOptions& options, const Particles& p, const Loss& loss)
{
    std::vector<Vec3<double>> a(p.size());
    std::vector<double> phi(p.size());
    Gradient::built(options, p)->evaluate_sources(
        {}, {view_of(std::span(a)), view_of(std::span(phi))});
    double sum = 0;
    for (std::size_t i = 0; i < p.size(); ++i)
        sum += dot(loss.lambda[i], a[i]) + loss.mu[i] * phi[i];
    return sum;
}

/// Returns dL/dv by differences to fourth order; `value` is restored.
double difference(double& value, double h, const std::function<double()>& loss)
{
    const double from = value;
    const auto at = [&](double step) {
        value = from + step;
        return loss();
    };
    const double far = at(2 * h) - at(-2 * h), near = at(h) - at(-h);
    value = from;
    return (8 * near - far) / (12 * h);
}

} // namespace

TEST_SUITE_BEGIN("adjoint");

TEST_CASE("gradients of direct sums match finite differences")
{
    for (const Softened& softened : softenings) {
        CAPTURE(softened.name);
        Particles p = mixed(40, softened);
        const Loss loss(p.size());
        const SolverOptions options =
            options_of(softened, SolverKind::direct, Precision::double_precision);
        const Gradient gradient(options, p, loss);
        double scale = 0, of_mass = 0, error = 0, error_of_mass = 0;
        for (std::size_t i = 0; i < p.size(); ++i) {
            scale = std::max(scale, std::sqrt(norm_squared(gradient.position[i])));
            of_mass = std::max(of_mass, std::abs(gradient.mass[i]));
        }
        const auto value = [&] { return loss_of(options, p, loss); };
        for (std::size_t i = 0; i < p.size(); i += 2) {
            for (int c = 0; c < 3; ++c)
                error = std::max(error,
                                 std::abs(difference((&p.position[i].x)[c], 1e-4, value) -
                                          (&gradient.position[i].x)[c]));
            error_of_mass = std::max(
                error_of_mass, std::abs(difference(p.mass[i], 1e-4, value) - gradient.mass[i]));
        }
        // The spline's force has jumps in a higher derivative.
        CHECK(error / scale < (softened.kind == SofteningKind::spline ? 1e-5 : 1e-7));
        CHECK(error_of_mass / of_mass < 1e-9);
    }
}

TEST_CASE("gradients by the tree approach those of direct sums")
{
    struct Setup {
        double tolerance;
        int order, local_order;
        double median, percentile_99, of_mass;
    };
    for (const Softened& softened : softenings) {
        CAPTURE(softened.name);
        const Particles p = mixed(8000, softened);
        const Loss loss(p.size());
        const Gradient exact(options_of(softened, SolverKind::direct, Precision::double_precision),
                             p, loss);
        for (const Setup& setup : {Setup{1e-3, 2, 6, 1, 1, 1}, Setup{1e-3, 2, 0, 1, 1, 1},
                                   Setup{1e-4, 3, 5, 1, 1, 1}, Setup{1e-5, 4, 6, 1, 1, 1},
                                   Setup{1e-3, 0, 3, 1, 1, 1}})
            for (const Precision precision :
                 {Precision::single_precision, Precision::double_precision}) {
                CAPTURE(setup.tolerance);
                CAPTURE(setup.order);
                CAPTURE(setup.local_order);
                SolverOptions options = options_of(softened, SolverKind::tree, precision);
                options.tolerance = setup.tolerance;
                options.order = setup.order;
                options.local_order = setup.local_order;
                const Gradient found(options, p, loss);
                const GradientErrors errors(found, exact);
                MESSAGE(softened.name << " " << setup.tolerance << " " << setup.order << " "
                                      << setup.local_order << ": "
                                      << GradientErrors::at(errors.position, 50) << " "
                                      << GradientErrors::at(errors.position, 99) << " "
                                      << GradientErrors::at(errors.mass, 99) << "  pairs "
                                      << found.statistics.particle_particle / p.size() << " "
                                      << found.statistics.particle_cell / p.size() << " "
                                      << found.statistics.expansions);
            }
    }
}

TEST_SUITE_END();
