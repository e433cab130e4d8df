// Forces in a periodic box on ranks: the bits of one rank with a mesh, exact sums on the mesh, and
// one line for what ranks refuse.
#include <cmath>
#include <mutex>
#include <string>

#include <doctest/doctest.h>

#include "chamomile/core/error.hpp"
#include "chamomile/force/mesh/mesh_gravity.hpp"
#include "tests/unit/error_line.hpp"
#include "tests/unit/periodic_sets.hpp"
#include "tests/unit/rank_series.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("rank_boxes");

namespace {

/// Forces at particles, with potentials.
struct Forces {
    std::vector<Vec3<double>> acceleration;
    std::vector<double> potential;
};

/// Returns the long range at this rank's particles: every P-th, or all with one rank.
Forces long_range(const Particles& all, const MeshOptions& options, Communicator* ranks)
{
    const std::size_t first = ranks ? std::size_t(ranks->rank()) : 0,
                      step = ranks ? std::size_t(ranks->size()) : 1;
    std::vector<Vec3<double>> position;
    std::vector<double> mass;
    for (std::size_t i = first; i < all.size(); i += step) {
        position.push_back(all.position[i]);
        mass.push_back(all.mass[i]);
    }
    const std::size_t n = mass.size();
    Forces forces{std::vector<Vec3<double>>(n), std::vector<double>(n)};
    Profile profile;
    const auto mesh = make_mesh_gravity({1}, options, ranks);
    const ArrayView places = view_of(std::span(std::as_const(position)));
    mesh->prepare(n, places, view_of(std::span(std::as_const(mass))), profile);
    mesh->prepare_potential(profile);
    mesh->add(n, places, {}, 1, view_of(std::span(forces.acceleration)),
              view_of(std::span(forces.potential)), profile);
    return forces;
}

SolverOptions box_options()
{
    SolverOptions options;
    options.device = "cpu";
    options.box = 1;
    options.softening.length = 1e-3;
    return options;
}

} // namespace

TEST_CASE("the mesh of ranks has the bits of one rank")
{
    const Particles all = periodic_sets(2000)[1].particles;
    for (const Differentiation by : {Differentiation::spectral, Differentiation::four_point}) {
        const MeshOptions options{.cells = 24, .differentiation = by};
        const Forces one = long_range(all, options, nullptr);
        for (const int P : {1, 2, 3, 4, 7}) {
            CAPTURE(P);
            std::mutex mutex;
            int equal = 0;
            run_ranks(P, [&](Communicator& ranks) {
                const Forces own = long_range(all, options, &ranks);
                const std::lock_guard lock(mutex);
                for (std::size_t k = 0; k < own.potential.size(); ++k) {
                    const std::size_t i = k * std::size_t(P) + std::size_t(ranks.rank());
                    equal += own.acceleration[k] == one.acceleration[i] &&
                             own.potential[k] == one.potential[i];
                }
            });
            CHECK(equal == int(all.size()));
        }
    }
}

TEST_CASE("forces in a box on ranks equal a single rank, with kept cells and few targets")
{
    struct Way {
        const char* name;
        SolverOptions options;
    };
    const auto way = [](const char* name, auto change) {
        Way one{name, box_options()};
        change(one.options);
        return one;
    };
    const Way ways[] = {
        way("defaults", [](SolverOptions&) {}),
        way("a wide cut", [](SolverOptions& o) { o.periodic.mesh = 16; }),
        way("a narrow cut", [](SolverOptions& o) { o.periodic.mesh = 96; }),
        way("by angles in double",
            [](SolverOptions& o) {
                o.criterion = Criterion::minimum_distance;
                o.precision = Precision::double_precision;
            }),
        way("relative", [](SolverOptions& o) { o.criterion = Criterion::relative; })};
    int number = 0;
    for (const PeriodicSet& set : periodic_sets(4000)) {
        CAPTURE(set.name);
        for (std::size_t k = 0; k < 2; ++k) { // two ways for each set
            const Way& one = ways[(2 * std::size_t(number) + k) % std::size(ways)];
            CAPTURE(one.name);
            const Series alone = evaluate_blocks(set.particles, *make_solver(one.options));
            for (const int P : {1 + (number + int(k)) % 3, 4 + 3 * int(k)})
                check_blocks(alone, set.particles, one.options, P);
        }
        ++number;
    }
    check_blocks(evaluate_blocks(periodic_sets(3000)[2].particles, *make_solver(ways[0].options)),
                 periodic_sets(3000)[2].particles, ways[0].options, held_back_ranks);
}

