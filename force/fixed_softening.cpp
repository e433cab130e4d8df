// What a solver says that cannot change its softening.
#include <cstdio>

#include "chamomile/core/error.hpp"
#include "chamomile/force/solver.hpp"

namespace chamomile {

void Solver::soften(double length)
{
    if (length == options().softening.length)
        return;
    char text[32];
    std::snprintf(text, sizeof text, "%g", length);
    throw Error(Fault::usage, std::string("eps: ") + text +
                                  ": this solver cannot change its softening as a run goes on");
}

} // namespace chamomile
