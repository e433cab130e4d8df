// Gradients with a solver on a GPU: direct sums there, trees on the host. Skipped without a GPU.
#include <doctest/doctest.h>

#include "tests/unit/adjoint_setups.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("gpu_adjoint");

TEST_CASE("gradients of solvers on a GPU are those of the host")
{
    for (const bool per_particle : {false, true}) {
        Particles p = plummer(4000);
        for (std::size_t i = 0; i < p.size(); ++i) {
            p.mass[i] *= i % 3 == 1 ? 0 : 1;
            if (per_particle)
                p.softening.push_back(i % 2 ? 0.02 : 0.1);
        }
        const Loss loss(p.size());
        for (const SofteningKind kind : {SofteningKind::plummer, SofteningKind::spline}) {
            SolverOptions options;
            options.solver = SolverKind::direct;
            options.precision = Precision::double_precision;
            options.softening = {kind, 0.05, SofteningRule::larger, per_particle};
            options.device = "cpu";
            const Gradient exact(options, p, loss);
            options.device = "gpu";
            CHECK(GradientErrors::at(GradientErrors(Gradient(options, p, loss), exact).position,
                                     100) < 1e-11);
            options.precision = Precision::single_precision;
            CHECK(GradientErrors::at(GradientErrors(Gradient(options, p, loss), exact).position,
                                     99) < 1e-5);
            options.solver = SolverKind::tree;
            options.tolerance = 1e-5;
            const Gradient found(options, p, loss);
            options.device = "cpu";
            CHECK(found == Gradient(options, p, loss));
        }
    }
}

TEST_SUITE_END();
