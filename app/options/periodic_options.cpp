#include "app/options/periodic_options.hpp"

#include <cmath>
#include <cstdio>

#include "app/run/particle_notes.hpp"
#include "app/text/table.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/force/list_solver.hpp"
#include "chamomile/io/comoving.hpp"

namespace chamomile::app {
namespace {

/// Such as "37.5 kpc/h", to six digits.
std::string length_text(double length, const Units& units)
{
    std::string text = formatted("%.6g", length);
    if (units.physical) {
        const std::string all = units.description();
        text.append(" ").append(all, 0, all.find(','));
    }
    return text;
}

} // namespace

bool contradicts_box(double side, const Snapshot& snapshot)
{
    const double stated = snapshot.box_size;
    return stated > 0 && std::abs(side - stated) > 1e-6 * stated;
}

void settle_box(const Options& options, Snapshot& snapshot, PeriodicOptions& periodic)
{
    const double stated = snapshot.box_size;
    if (!options.given("box"))
        periodic.box = stated;
    if (periodic && contradicts_box(periodic.box, snapshot))
        throw Error(Fault::usage, options.command() + ": --box: " + shortest(periodic.box) +
                                      ": contradicts the box of " + shortest(stated) +
                                      " in the file; --box 0 leaves boundaries open");
    if (!periodic && stated > 0)
        add_note(snapshot, "the box of size " + shortest(stated) +
                               " in the file is ignored: boundaries are open");
    if (periodic && !options.given("box") && !snapshot.comoving)
        add_note(snapshot, "the file is not comoving, but its BoxSize of " + shortest(stated) +
                               " makes gravity periodic: images of all particles pull; --box 0 "
                               "leaves boundaries open");
    if (periodic.box != stated) {
        snapshot.box_size = periodic.box;
        settle_units(snapshot);
    }
}

std::string box_text(const Options& options, const Snapshot& snapshot,
                     const PeriodicOptions& periodic)
{
    if (!periodic)
        return "";
    const std::string from = options.given("box") ? "--box"
                             : snapshot.comoving  ? "BoxSize of the file"
                                                  : "BoxSize of the file; --box 0: isolated";
    return "periodic, " + length_text(periodic.box, snapshot.units) + " (" + from + ")";
}

std::string long_range_text(const SolverOptions& settled, const Units& units)
{
    const PeriodicOptions& periodic = settled.periodic;
    if (!periodic || settled.solver == SolverKind::direct)
        return "";
    const double split = split_radius(periodic);
    const bool mesh = periodic.long_range == LongRangeKind::mesh;
    return (mesh ? formatted("mesh of %d^3, ", periodic.mesh) : std::string("modes, ")) + "r_s " +
           length_text(split, units) + ", cut at " + length_text(periodic.cut * split, units);
}

void print_box(const Options& options, const Snapshot& snapshot, const SolverOptions& settled)
{
    if (options.verbosity() == Verbosity::quiet || !settled.periodic)
        return;
    std::printf("box: %s\n", box_text(options, snapshot, settled.periodic).c_str());
    if (const std::string text = long_range_text(settled, snapshot.units); !text.empty())
        std::printf("long range: %s\n", text.c_str());
}

std::string periodic_text(const PeriodicOptions& periodic)
{
    std::string text = "modes";
    if (periodic.long_range == LongRangeKind::mesh) {
        text = periodic.mesh > 0 ? "mesh of " + std::to_string(periodic.mesh) + "^3" : "mesh";
        text += ", r_s of " + shortest(periodic.split) + " cells";
    }
    return text + ", cut at " + shortest(periodic.cut) + " r_s";
}

std::map<std::string, std::string> describe_ranges(const SolverOptions& solver)
{
    const PeriodicOptions& periodic = solver.periodic;
    const bool mesh = periodic.long_range == LongRangeKind::mesh;
    if (!periodic || solver.solver == SolverKind::direct || (mesh && periodic.mesh == 0))
        return {};
    return {{"split_radius", shortest(split_radius(periodic))},
            {"cut_radius", shortest(periodic.cut * split_radius(periodic))}};
}

} // namespace chamomile::app
