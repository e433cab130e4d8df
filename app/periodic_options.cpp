#include "app/periodic_options.hpp"

#include <cmath>

#include "app/table.hpp"
#include "chamomile/core/error.hpp"

namespace chamomile::app {
namespace {

const std::vector<std::pair<std::string, LongRangeKind>> long_range_words = {
    {"mesh", LongRangeKind::mesh}, {"modes", LongRangeKind::modes}};

} // namespace

bool contradicts_box(double side, const Snapshot& snapshot)
{
    const double stated = snapshot.box_size;
    return stated > 0 && std::abs(side - stated) > 1e-6 * stated;
}

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

void settle_periodic(const Options& options, const Snapshot& snapshot, SolverOptions& solver)
{
    PeriodicOptions& periodic = solver.periodic;
    if (!options.given("box"))
        periodic.box = snapshot.box_size;
    const auto refuse = [&](const std::string& line) {
        throw Error(Fault::usage, options.command() + ": " + line);
    };
    if (periodic && contradicts_box(periodic.box, snapshot))
        refuse("--box: " + shortest(periodic.box) + ": contradicts the box of " +
               shortest(snapshot.box_size) + " in the file; --box 0 leaves boundaries open");
    if (!periodic) {
        for (const char* const name : {"long-range", "mesh", "split", "cut"})
            if (options.given(name))
                refuse("--" + std::string(name) + ": needs a periodic box; give --box SIDE");
        return;
    }
    if (solver.solver == SolverKind::direct)
        return;
    const bool modes = periodic.long_range == LongRangeKind::modes;
    if (modes && (options.given("mesh") || options.given("split")))
        refuse("--long-range modes: takes neither --mesh nor --split");
    if (solver.order > 2)
        refuse("--order: " + std::to_string(solver.order) + ": must be 0 or 2 in a periodic box");
    if (options.given("local-order") && solver.local_order > 0)
        refuse("--local-order: must be 0 in a periodic box");
    if (options.given("accuracy"))
        refuse("--accuracy: is not for periodic boxes; give --tolerance and --cut");
    solver.local_order = 0;
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

std::map<std::string, std::string> describe_periodic(const SolverOptions& solver)
{
    const PeriodicOptions& periodic = solver.periodic;
    if (!periodic || solver.solver == SolverKind::direct)
        return {};
    const bool mesh = periodic.long_range == LongRangeKind::mesh;
    std::map<std::string, std::string> words{{"long_range", mesh ? "mesh" : "modes"},
                                             {"cut", shortest(periodic.cut)}};
    if (mesh) {
        words["mesh"] = std::to_string(periodic.mesh);
        words["split"] = shortest(periodic.split);
    }
    return words;
}

} // namespace chamomile::app
