// The long range, by mesh and by modes, against exact Ewald sums less the short range.
#include <algorithm>
#include <cmath>
#include <vector>

#include <doctest/doctest.h>
#include <omp.h>

#include "chamomile/core/error.hpp"
#include "chamomile/core/instruction_sets.hpp"
#include "chamomile/force/mesh/ewald.hpp"
#include "chamomile/force/mesh/ewald_modes.hpp"
#include "chamomile/force/mesh/mesh_gravity.hpp"
#include "tests/unit/clouds.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("mesh_gravity");

namespace {

struct Field {
    std::vector<Vec3<double>> acceleration;
    std::vector<double> potential;

    explicit Field(std::size_t n) : acceleration(n), potential(n) {}
    bool operator==(const Field&) const = default;
};

Field field_of(LongRange& field, const Particles& p)
{
    Field sums(p.size());
    Profile profile;
    const ArrayView position = view_of(std::span(p.position));
    field.prepare(p.size(), position, view_of(std::span(p.mass)), profile);
    field.add(p.size(), position, {}, 1, view_of(std::span(sums.acceleration)),
              view_of(std::span(sums.potential)), profile);
    return sums;
}

/// Sums over all pairs, with self terms in the potential.
Field exact_field(const Particles& p, double side)
{
    Field sums(p.size());
#pragma omp parallel for schedule(dynamic, 4)
    for (std::size_t i = 0; i < p.size(); ++i)
        for (std::size_t j = 0; j < p.size(); ++j) {
            const EwaldField pair = ewald_field(p.position[i] - p.position[j], side);
            sums.potential[i] += p.mass[j] * pair.potential;
            sums.acceleration[i] += p.mass[j] * pair.acceleration;
        }
    return sums;
}

/// Returns the part missing in the long range, from pairs nearer than `cut` (long_range.hpp), with
/// its mean and self terms.
Field short_range(const Particles& p, double side, double split, double cut)
{
    Field sums(p.size());
    const double own = 1 / (std::sqrt(M_PI) * split),
                 mean = 4 * M_PI * split * split / std::pow(side, 3);
    for (std::size_t i = 0; i < p.size(); ++i)
        for (std::size_t j = 0; j < p.size(); ++j) {
            sums.potential[i] += p.mass[j] * (mean + (i == j ? own : 0));
            const Vec3<double> d = Periodicity{side}.nearest(p.position[j] - p.position[i]);
            const double r = norm(d), u = r / (2 * split);
            if (i == j || r > cut)
                continue;
            sums.potential[i] -= p.mass[j] * std::erfc(u) / r;
            sums.acceleration[i] += p.mass[j] *
                                    (std::erfc(u) + 2 * u / std::sqrt(M_PI) * std::exp(-u * u)) /
                                    (r * r * r) * d;
        }
    return sums;
}

double rms(const std::vector<Vec3<double>>& a)
{
    double sum = 0;
    for (const Vec3<double>& x : a)
        sum += norm_squared(x);
    return std::sqrt(sum / double(a.size()));
}

/// Root mean square errors relative to the exact field.
struct Errors {
    double acceleration, potential;
};

Errors errors(const Field& exact, const Field& near, const Field& far)
{
    std::vector<Vec3<double>> difference;
    double square = 0, whole = 0;
    for (std::size_t i = 0; i < exact.potential.size(); ++i) {
        difference.push_back(near.acceleration[i] + far.acceleration[i] - exact.acceleration[i]);
        square += std::pow(near.potential[i] + far.potential[i] - exact.potential[i], 2);
        whole += std::pow(exact.potential[i], 2);
    }
    return {rms(difference) / rms(exact.acceleration), std::sqrt(square / whole)};
}

constexpr double anywhere = 10; // a cut beyond the whole box

Particles perturbed_lattice(int n, double amplitude)
{
    int k = 0;
    return cloud(std::size_t(n * n * n), 3, [&](Random& random) {
        const auto at = [&](int i) { return (i + 0.5 + random(-amplitude, amplitude)) / n; };
        const int i = k++;
        return Vec3<double>{at(i / n / n), at(i / n % n), at(i % n)};
    });
}

/// A dense clump in the corner, across all faces, and some particles elsewhere.
Particles clump_across_faces()
{
    return cloud(300, 9, [](Random& random) {
        return random() < 0.3 ? Vec3<double>{random(), random(), random()}
                              : on_sphere(random, 0.1 * random());
    });
}

} // namespace

