#include "tests/unit/field_behaviours.hpp"

#include <omp.h>

#include "chamomile/core/error.hpp"
#include "tests/unit/field_setups.hpp"

namespace chamomile::tests {

void check_field_at_points(const Machine& machine)
{
    const Particles p = moving_plummer(3000);
    for (const Setup& setup : setups)
        for (const double eps : {0.0, 0.02})
            for (const std::size_t n : {1, 33, 2500}) {
                CAPTURE(setup.name);
                CAPTURE(eps);
                CAPTURE(n);
                Vectors points = points_about(p, n, n == 2500 ? 0.3 : 5);
                if (n == 2500)
                    points[0] = {1e4, -2e4, 3e3};
                const auto field = make_field_solver(options_of(machine, setup, eps));
                field->build(sources_of(p));
                const Felt felt(*field, points);
                CHECK(felt.statistics.targets == n);
                check_felt(felt, p, points, eps, setup);
                // Further outputs change no digit, nor does the thread count.
                Vectors alone(n);
                const int threads = omp_get_max_threads();
                omp_set_num_threads(3);
                field->evaluate({n, view_of(std::span(points))}, {view_of(std::span(alone))});
                omp_set_num_threads(threads);
                std::vector<double> phi_alone(n);
                field->evaluate({n, view_of(std::span(points))},
                                {.potential = view_of(std::span(phi_alone))});
                CHECK(phi_alone == felt.phi);
                if (machine.device == "cpu")
                    CHECK(alone == felt.a);
            }
}

void check_field_at_sources(const Machine& machine)
{
    Particles p = moving_plummer(5000);
    for (const Setup& setup : setups) {
        CAPTURE(setup.name);
        const SolverOptions options = options_of(machine, setup, 0.01);
        const auto field = make_field_solver(options);
        field->build(sources_of(p));
        Vectors a(p.size());
        std::vector<double> phi(p.size());
        field->evaluate_sources({}, {view_of(std::span(a)), view_of(std::span(phi))});
        make_solver(options)->solve(p, Quantities::acceleration_potential);
        CHECK(a == p.acceleration);
        CHECK(phi == p.potential);

        const std::vector<Index> active{4999, 3, 1000, 1001, 42};
        Vectors few(active.size());
        std::vector<double> few_phi(active.size());
        field->evaluate_sources(active, {view_of(std::span(few)), view_of(std::span(few_phi))});
        make_solver(options)->solve(p, Quantities::acceleration_potential, active);
        for (std::size_t k = 0; k < active.size(); ++k) {
            CHECK(few[k] == p.acceleration[active[k]]);
            CHECK(few_phi[k] == p.potential[active[k]]);
        }
    }
    p.position[7] = p.position[8];
    SolverOptions options = options_for(machine);
    options.softening.length = 0;
    const auto field = make_field_solver(options);
    field->build(sources_of(p));
    Vectors a(p.size());
    CHECK_THROWS_WITH_AS(field->evaluate_sources({}, {view_of(std::span(a))}),
                         doctest::Contains("coincident"), Error);
}

void check_field_of_selves(const Machine& machine)
{
    const Particles p = moving_plummer(2000);
    std::vector<std::int64_t> self(1500, -1);
    Vectors points(self.size());
    for (std::size_t i = 0; i < self.size(); ++i) {
        const std::size_t j = (i * 7) % p.size();
        points[i] = p.position[j]; // some twice; every third not marked as a source
        self[i] = i % 3 == 0 ? -1 : std::int64_t(j);
    }
    points[4] = points[5], self[4] = self[5];
    for (const Setup& setup : setups)
        for (const double eps : {0.0, 1e-3}) {
            CAPTURE(setup.name);
            CAPTURE(eps);
            const auto field = make_field_solver(options_of(machine, setup, eps));
            field->build(sources_of(p));
            check_felt(Felt(*field, points, self), p, points, eps, setup, self);
        }
}

} // namespace chamomile::tests
