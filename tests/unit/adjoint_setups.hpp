/// \file  Losses of fields at sources, their gradients, and sums for comparison.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "chamomile/force/field.hpp"
#include "tests/unit/behaviours.hpp"
#include "tests/unit/clouds.hpp"

namespace chamomile::tests {

/// L = sum_i lambda_i . a_i + mu_i phi_i.
struct Loss {
    std::vector<Vec3<double>> lambda;
    std::vector<double> mu;

    explicit Loss(std::size_t n, std::uint64_t seed = 7)
    {
        Random random(seed);
        for (std::size_t i = 0; i < n; ++i) {
            lambda.push_back({random(-1, 1), random(-1, 1), random(-1, 1)});
            mu.push_back(random(-1, 1));
        }
    }
    FieldCotangents cotangents() const
    {
        return {view_of(std::span(lambda)), view_of(std::span(mu))};
    }
};

inline FieldSources softened_sources(const Particles& p)
{
    return {p.size(),
            view_of(std::span(p.position)),
            view_of(std::span(p.mass)),
            {},
            p.softening.empty() ? ArrayView{} : view_of(std::span(p.softening))};
}

/// dL/dx and dL/dm of all particles.
struct Gradient {
    std::vector<Vec3<double>> position;
    std::vector<double> mass;
    ForceStatistics statistics;

    Gradient(const SolverOptions& options, const Particles& p, const Loss& loss)
        : Gradient(*built(options, p), p.size(), loss)
    {}
    Gradient(FieldSolver& field, std::size_t n, const Loss& loss) : position(n), mass(n)
    {
        statistics = field.evaluate_adjoint(
            loss.cotangents(), {view_of(std::span(position)), view_of(std::span(mass))});
    }

    static std::unique_ptr<FieldSolver> built(const SolverOptions& options, const Particles& p)
    {
        auto field = make_field_solver(options);
        field->build(softened_sources(p));
        return field;
    }

    bool operator==(const Gradient& other) const
    {
        return position == other.position && mass == other.mass;
    }
};

struct Softened {
    const char* name;
    SofteningKind kind;
    double length;
    bool per_particle = false;
    SofteningRule rule = SofteningRule::larger;
};

inline constexpr Softened softenings[] = {
    {"none", SofteningKind::plummer, 0},
    {"plummer", SofteningKind::plummer, 0.05},
    {"spline", SofteningKind::spline, 0.1},
    {"plummer, larger", SofteningKind::plummer, 0.05, true},
    {"plummer, root of squares", SofteningKind::plummer, 0.05, true,
     SofteningRule::root_of_squares},
    {"spline, larger", SofteningKind::spline, 0.1, true},
};

inline SolverOptions options_of(const Softened& softened, SolverKind solver, Precision precision)
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
inline Particles mixed(Particles p, const Softened& softened)
{
    const std::size_t n = p.size();
    Random random(5);
    for (std::size_t i = 0; i < n; ++i)
        p.mass[i] = i % 3 == 1 ? 0 : random(0.5, 2) / double(n);
    for (std::size_t i = 0; i < n && softened.per_particle; ++i)
        p.softening.push_back(softened.length * (i % 4 == 0 ? 2 : i % 4 == 1 ? 0.5 : 1));
    return p;
}

inline Particles mixed(std::size_t n, const Softened& softened)
{
    return mixed(plummer(n), softened);
}

inline double loss_of(const SolverOptions& options, const Particles& p, const Loss& loss)
{
    std::vector<Vec3<double>> a(p.size());
    std::vector<double> phi(p.size());
    Gradient::built(options, p)
        ->evaluate_sources({}, {view_of(std::span(a)), view_of(std::span(phi))});
    double sum = 0;
    for (std::size_t i = 0; i < p.size(); ++i)
        sum += dot(loss.lambda[i], a[i]) + loss.mu[i] * phi[i];
    return sum;
}

/// Returns dL/dv by differences to fourth order; `value` is restored.
inline double difference(double& value, double h, const std::function<double()>& loss)
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

/// Max errors of a gradient over its largest component, against differences of the loss.
struct DifferenceErrors {
    double position = 0, mass = 0;

    /// `loss_at`, if given, replaces the solver's loss.
    DifferenceErrors(const SolverOptions& options, Particles p, double h,
                     const std::function<double(const Particles&, const Loss&)>& loss_at = {})
    {
        const Loss loss(p.size());
        const Gradient gradient(options, p, loss);
        const auto value = [&] { return loss_at ? loss_at(p, loss) : loss_of(options, p, loss); };
        double of_position = 0, of_mass = 0;
        for (std::size_t i = 0; i < p.size(); ++i) {
            of_position = std::max(of_position, std::sqrt(norm_squared(gradient.position[i])));
            of_mass = std::max(of_mass, std::abs(gradient.mass[i]));
        }
        for (std::size_t i = 0; i < p.size(); i += 2) {
            for (int c = 0; c < 3; ++c)
                position = std::max(position, std::abs(difference((&p.position[i].x)[c], h, value) -
                                                       (&gradient.position[i].x)[c]));
            const double from = std::exchange(p.mass[i], p.mass[i] + 0.1), more = value();
            p.mass[i] = from; // L is linear in masses
            mass = std::max(mass, std::abs((more - value()) / 0.1 - gradient.mass[i]));
        }
        position /= of_position;
        mass /= of_mass;
    }
};

/// The errors of a gradient, over the root mean square of the exact values: at percentiles.
struct GradientErrors {
    std::vector<double> position, mass;

    GradientErrors(const Gradient& found, const Gradient& exact)
    {
        double square = 0, of_mass = 0;
        const std::size_t n = exact.mass.size();
        for (std::size_t i = 0; i < n; ++i) {
            square += norm_squared(exact.position[i]) / double(n);
            of_mass += exact.mass[i] * exact.mass[i] / double(n);
        }
        for (std::size_t i = 0; i < n; ++i) {
            const double length = std::sqrt(norm_squared(exact.position[i]));
            position.push_back(std::sqrt(norm_squared(found.position[i] - exact.position[i])) /
                               std::max(length, 0.1 * std::sqrt(square)));
            mass.push_back(std::abs(found.mass[i] - exact.mass[i]) / std::sqrt(of_mass));
        }
        std::sort(position.begin(), position.end());
        std::sort(mass.begin(), mass.end());
    }
    static double at(const std::vector<double>& sorted, double percent)
    {
        return sorted[std::min(sorted.size() - 1,
                               std::size_t(percent / 100 * double(sorted.size())))];
    }
};

} // namespace chamomile::tests
