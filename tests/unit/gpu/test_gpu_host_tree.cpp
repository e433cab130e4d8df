// Host trees with lists evaluated on the first GPU: bitwise equal to trees built on the GPU.
#include <doctest/doctest.h>

#include "chamomile/force/field.hpp"
#include "chamomile/force/gpu.hpp"
#include "chamomile/integrate/leapfrog.hpp"
#include "chamomile/integrate/simulation.hpp"
#include "tests/unit/clouds.hpp"
#include "tests/unit/error_line.hpp"
#include "tests/unit/requests.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("gpu_host_tree");

namespace {

/// A Case sets the sum and the targets.
struct Case {
    double box = 0;
    int order = 2, local_order = 6;
    Precision precision = Precision::single_precision;
    SofteningKind kind = SofteningKind::plummer;
    bool own_softenings = false;
};

const std::vector<Case> cases = {
    {},
    {.order = 4, .local_order = 0, .kind = SofteningKind::spline},
    {.precision = Precision::double_precision},
    {.own_softenings = true},
    {.precision = Precision::double_precision, .own_softenings = true},
    {.box = 1},
    {.box = 1, .precision = Precision::double_precision, .own_softenings = true},
};

SolverOptions options_of(const Case& c, TreeBuiltBy built_by)
{
    SolverOptions o;
    o.device = "gpu";
    o.tree_built_by = built_by;
    o.box = c.box;
    o.order = c.order;
    o.local_order = c.box > 0 ? 0 : c.local_order;
    o.precision = c.precision;
    o.softening = {c.kind, 0.005};
    o.softening.per_particle = c.own_softenings;
    return o;
}

Particles particles_of(const Case& c)
{
    Particles p = c.box > 0 ? uniform_cube(30011, 9) : plummer(40013);
    for (std::size_t i = 0; c.own_softenings && i < p.size(); ++i)
        p.softening.push_back(i % 3 ? 0.002 : 0.005);
    return p;
}

bool same(const Particles& a, const Particles& b)
{
    return a.acceleration == b.acceleration && a.potential == b.potential;
}

} // namespace

TEST_CASE("host and GPU trees give equal forces for all or some targets, new or reused")
{
    for (std::size_t k = 0; k < cases.size(); ++k) {
        CAPTURE(k);
        std::vector<Particles> steps[2];
        ForceStatistics counts[2];
        for (const int on_host : {0, 1}) {
            Particles p = particles_of(cases[k]);
            const auto solver =
                make_solver(options_of(cases[k], on_host ? TreeBuiltBy::host : TreeBuiltBy::gpu));
            CHECK(solver->takes_device_arrays() == !on_host);
            std::vector<Index> active;
            for (Index i = 3; i < p.size(); i += 7)
                active.push_back(i);
            for (const bool keeps_tree : {false, true, false})
                for (const bool all : {true, false}) {
                    counts[on_host] = solve(*solver, p,
                                            {.active = all ? std::span<const Index>() : active,
                                             .keeps_tree = keeps_tree},
                                            Quantities::acceleration_potential);
                    steps[on_host].push_back(p);
                    for (std::size_t i = 0; i < p.size(); ++i)
                        p.position[i].x += 1e-4 * double(i % 5);
                }
        }
        CHECK(counts[0].particle_particle == counts[1].particle_particle);
        CHECK(counts[0].particle_cell == counts[1].particle_cell);
        CHECK(counts[0].expansions == counts[1].expansions);
        CHECK(counts[1].bytes_to_device > 0);
        for (std::size_t s = 0; s < steps[0].size(); ++s) {
            CAPTURE(s);
            CHECK(same(steps[0][s], steps[1][s]));
        }
    }
}

TEST_CASE("fields with host trees match GPU trees for host and GPU arrays")
{
    Particles points = plummer(20011);
    for (std::size_t i = 0; i < points.size(); ++i)
        points.position[i] = {0.3 + 0.1 * points.position[i].x, 0.4 + 0.1 * points.position[i].y,
                              0.5 + 0.1 * points.position[i].z};
    const std::size_t bytes = points.size() * sizeof(Vec3<double>);
    const auto memory = device_memory(0, bytes);
    ArrayView there =
        view_of(std::span(reinterpret_cast<const Vec3<double>*>(memory.get()), points.size()));
    there.on_device = true;
    write_to_device(0, &points.position[0].x, points.size(), there);
    for (std::size_t k = 0; k < cases.size(); ++k) {
        CAPTURE(k);
        std::vector<std::vector<Vec3<double>>> felt[2];
        for (const int on_host : {0, 1}) {
            Particles p = particles_of(cases[k]);
            const auto field = make_field_solver(
                options_of(cases[k], on_host ? TreeBuiltBy::host : TreeBuiltBy::gpu));
            for (const bool refits : {false, true}) {
                const FieldSources sources{.count = p.size(),
                                           .position = view_of(std::span(p.position)),
                                           .mass = view_of(std::span(p.mass)),
                                           .softening = p.softening.empty()
                                                            ? ArrayView{}
                                                            : view_of(std::span(p.softening))};
                refits ? field->refit(sources) : field->build(sources);
                std::vector<Vec3<double>> a(points.size());
                for (const ArrayView& at : {view_of(std::span(points.position)), there}) {
                    field->evaluate({points.size(), at}, {view_of(std::span(a))});
                    felt[on_host].push_back(a);
                }
                a.resize(p.size());
                field->evaluate_sources({}, {view_of(std::span(a))});
                felt[on_host].push_back(a);
                for (std::size_t i = 0; i < p.size(); ++i)
                    p.position[i].y += 1e-4 * double(i % 3);
            }
        }
        CHECK(felt[0] == felt[1]);
    }
}

TEST_CASE("steps with host trees keep particles on the host and equal GPU steps bitwise")
{
    for (const bool individual : {false, true}) {
        CAPTURE(individual);
        Particles moved[2];
        for (const int on_host : {0, 1}) {
            Particles p = plummer(20000);
            const auto forces =
                make_solver(options_of({}, on_host ? TreeBuiltBy::host : TreeBuiltBy::automatic));
            std::optional<Leapfrog> leapfrog;
            if (individual)
                leapfrog.emplace(*forces, BlockSteps{}, Clock::newtonian(),
                                 Residence::where_solved);
            else
                leapfrog.emplace(*forces, TimeStep{.length = 0.01}, Clock::newtonian(),
                                 Residence::where_solved);
            CHECK(leapfrog->is_resident() == !on_host);
            Simulation simulation(p, *leapfrog, 0, 1e6);
            simulation.after_each_step([](Simulation& s) {
                if (s.step() == 4)
                    s.stop();
            });
            simulation.run();
            leapfrog->fetch(p);
            moved[on_host] = std::move(p);
        }
        CHECK(moved[0].position == moved[1].position);
        CHECK(moved[0].velocity == moved[1].velocity);
    }
}

TEST_CASE("host trees refuse GPU arrays")
{
    const auto solver = make_solver(options_of({}, TreeBuiltBy::host));
    CHECK_THROWS_AS(Leapfrog(*solver, TimeStep{}, Clock::newtonian(), Residence::device), Error);
    Particles p = plummer(100);
    Request request = request_of(p, Quantities::acceleration);
    request.position.on_device = true;
    CHECK(error_line([&] { solver->evaluate(request); }) ==
          "arrays on a GPU: need a tree built by the GPU");
}

TEST_SUITE_END();
