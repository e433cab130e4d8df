/// \file  Losses of fields at sources, their gradients, and sums for comparison.
#pragma once

#include <algorithm>
#include <cmath>

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
