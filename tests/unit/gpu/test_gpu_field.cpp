// A kept field on the first GPU. The suite is skipped without a GPU.
#include <doctest/doctest.h>

#include "chamomile/force/field.hpp"
#include "tests/unit/clouds.hpp"
#include "tests/unit/field_behaviours.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("gpu_field");

TEST_CASE("GPU field solvers fulfil all common behaviours")
{
    check_behaviours(field_behaviours, {{"gpu"}});
}

TEST_CASE("lists for fewer points than sources equal the host lists")
{
    // These points form smaller groups, so the host needs moments of smaller cells.
    Particles sources = plummer(60013), points = plummer(20011);
    ForceStatistics of[2];
    for (const int on_gpu : {0, 1}) {
        SolverOptions o;
        o.device = on_gpu ? "gpu" : "cpu";
        o.group_size = 128;
        o.cluster_size = 32;
        o.leaf_size = 20;
        o.softening.length = 0.01;
        const auto field = make_field_solver(o);
        field->build({sources.size(), view_of(std::span(sources.position)),
                      view_of(std::span(sources.mass))});
        points.acceleration.resize(points.size());
        of[on_gpu] = field->evaluate({points.size(), view_of(std::span(points.position))},
                                     {view_of(std::span(points.acceleration))});
    }
    CHECK(of[0].particle_particle == of[1].particle_particle);
    CHECK(of[0].particle_cell == of[1].particle_cell);
    CHECK(of[0].expansions == of[1].expansions);
}

TEST_SUITE_END();
