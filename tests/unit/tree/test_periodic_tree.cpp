// The tree's short range in a periodic cube against a plain sum of its defining law.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <doctest/doctest.h>
#include <omp.h>

#include "tests/unit/periodic_sets.hpp"

using namespace chamomile;
using namespace chamomile::tests;

namespace {

/// A zero long range, to isolate the short range.
class NoLongRange final : public LongRange {
public:
    explicit NoLongRange(double split) : split_(split) {}
    void prepare(std::size_t, const ArrayView&, const ArrayView&, Profile&) override {}
    void add(std::size_t, const ArrayView&, std::span<const std::uint32_t>, double,
             const ArrayView&, const ArrayView&, Profile&) const override
    {}
    double split_radius() const override { return split_; }

private:
    double split_;
};

struct Sums {
    std::vector<Vec3<double>> acceleration;
    std::vector<double> potential;
};

/// Every pair's nearest image within the cut, by erf and exp, with Plummer's softening.
Sums plain_sums(const Particles& p, double side, double split, double cut, double eps)
{
    Sums sums{std::vector<Vec3<double>>(p.size()), std::vector<double>(p.size())};
    for (std::size_t i = 0; i < p.size(); ++i)
        for (std::size_t j = 0; j < p.size(); ++j) {
            if (i == j)
                continue;
            Vec3<double> d = p.position[j] - p.position[i];
            for (double* x : {&d.x, &d.y, &d.z})
                *x -= side * std::round(*x / side);
            const double r2 = norm_squared(d), r = std::sqrt(r2), u = r / (2 * split);
            if (r >= cut)
                continue;
            const double soft = std::sqrt(r2 + eps * eps);
            const double smooth =
                (std::erf(u) - 2 * u * std::exp(-u * u) / std::sqrt(M_PI)) / (r * r2);
            sums.acceleration[i] += p.mass[j] * (1 / (soft * soft * soft) - smooth) * d;
            sums.potential[i] -= p.mass[j] * (1 / soft - std::erf(u) / r);
        }
    return sums;
}

struct RmsError {
    double acceleration, potential; ///< rms error relative to rms sum
};

RmsError compare(const Particles& p, const Sums& exact, double potential_shift)
{
    double a = 0, whole_a = 0, phi = 0, whole_phi = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
        a += norm_squared(p.acceleration[i] - exact.acceleration[i]);
        whole_a += norm_squared(exact.acceleration[i]);
        const double error = p.potential[i] - potential_shift - exact.potential[i];
        phi += error * error;
        whole_phi += exact.potential[i] * exact.potential[i];
    }
    return {std::sqrt(a / whole_a), std::sqrt(phi / whole_phi)};
}

SolverOptions periodic_options(double side)
{
    SolverOptions options;
    options.device = "cpu";
    options.box = side;
    options.softening.length = 0.002 * side;
    return options;
}

std::unique_ptr<Solver> short_range_solver(const SolverOptions& options, double split)
{
    const SolverOptions chosen = resolved(options);
    return make_list_solver(chosen, make_parts(chosen), std::make_unique<NoLongRange>(split));
}

RmsError error_of(Particles p, const SolverOptions& options, double split)
{
    const double side = options.box;
    const Sums exact =
        plain_sums(p, side, split, options.periodic.cut * split, options.softening.length);
    auto solver = short_range_solver(options, split);
    solver->solve(p, Quantities::acceleration_potential);
    const double mass = std::accumulate(p.mass.begin(), p.mass.end(), 0.0);
    const double shift = 4 * M_PI * split * split * mass / (side * side * side) +
                         p.mass[0] / (std::sqrt(M_PI) * split);
    return compare(p, exact, shift);
}

} // namespace

TEST_SUITE_BEGIN("periodic_tree");

TEST_CASE("polynomials match the short range within their error limits")
{
    for (const auto& [cut, in_float] : {std::pair{5., 4e-7}, {6., 5e-6}, {7., 6e-5}}) {
        const double split = 0.3, r_cut = cut * split;
        const ShortRangeForm form = ShortRangeForm::fit(split, r_cut);
        for (int k = 1; k < 2000; ++k) {
            const double r = r_cut * k / 2000, u = r / (2 * split), x = form.slope * r * r - 1;
            const auto value = [&](const auto& power) {
                double sum = 0;
                for (int p = int(std::size(power)) - 1; p >= 0; --p)
                    sum = sum * x + double(power[p]);
                return sum;
            };
            const double q =
                (std::erf(u) - 2 * u * std::exp(-u * u) / std::sqrt(M_PI)) / (r * r * r);
            const double p = std::erf(u) / r;
            // Near the center digits cancel in the formula, not in the polynomial.
            const double rounding = 1e-15 / (r * r * r) * 1e1;
            CHECK(std::abs(value(form.in_float.force) - q) <
                  in_float / (r * r * r) + 1e-7 * q + rounding + 3e-7 / std::pow(2 * split, 3));
            CHECK(std::abs(value(form.in_double.force) - q) <
                  1e-13 / (r * r * r) + rounding + 1e-14 / std::pow(2 * split, 3));
            CHECK(std::abs(value(form.in_float.potential) - p) < in_float / r + 3e-7 / split);
            CHECK(std::abs(value(form.in_double.potential) - p) < 1e-13 / r + 1e-14 / split);
        }
    }
}

