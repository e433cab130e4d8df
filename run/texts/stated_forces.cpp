#include "chamomile/run/texts/stated_forces.hpp"

#include "chamomile/core/number_text.hpp"
#include "chamomile/io/comoving.hpp"

namespace chamomile {

Refusal take_stated(const Snapshot& snapshot, const GivenOptions& given, SolverOptions& solver)
{
    if (!given.contains("G"))
        solver.gravitational_constant = snapshot.G();
    if (snapshot.softening && !given.contains("eps"))
        solver.softening.length = snapshot.softening->length;
    if (snapshot.softening && !given.contains("softening"))
        solver.softening.kind = snapshot.softening->kind;
    if (!given.contains("box"))
        solver.box = snapshot.box_size;
    else if (solver.is_periodic() && contradicts_box(solver.box, snapshot))
        return "--box: " + number_text(solver.box) + ": contradicts the box of " +
               number_text(snapshot.box_size) + " in the snapshot; --box 0 leaves boundaries open";
    return {};
}

} // namespace chamomile
