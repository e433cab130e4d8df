#include "chamomile/integrate/step_checks.hpp"

#include <cmath>
#include <string>

#include "chamomile/core/error.hpp"

namespace chamomile {

bool is_softened(const SolverOptions& forces)
{
    return forces.softening.length > 0 || forces.softening.per_particle;
}

void require_valid(const BlockSteps& o, const SolverOptions& forces)
{
    const auto refuse = [](const std::string& what, double value, const char* allowed) {
        throw Error(Fault::usage,
                    "block steps: " + what + ": " + std::to_string(value) + ": must be " + allowed);
    };
    if (!(o.eta > 0 && std::isfinite(o.eta)))
        refuse("eta", o.eta, "> 0");
    if (!(o.longest > 0))
        refuse("longest", o.longest, "> 0");
    if (!(o.shortest >= 0 && o.shortest <= o.longest))
        refuse("shortest", o.shortest, ">= 0 and <= the longest");
    if (o.rungs < 0 || o.rungs > 40)
        refuse("rungs", o.rungs, "0 to 40");
    if (o.rebuild && !(*o.rebuild >= 0))
        refuse("rebuild", *o.rebuild, ">= 0");
    require_zero(o.criterion, forces.is_periodic());
    if (o.criterion == StepCriterion::softening && !is_softened(forces))
        throw Error(Fault::usage, "block steps: criterion 'softening' needs a softening length > "
                                  "0; 'potential' needs none");
}

void require_valid(const TimeStep& step, const SolverOptions& forces)
{
    validate(step);
    if (step.kind != TimeStepKind::adaptive)
        return;
    require_zero(step.criterion, forces.is_periodic());
    if (step.criterion == StepCriterion::softening && !is_softened(forces))
        throw Error(Fault::usage, "time step: adaptive steps need a softening length > 0");
}

} // namespace chamomile
