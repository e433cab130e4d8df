#include "app/options/periodic_options.hpp"

#include <cstdio>

#include "app/options/option_uses.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/io/comoving.hpp"
#include "chamomile/run/method_text.hpp"
#include "chamomile/run/particle_notes.hpp"

namespace chamomile::app {
namespace {

const std::vector<std::pair<std::string, LongRangeKind>> long_range_words = {
    {"mesh", LongRangeKind::mesh}, {"modes", LongRangeKind::modes}};

} // namespace

void add_periodic_options(Options& options, PeriodicOptions& periodic)
{
    options.group("Periodic boxes");
    options.number(
        "box", periodic.box, ranges::side_or_none,
        "side of a periodic cube [0, SIDE)^3; that of the file unless given; 0: isolated");
    options.choice("long-range", periodic.long_range, long_range_words,
                   "the smooth part of the force: on a mesh (TreePM) or by Fourier modes (Ewald)");
    options.number("mesh", periodic.mesh, between(0, 32768),
                   "cells of the mesh along a side; 0: chosen by the number of particles");
    options.number("split", periodic.split, between(0.5, 10),
                   "r_s, where tree and mesh share the force, in cells of the mesh");
    options.number("cut", periodic.cut, between(3, 7), "where the tree's part ends, in r_s");
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

void settle_periodic(const Options& options, SolverOptions& solver)
{
    PeriodicOptions& periodic = solver.periodic;
    const bool direct = solver.solver == SolverKind::direct;
    const bool modes = periodic.long_range == LongRangeKind::modes;
    const std::string in_double = "direct sums in a periodic box are made in double, on the "
                                  "processor";
    refuse_idle(options,
                {{!periodic, "long-range mesh split cut", "needs a periodic box; give --box SIDE"},
                 {direct, "long-range mesh split cut", "needs --solver tree"},
                 {modes, "mesh split", "is not for --long-range modes"},
                 {periodic && direct, "group-size", "needs --solver tree in a periodic box"},
                 {periodic && direct && solver.precision == Precision::single_precision,
                  "precision", in_double},
                 {periodic && direct && solver.device.starts_with("gpu"), "device", in_double},
                 {bool(periodic), "accuracy accuracy-percentile accuracy-every",
                  "is not for periodic boxes; give --tolerance and --cut"}});
    if (!periodic || direct)
        return;
    const auto refuse = [&](const std::string& line) {
        throw Error(Fault::usage, options.command() + ": " + line);
    };
    if (solver.order > 2)
        refuse("--order: " + std::to_string(solver.order) + ": must be 0 or 2 in a periodic box");
    if (options.given("local-order") && solver.local_order > 0)
        refuse("--local-order: must be 0 in a periodic box");
    solver.local_order = 0;
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

void print_box(const Options& options, const Snapshot& snapshot, const SolverOptions& settled)
{
    if (options.verbosity() == Verbosity::quiet || !settled.periodic)
        return;
    std::printf("box: %s\n", box_text(options, snapshot, settled.periodic).c_str());
    if (const std::string text = long_range_text(settled, snapshot.units); !text.empty())
        std::printf("long range: %s\n", text.c_str());
}

} // namespace chamomile::app