TEST_CASE("each kernel and differentiation meets its error limit for the mesh only")
{
    const Particles p = moved(uniform_cube(200), 3, {-1, 7, 0.5});
    const double side = 3;
    const Field exact = exact_field(p, side);
    struct Row {
        Assignment kernel;
        Differentiation by;
        double error, of_potential;
    };
    const Row rows[] = {{Assignment::cloud_in_cell, Differentiation::spectral, 6e-3, 2e-2},
                        {Assignment::triangular, Differentiation::spectral, 9e-4, 1e-3},
                        {Assignment::piecewise_cubic, Differentiation::spectral, 1.6e-4, 3.5e-4},
                        {Assignment::triangular, Differentiation::four_point, 1.2e-3, 5e-3},
                        {Assignment::piecewise_cubic, Differentiation::four_point, 8e-4, 5e-3}};
    for (const Row& row : rows)
        for (const Scalar scalar : {Scalar::float64, Scalar::float32}) {
            CAPTURE(int(row.kernel));
            CAPTURE(int(row.by));
            CAPTURE(int(scalar));
            const auto mesh = make_mesh_gravity({side}, {32, 1.25, row.kernel, row.by, scalar});
            CHECK(mesh->split_radius() == doctest::Approx(1.25 * side / 32));
            const Field far = field_of(*mesh, p);
            const Errors e =
                errors(exact, short_range(p, side, mesh->split_radius(), anywhere), far);
            CHECK(e.acceleration < row.error);
            CHECK(e.acceleration > 0.3 * row.error); // a higher-order kernel would be different
            CHECK(e.potential < row.of_potential);
            Vec3<double> force;
            for (std::size_t i = 0; i < p.size(); ++i)
                force += p.mass[i] * far.acceleration[i];
            CHECK(norm(force) < (scalar == Scalar::float64 ? 1e-15 : 1e-7) * rms(far.acceleration));
        }
}

TEST_CASE("mesh plus short-range pairs reach errors of 0.5 % and 0.1 %")
{
    struct Set {
        const char* name;
        Particles particles;
    };
    const Set sets[] = {{"random", uniform_cube(64)},
                        {"lattice", perturbed_lattice(6, 0.2)},
                        {"clump", clump_across_faces()}};
    for (const Set& set : sets) {
        CAPTURE(set.name);
        const Field exact = exact_field(set.particles, 1);
        const auto mesh = make_mesh_gravity({1}, {48});
        const Field far = field_of(*mesh, set.particles);
        const double split = mesh->split_radius();
        // The lattice, with cancelling forces, feels pairs on either side of the cut.
        const bool lattice = set.name == std::string("lattice");
        const std::pair<double, double> rows[] = {
            {4.5, lattice ? 1.2e-2 : 5e-3}, {5, 5e-3}, {6, 1e-3}, {7, 1e-3}}; // 5: the default
        for (const auto& row : rows) {
            const double cut = row.first, limit = row.second;
            CAPTURE(cut);
            const Errors e = errors(exact, short_range(set.particles, 1, split, cut * split), far);
            CHECK(e.acceleration < limit);
        }
    }
}

TEST_CASE("near a lattice errors are 1e-4 of the cancelling forces")
{
    const Particles p = perturbed_lattice(6, 0.01);
    const Field exact = exact_field(p, 1);
    // Two, and eight, cells to a particle.
    for (const auto& [cells, limit] : {std::pair{48, 4e-4}, {32, 3e-2}}) {
        const auto mesh = make_mesh_gravity({1}, {cells});
        const Errors e =
            errors(exact, short_range(p, 1, mesh->split_radius(), anywhere), field_of(*mesh, p));
        CHECK(e.acceleration < limit);
    }
    const double neighbour = 36 * p.mass[0];
    CHECK(rms(exact.acceleration) < 0.06 * neighbour);
}

TEST_CASE("Ewald modes are exact up to their tolerance")
{
    const Particles p = moved(clump_across_faces(), 5, {11, 0, -4});
    const Field exact = exact_field(p, 5);
    struct Row {
        double split, tolerance, error;
    };
    for (const Row& row : {Row{5. / 14, 1e-4, 2e-6},
                           {5. / 14, 1e-7, 1e-7},
                           {5. / 20, 1e-10, 1e-11},
                           {5. / 22, 1e-14, 1e-13}}) {
        CAPTURE(row.split);
        CAPTURE(row.tolerance);
        const auto modes = make_ewald_modes({5}, row.split, row.tolerance);
        const Errors e = errors(exact, short_range(p, 5, row.split, anywhere), field_of(*modes, p));
        CHECK(e.acceleration < row.error);
        CHECK(e.potential < row.error);
    }
}

TEST_CASE("instruction sets agree on Ewald modes")
{
    const Particles p = uniform_cube(1000);
    const Field first = field_of(*make_ewald_modes({1}, 1 / 15., 1e-7, "baseline"), p);
    for (const std::string& set : instruction_sets()) {
        CAPTURE(set);
        const Field other = field_of(*make_ewald_modes({1}, 1 / 15., 1e-7, set), p);
        double worst = 0;
        for (std::size_t i = 0; i < p.size(); ++i)
            worst = std::max(worst, norm(other.acceleration[i] - first.acceleration[i]));
        CHECK(worst < 1e-13);
    }
}

