// The mesh on the first GPU against the host. The suite is skipped without a GPU.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <doctest/doctest.h>

#include "chamomile/core/error.hpp"
#include "chamomile/force/gpu.hpp"
#include "tests/unit/clouds.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("gpu_mesh");

namespace {

struct Field {
    std::vector<Vec3<double>> acceleration;
    std::vector<double> potential;
};

Field field_of(LongRange& mesh, const Particles& p, bool with_potential = true)
{
    Field field{std::vector<Vec3<double>>(p.size()), std::vector<double>(p.size())};
    Profile profile;
    const ArrayView position = view_of(std::span(p.position));
    mesh.prepare(p.size(), position, view_of(std::span(p.mass)), profile);
    mesh.add(p.size(), position, {}, 2.5, view_of(std::span(field.acceleration)),
             with_potential ? view_of(std::span(field.potential)) : ArrayView{}, profile);
    return field;
}

} // namespace

TEST_CASE("the GPU mesh field matches the host for every kernel and differentiation")
{
    const Particles p = moved(plummer(20011), 0.7, {3, -5, 1});
    for (Assignment kernel : {Assignment::nearest_point, Assignment::cloud_in_cell,
                              Assignment::triangular, Assignment::piecewise_cubic})
        for (Differentiation by : {Differentiation::spectral, Differentiation::four_point})
            for (const auto& [cells, scalar] : {std::pair{15, Scalar::float64},
                                                {64, Scalar::float64},
                                                {15, Scalar::float32},
                                                {64, Scalar::float32}}) {
                CAPTURE(int(kernel));
                CAPTURE(int(by));
                CAPTURE(cells);
                const bool floats = scalar == Scalar::float32;
                CAPTURE(floats);
                MeshOptions options{cells, 1.25, kernel, by};
                const auto host = make_mesh_gravity({8}, options);
                options.scalar = scalar;
                const auto device = make_cuda_mesh_gravity(0, {8}, options);
                CHECK(device->split_radius() == host->split_radius());
                const Field expected = field_of(*host, p), field = field_of(*device, p);
                double square = 0, error = 0, of_potential = 0;
                for (std::size_t i = 0; i < p.size(); ++i) {
                    square += norm_squared(expected.acceleration[i]);
                    error += norm_squared(field.acceleration[i] - expected.acceleration[i]);
                    of_potential = std::max(of_potential,
                                            std::abs(field.potential[i] - expected.potential[i]));
                }
                CHECK(std::sqrt(square / double(p.size())) > 0.01);
                CHECK(error < (floats ? 1e-12 : 1e-24) * square);
                CHECK(of_potential < (floats ? 1e-6 : 1e-12));
            }
}

TEST_CASE("the mesh field is bitwise repeatable for any source order, with or without potentials")
{
    Particles p = uniform_cube(30011);
    for (std::size_t i = 0; i < p.size(); i += 7)
        p.mass[i] *= -0.5;
    std::vector<std::size_t> reversed(p.size()), by_octant;
    std::iota(reversed.rbegin(), reversed.rend(), 0);
    by_octant = reversed; // sums of an octant are made in shared memory
    const auto octant = [&](std::size_t i) {
        const Vec3<double> x = Periodicity{1}.wrapped(p.position[i]);
        return 4 * int(2 * x.x) + 2 * int(2 * x.y) + int(2 * x.z);
    };
    std::ranges::stable_sort(by_octant, {}, octant);
    for (const int cells : {32, 27})
        for (const Scalar scalar : {Scalar::float64, Scalar::float32}) {
            MeshOptions options{.cells = cells};
            options.scalar = scalar;
            const auto mesh = make_cuda_mesh_gravity(0, {1}, options);
            const Field once = field_of(*mesh, p), again = field_of(*mesh, p, false);
            CHECK(once.acceleration == again.acceleration);
            for (const std::vector<std::size_t>& order : {reversed, by_octant}) {
                Particles other = p;
                for (std::size_t k = 0; k < order.size(); ++k) {
                    other.position[k] = p.position[order[k]];
                    other.mass[k] = p.mass[order[k]];
                }
                const Field field = field_of(*mesh, other);
                std::size_t differ = 0;
                for (std::size_t k = 0; k < order.size(); ++k)
                    differ += field.acceleration[k] != once.acceleration[order[k]] ||
                              field.potential[k] != once.potential[order[k]];
                CHECK(differ == 0);
            }
        }
}

TEST_CASE("the mesh field is the same in other units of mass and length")
{
    const Particles p = moved(plummer(5003), 0.7, {3, -5, 1});
    for (const Scalar scalar : {Scalar::float64, Scalar::float32})
        for (const auto& [mass, length] :
             {std::pair{0x1p140, 1.}, {0x1p-140, 1.}, {1., 0x1p80}, {0x1p100, 0x1p-80}}) {
            CAPTURE(mass);
            CAPTURE(length);
            Particles scaled = p;
            for (std::size_t i = 0; i < p.size(); ++i) {
                scaled.position[i] = length * p.position[i];
                scaled.mass[i] = mass * p.mass[i];
            }
            MeshOptions options{.cells = 32};
            options.scalar = scalar;
            const Field field = field_of(*make_cuda_mesh_gravity(0, {8}, options), p),
                        other = field_of(*make_cuda_mesh_gravity(0, {8 * length}, options), scaled);
            double square = 0, error = 0;
            for (std::size_t i = 0; i < p.size(); ++i) {
                square += norm_squared(field.acceleration[i]);
                error += norm_squared(length * length / mass * other.acceleration[i] -
                                      field.acceleration[i]);
            }
            CHECK(error < 1e-28 * square);
        }
}

TEST_CASE("the mesh field adds to active particles only")
{
    const Particles p = uniform_cube(5000);
    const auto mesh = make_cuda_mesh_gravity(0, {1}, {16});
    const Field whole = field_of(*mesh, p);
    const std::vector<std::uint32_t> active{3, 4999, 17};
    Field field{std::vector<Vec3<double>>(p.size(), {1, 2, 3}), {}};
    Profile profile;
    mesh->add(p.size(), view_of(std::span(p.position)), active, 2.5,
              view_of(std::span(field.acceleration)), {}, profile);
    std::size_t changed = 0;
    for (const Vec3<double>& a : field.acceleration)
        changed += a != Vec3<double>{1, 2, 3};
    CHECK(changed == 3);
    for (std::uint32_t i : active)
        CHECK(field.acceleration[i] == Vec3<double>{1, 2, 3} + whole.acceleration[i]);
}

TEST_CASE("the GPU mesh refuses invalid input with an error line")
{
    Particles p = uniform_cube(100);
    p.mass[42] = std::nan("");
    const auto mesh = make_cuda_mesh_gravity(0, {1}, {16});
    CHECK_THROWS_WITH_AS(field_of(*mesh, p), "particle 42: position and mass: must be finite",
                         Error);
    CHECK_THROWS_WITH_AS(make_cuda_mesh_gravity(0, {1}, {7}), "mesh: 7: must be 8 to 32768", Error);
    CHECK(field_of(*mesh, Particles{}).potential.empty());
}

TEST_SUITE_END();
