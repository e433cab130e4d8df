/// \file  The solvers for tests of common behaviours.
#pragma once

#include <string>
#include <vector>

#include "chamomile/force/gpu.hpp"
#include "chamomile/force/solver.hpp"

namespace chamomile::tests {

struct SolverUnderTest {
    std::string name;
    SolverOptions options;
    double rounding; ///< change in |a| from summation order
    double accuracy; ///< max error of |a|, multipoles included
};

/// Returns direct sum and tree, in float and double, on the host and, if available, the first GPU.
inline std::vector<SolverUnderTest> all_solvers(Softening softening = {})
{
    std::vector<std::string> devices{"cpu"};
    if (!list_gpus().empty())
        devices.push_back("gpu");
    std::vector<SolverUnderTest> solvers;
    for (const std::string& device : devices)
        for (SolverKind kind : {SolverKind::direct, SolverKind::tree})
            for (Precision precision : {Precision::single_precision, Precision::double_precision}) {
                const bool tree = kind == SolverKind::tree;
                const bool single = precision == Precision::single_precision;
                SolverOptions options;
                options.solver = kind;
                options.softening = softening;
                options.precision = precision;
                options.device = device;
                const std::string name =
                    std::string(tree ? "tree" : "direct") + (single ? ", float, " : ", double, ");
                const double rounding = single ? 1e-5 : 1e-12;
                solvers.push_back({name + device, options, rounding, tree ? 3e-2 : rounding});
            }
    return solvers;
}

} // namespace chamomile::tests