TEST_CASE("mesh fields match bitwise for any number of threads")
{
    const int all = omp_get_max_threads();
    const Particles p = plummer(20000);
    const auto check = [&](auto make) {
        omp_set_num_threads(1);
        const Field once = field_of(*make(), p);
        for (int threads = 2; threads <= 4; ++threads) {
            omp_set_num_threads(threads);
            CHECK(field_of(*make(), p) == once);
        }
    };
    for (const Differentiation by : {Differentiation::spectral, Differentiation::four_point})
        check([&] { return make_mesh_gravity({9}, {24, 1.25, Assignment::piecewise_cubic, by}); });
    check([] { return make_ewald_modes({9}, 9 / 15.); });
    omp_set_num_threads(all);
}

TEST_CASE("without masses all are 1")
{
    Particles p = uniform_cube(300);
    std::ranges::fill(p.mass, 1);
    std::vector<std::unique_ptr<LongRange>> fields;
    fields.push_back(make_mesh_gravity({1}, {16}));
    fields.push_back(make_ewald_modes({1}, 1 / 15.));
    for (const auto& field : fields) {
        const Field with_masses = field_of(*field, p);
        Field without(p.size());
        Profile profile;
        const ArrayView position = view_of(std::span(p.position));
        field->prepare(p.size(), position, {}, profile);
        field->add(p.size(), position, {}, 1, view_of(std::span(without.acceleration)),
                   view_of(std::span(without.potential)), profile);
        CHECK(without == with_masses);
    }
}

TEST_CASE("translated particles have equal mesh fields up to rounding")
{
    const Particles p = uniform_cube(500);
    const Field here = field_of(*make_mesh_gravity({1}, {16}), p);
    const Field there = field_of(*make_mesh_gravity({1}, {16}), moved(p, 1, {0.25, -0.5625, 2}));
    const Field by_modes = field_of(*make_ewald_modes({1}, 1 / 12.), p);
    const Field moved_modes =
        field_of(*make_ewald_modes({1}, 1 / 12.), moved(p, 1, {0.3, 0.1, -5}));
    double of_mesh = 0, of_modes = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
        of_mesh = std::max(of_mesh, norm(there.acceleration[i] - here.acceleration[i]));
        of_modes = std::max(of_modes, norm(moved_modes.acceleration[i] - by_modes.acceleration[i]));
    }
    CHECK(of_mesh < 1e-13);
    CHECK(of_modes < 1e-13);
}

TEST_CASE("mesh fields add to active particles only, with and without potentials")
{
    const Particles p = uniform_cube(3000);
    const std::vector<std::uint32_t> active{2999, 4, 700};
    std::vector<std::unique_ptr<LongRange>> fields;
    fields.push_back(make_mesh_gravity({1}, {16}));
    fields.push_back(
        make_mesh_gravity({1}, {16, 1.25, Assignment::triangular, Differentiation::four_point}));
    fields.push_back(make_ewald_modes({1}, 1 / 15.));
    for (const auto& field : fields) {
        const Field whole = field_of(*field, p);
        Field sums(p.size());
        Profile profile;
        field->prepare(p.size(), view_of(std::span(p.position)), view_of(std::span(p.mass)),
                       profile);
        for (const bool with_potential : {false, true})
            field->add(p.size(), view_of(std::span(p.position)), active, -3,
                       view_of(std::span(sums.acceleration)),
                       with_potential ? view_of(std::span(sums.potential)) : ArrayView{}, profile);
        std::size_t changed = 0;
        for (const Vec3<double>& a : sums.acceleration)
            changed += !(a == Vec3<double>{});
        CHECK(changed == 3);
        for (std::uint32_t i : active) {
            CHECK(norm(sums.acceleration[i] - -6. * whole.acceleration[i]) < 1e-13);
            CHECK(std::abs(sums.potential[i] + 3 * whole.potential[i]) < 1e-13);
        }
    }
}

TEST_CASE("invalid long-range options are refused with an error line")
{
    CHECK_THROWS_WITH_AS(make_mesh_gravity({1}, {}), "mesh: 0: must be 8 to 32768", Error);
    CHECK_THROWS_WITH_AS(make_mesh_gravity({0}, {16}), "box: 0.000000: must be above 0", Error);
    CHECK_THROWS_WITH_AS(make_mesh_gravity({1}, {16, 0.1}),
                         "split: 0.100000: must be 0.5 cells or more", Error);
    CHECK_THROWS_WITH_AS(make_ewald_modes({1}, 0.5),
                         "split radius: 0.500000: must be above 0 and at most a quarter of the box",
                         Error);
    CHECK_THROWS_WITH_AS(
        make_ewald_modes({1}, 1e-3),
        "split radius: 0.001000: needs more than 128 waves along the box; use a mesh", Error);
    CHECK_THROWS_WITH_AS(make_ewald_modes({1}, 0.1, 2),
                         "tolerance: 2.000000: must be between 0 and 1", Error);
}

TEST_SUITE_END();
