// Runs behaviours.hpp on the first GPU. The suite is skipped without a GPU.
#include <doctest/doctest.h>

#include "tests/unit/behaviours.hpp"
#include "tests/unit/clouds.hpp"
#include "tests/unit/force_errors.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("gpu_force");

TEST_CASE("the GPU evaluator fulfils all common behaviours")
{
    check_behaviours(force_behaviours, {{"gpu"}});
}

TEST_CASE("direct sums reach 3e-7 for every target, however forces cancel")
{
    check_cancelling_forces({{"gpu"}});
}

TEST_CASE("host and GPU forces agree to 1e-6 with identical lists")
{
    const Particles p = plummer(100003);
    for (auto kind : {SofteningKind::plummer, SofteningKind::spline})
        for (int order : {0, 2, 3, 4}) {
            CAPTURE(order);
            SolverOptions o;
            o.softening = {kind, 0.01};
            o.order = order;
            o.group_size = 512;
            o.cluster_size = 8;
            o.leaf_size = 32;
            Particles host = p, gpu = p;
            o.device = "cpu";
            make_solver(o)->solve(host, Quantities::acceleration_potential);
            o.device = "gpu";
            make_solver(o)->solve(gpu, Quantities::acceleration_potential);
            std::vector<double> differences, of_potential;
            for (std::size_t i = 0; i < p.size(); ++i) {
                differences.push_back(norm(gpu.acceleration[i] - host.acceleration[i]) /
                                      norm(host.acceleration[i]));
                of_potential.push_back(std::abs(gpu.potential[i] / host.potential[i] - 1));
            }
            std::sort(differences.begin(), differences.end());
            std::sort(of_potential.begin(), of_potential.end());
            CHECK(differences[p.size() * 99 / 100] < 1e-6);
            CHECK(of_potential[p.size() * 99 / 100] < 1e-6);
        }
}

TEST_CASE("host and GPU agree in double precision for all orders")
{
    const Particles p = plummer(20011);
    for (int order : {2, 3, 4})
        for (int local_order : {0, 3, 6}) {
            CAPTURE(order);
            CAPTURE(local_order);
            SolverOptions o;
            o.softening.length = 0.05;
            o.precision = Precision::double_precision;
            o.order = order;
            o.local_order = local_order;
            o.group_size = 200;
            o.cluster_size = 8;
            o.leaf_size = 32;
            Particles host = p, gpu = p;
            o.device = "cpu";
            make_solver(o)->solve(host, Quantities::acceleration_potential);
            o.device = "gpu";
            make_solver(o)->solve(gpu, Quantities::acceleration_potential);
            double largest = 0, of_potential = 0;
            for (std::size_t i = 0; i < p.size(); ++i) {
                largest = std::max(largest, norm(gpu.acceleration[i] - host.acceleration[i]) /
                                                norm(host.acceleration[i]));
                of_potential =
                    std::max(of_potential, std::abs(gpu.potential[i] / host.potential[i] - 1));
            }
            CHECK(largest < 1e-11);
            CHECK(of_potential < 1e-13 * 10);
        }
}

TEST_CASE("direct sums of many particles stay accurate for all and for active targets")
{
    Particles p = hernquist(40009);
    std::vector<Index> active;
    for (Index i = 3; i < p.size(); i += 4)
        active.push_back(i);
    SolverOptions o;
    o.device = "gpu";
    o.solver = SolverKind::direct;
    for (const bool massless : {false, true}) { // without a mass none go into the coordinates
        if (massless)
            for (std::size_t i = 0; i < p.size(); i += 5)
                p.mass[i] = i % 2 ? 0 : 3 * p.mass[i];
        const auto solver = make_solver(o);
        Particles all = p, some = p;
        solver->solve(all, Quantities::acceleration_potential);
        solver->solve(some, Quantities::acceleration_potential, active);
        const auto targets = sample_targets(p.size(), 1031);
        const ForceErrors e = force_errors(all, reference_sum(p, targets, {}, 1), targets);
        CHECK(e.acceleration.p99 < 3.6e-7);
        CHECK(e.acceleration.max < 2.4e-6);
        CHECK(e.potential.max < 1e-6);
        std::size_t different = 0;
        for (Index i = 0; i < p.size(); ++i)
            different += i % 4 == 3 ? norm(some.acceleration[i] - all.acceleration[i]) >
                                          5e-6 * norm(all.acceleration[i])
                                    : norm(some.acceleration[i]) > 0;
        CHECK(different == 0);
    }
}

TEST_SUITE_END();
