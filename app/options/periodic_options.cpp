#include "app/options/periodic_options.hpp"

#include <cstdio>

#include "chamomile/core/error.hpp"
#include "chamomile/io/comoving.hpp"
#include "chamomile/run/texts/method_text.hpp"
#include "chamomile/run/texts/particle_notes.hpp"

namespace chamomile::app {

void warn_of_box(const Options& options, Snapshot& snapshot, const SolverOptions& solver)
{
    const double stated = snapshot.box_size;
    if (!solver.is_periodic() && stated > 0)
        add_note(snapshot, "the box of size " + shortest(stated) +
                               " in the file is ignored: boundaries are open");
    if (solver.is_periodic() && !options.given("box") && !snapshot.comoving)
        add_note(snapshot, "the file is not comoving, but its BoxSize of " + shortest(stated) +
                               " makes gravity periodic: images of all particles pull; --box 0 "
                               "leaves boundaries open");
    if (solver.box != stated) {
        snapshot.box_size = solver.box;
        infer_units(snapshot);
    }
}

std::string box_text(const Options& options, const Snapshot& snapshot, const SolverOptions& solver)
{
    if (!solver.is_periodic())
        return "";
    const std::string from = options.given("box") ? "--box"
                             : snapshot.comoving  ? "BoxSize of the file"
                                                  : "BoxSize of the file; --box 0: isolated";
    return "periodic, " + length_text(solver.box, snapshot.units) + " (" + from + ")";
}

void print_box(const Options& options, const Snapshot& snapshot, const SolverOptions& resolved)
{
    if (options.verbosity() == Verbosity::quiet || !resolved.is_periodic())
        return;
    std::printf("box: %s\n", box_text(options, snapshot, resolved).c_str());
    if (const std::string text = long_range_text(resolved, snapshot.units); !text.empty())
        std::printf("long range: %s\n", text.c_str());
}

} // namespace chamomile::app