TEST_CASE("per-particle softening and tracers in a box on ranks equal a single rank")
{
    SolverOptions options = box_options();
    options.softening.per_particle = true;
    for (const SofteningKind kind : {SofteningKind::plummer, SofteningKind::spline}) {
        options.softening.kind = kind;
        Particles p = periodic_sets(3000)[1].particles;
        for (std::size_t i = 0; i < p.size(); ++i)
            p.softening.push_back(i % 3 ? 0.003 : 0.01);
        for (std::size_t i = p.size() - 400; i < p.size(); ++i)
            p.mass[i] = 0;
        const Series alone = evaluate_blocks(p, *make_solver(options));
        for (const int P : {2, 3, 7})
            check_blocks(alone, p, options, P);
    }
}

TEST_CASE("direct sums in a box on ranks equal a single rank")
{
    SolverOptions options = box_options();
    options.solver = SolverKind::direct;
    const Particles p = periodic_sets(700)[2].particles;
    const Series alone = evaluate_blocks(p, *make_solver(options));
    for (const int P : {2, 7})
        check_blocks(alone, p, options, P);
}

TEST_CASE("Ewald modes on ranks agree with a single rank to 2e-6")
{
    SolverOptions options = box_options();
    options.periodic.long_range = LongRangeKind::modes;
    Particles one = periodic_sets(3000)[0].particles, several = one;
    make_solver(options)->solve(one, Quantities::acceleration_potential);
    for (const int P : {2, 3, 7}) {
        SolverOptions own = options;
        own.own_ranks = P;
        make_solver(own)->solve(several, Quantities::acceleration_potential);
        CHECK(rms(several.acceleration, one.acceleration) < 2e-6);
    }
}

TEST_CASE("a rank needs only cells within the cut of its domain")
{
    SolverOptions options = box_options();
    options.own_ranks = 4;
    Particles p = periodic_sets(20000)[0].particles;
    const auto imported = [&](int mesh) {
        options.periodic.mesh = mesh;
        return make_solver(options)->solve(p, Quantities::acceleration).ranks->imported_particles;
    };
    const std::uint64_t near = imported(96), far = imported(24);
    CHECK(near > 0);
    CHECK(4 * near < 3 * far);
}

TEST_CASE("what ranks cannot compute in a box is refused with an error line")
{
    const auto refusal = [](int P, auto change) {
        SolverOptions options = box_options();
        options.own_ranks = P;
        change(options);
        Particles p = periodic_sets(300)[0].particles;
        return error_line([&] { make_solver(options)->solve(p, Quantities::acceleration); });
    };
    CHECK(refusal(20, [](SolverOptions& o) { o.periodic.mesh = 16; }) ==
          "mesh: 16: must be at least the number of ranks, 20");
    CHECK(refusal(2, [](SolverOptions& o) {
              o.softening.length = 0.05;
          }).starts_with("eps: 0.05: must be at most"));
    std::string lines[2];
    run_ranks(2, [&](Communicator& ranks) {
        SolverOptions options = box_options();
        options.box = 1 + ranks.rank();
        lines[ranks.rank()] = error_line([&] { DistributedSolver solver(options, ranks); });
    });
    CHECK(lines[0] == "rank 1 of 2: options or version: must be equal on all ranks");
    CHECK(lines[1] == lines[0]);
}

TEST_CASE("imports suffice when the typical acceleration falls between evaluations")
{
    for (const PeriodicSet& set : periodic_sets(9973)) {
        CAPTURE(set.name);
        Particles one = set.particles, several = set.particles, heavy = set.particles;
        make_solver(box_options())->solve(one, Quantities::acceleration);
        for (double& m : heavy.mass)
            m *= 1e6;
        SolverOptions options = box_options();
        options.own_ranks = 3;
        const auto solver = make_solver(options);
        solver->solve(heavy, Quantities::acceleration);
        solver->solve(several, Quantities::acceleration);
        CHECK(several.acceleration == one.acceleration);
    }
}

TEST_CASE("coincident particles without softening are named as on a single rank")
{
    Particles p = periodic_sets(1000)[0].particles;
    p.position[700] = p.position[20];
    SolverOptions options = box_options();
    options.softening.length = 0;
    std::string lines[2];
    for (const int P : {0, 3}) {
        options.own_ranks = P;
        lines[P > 0] =
            error_line([&] { make_solver(options)->solve(p, Quantities::acceleration_potential); });
    }
    CHECK(!lines[0].empty());
    CHECK(lines[1] == lines[0]);
}

TEST_SUITE_END();