TEST_CASE("the tree's short range matches plain sums on every particle set")
{
    for (const PeriodicSet& set : periodic_sets(1500))
        for (const double side : {1.0, 250.0}) {
            CAPTURE(set.name);
            CAPTURE(side);
            const Particles p = scaled(set.particles, side);
            SolverOptions options = periodic_options(side);
            const double split = side / 32;
            options.tolerance = 1e-5;
            options.precision = Precision::double_precision;
            RmsError error = error_of(p, options, split);
            CHECK(error.acceleration < set.error * 1e-4);
            CHECK(error.potential < 2e-5);
            options.precision = Precision::single_precision;
            error = error_of(p, options, split);
            CHECK(error.acceleration < set.error * 1e-4);
            options.criterion = Criterion::geometric;
            options.theta = 0.5;
            error = error_of(p, options, split);
            CHECK(error.acceleration < (set.error > 1 ? 0.3 : 2e-3)); // lattice forces cancel
        }
}

TEST_CASE("without accepted cells only rounding errors remain")
{
    for (const PeriodicSet& set : periodic_sets(700)) {
        CAPTURE(set.name);
        SolverOptions options = periodic_options(1);
        options.criterion = Criterion::minimum_distance;
        options.theta = 1e-6;
        options.precision = Precision::double_precision;
        options.periodic.cut = 6;
        RmsError error = error_of(set.particles, options, 1 / 20.);
        CHECK(error.acceleration < 1e-12 * set.error);
        CHECK(error.potential < 1e-12);
        options.precision = Precision::single_precision;
        error = error_of(set.particles, options, 1 / 20.);
        CHECK(error.acceleration < 2e-6 * set.error);
    }
}

TEST_CASE("forces do not depend on the periodic image of a particle")
{
    Particles p = periodic_sets(600)[1].particles, moved = p;
    Random random(3);
    for (Vec3<double>& x : moved.position)
        x += Vec3<double>{std::floor(random(-3, 4)), std::floor(random(-3, 4)), 0};
    const auto kept = moved.position;
    for (Particles* set : {&p, &moved}) {
        auto solver = short_range_solver(periodic_options(1), 1 / 32.);
        solver->solve(*set, Quantities::acceleration_potential);
    }
    CHECK(moved.position == kept);
    double largest = 0, error = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
        largest = std::max(largest, norm(p.acceleration[i]));
        error = std::max(error, norm(p.acceleration[i] - moved.acceleration[i]));
    }
    CHECK(error < 1e-4 * largest); // moved positions are rounded
}

TEST_CASE("forces on few active particles match forces on all")
{
    for (const PeriodicSet& set : periodic_sets(900)) {
        CAPTURE(set.name);
        SolverOptions options = periodic_options(1);
        options.precision = Precision::double_precision;
        options.tolerance = 1e-5;
        Particles all = set.particles, few = set.particles;
        auto solver = short_range_solver(options, 1 / 32.);
        solver->solve(all, Quantities::acceleration);
        std::vector<Index> active;
        for (Index i = 5; i < few.size(); i += 100)
            active.push_back(i);
        solver->solve(few, Quantities::acceleration, active);
        double largest = 0;
        for (const Vec3<double>& a : all.acceleration)
            largest = std::max(largest, norm(a));
        for (Index i : active)
            CHECK(norm(few.acceleration[i] - all.acceleration[i]) < 1e-4 * largest);
    }
}

TEST_CASE("forces match bitwise for any number of threads; instruction sets agree")
{
    const Particles start = periodic_sets(5000)[1].particles;
    const auto solved = [&](int threads, const std::string& set) {
        omp_set_num_threads(threads);
        Particles p = start;
        SolverOptions options = periodic_options(1);
        options.instruction_set = set;
        auto solver = short_range_solver(options, 1 / 40.);
        solver->solve(p, Quantities::acceleration_potential);
        return p;
    };
    const int before = omp_get_max_threads();
    const Particles one = solved(1, "auto"), three = solved(3, "auto"),
                    base = solved(2, "baseline");
    omp_set_num_threads(before);
    CHECK(one.acceleration == three.acceleration);
    CHECK(one.potential == three.potential);
    double largest = 0, difference = 0;
    for (std::size_t i = 0; i < one.size(); ++i) {
        largest = std::max(largest, norm(one.acceleration[i]));
        difference = std::max(difference, norm(one.acceleration[i] - base.acceleration[i]));
    }
    CHECK(difference < 2e-6 * largest);
}

TEST_SUITE_END();
