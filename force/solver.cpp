// Chooses the parts of a solver: device, key sorter, evaluator, sizes.
#include "chamomile/force/solver.hpp"

#include <cmath>
#include <cstdio>

#include "chamomile/core/error.hpp"
#include "chamomile/core/instruction_sets.hpp"
#include "chamomile/force/gpu.hpp"
#include "chamomile/force/list_solver.hpp"
#include "chamomile/force/periodic_direct.hpp"

namespace chamomile {
namespace {

std::string in_words(double value)
{
    char text[32];
    std::snprintf(text, sizeof text, "%g", value);
    return text;
}

void check_periodic(const SolverOptions& o)
{
    const auto refuse = [](const std::string& line) { throw Error(Fault::usage, line); };
    const PeriodicOptions& p = o.periodic;
    if (o.solver == SolverKind::tree && o.order > 2)
        refuse("order: " + std::to_string(o.order) + ": must be 0 or 2 in a periodic box");
    if (p.mesh < 0 || p.mesh > 32768 || (p.mesh > 0 && p.mesh < 16))
        refuse("mesh: " + std::to_string(p.mesh) + ": must be 16 to 32768, or 0");
    if (!(p.split >= 0.5) || !(p.split <= 10))
        refuse("split: " + in_words(p.split) + ": must be 0.5 to 10");
    if (!(p.cut >= 3) || !(p.cut <= 7))
        refuse("cut: " + in_words(p.cut) + ": must be 3 to 7");
    if (p.long_range == LongRangeKind::mesh && p.mesh > 0 &&
        p.cut * p.split / p.mesh > most_of_periodic_box)
        refuse("mesh: " + std::to_string(p.mesh) + ": too few cells: the cut of " +
               in_words(p.cut * p.split) + " cells must be less than 0.45 of the box");
    if (o.softening.length > 0.1 * p.box)
        refuse("eps: " + in_words(o.softening.length) + ": must be at most a tenth of the box");
    if (o.accuracy)
        refuse("accuracy: is not for periodic boxes; choose tolerance and cut");
}

void check(const SolverOptions& o)
{
    const auto refuse = [](const std::string& line) { throw Error(Fault::usage, line); };
    if (!(o.theta > 0) || !(o.theta <= 1.5))
        refuse("theta: " + in_words(o.theta) + ": must be above 0 and at most 1.5");
    if (!(o.tolerance > 0) || !(o.tolerance <= 1))
        refuse("tolerance: " + in_words(o.tolerance) + ": must be above 0 and at most 1");
    if (o.local_order != 0 && (o.local_order < 3 || o.local_order > 6))
        refuse("local order: " + std::to_string(o.local_order) + ": must be 3 to 6, or 0");
    if (o.order < 0 || o.order == 1 || o.order > 4)
        refuse("order: " + std::to_string(o.order) +
               ": must be 0 (monopole), 2 (quadrupole), 3 (octupole) or 4 (hexadecapole)");
    if (o.group_size < 0 || o.group_size > 1 << 20)
        refuse("group size: " + std::to_string(o.group_size) + ": must be 1 to 1048576, or 0");
    if (o.leaf_size < 0 || o.leaf_size > 1 << 20)
        refuse("leaf size: " + std::to_string(o.leaf_size) + ": must be 1 to 1048576, or 0");
    if (o.batch_size < 0)
        refuse("batch size: " + std::to_string(o.batch_size) + ": must be 1 or more, or 0");
    if (o.decorrelate && o.solver != SolverKind::tree)
        refuse("decorrelate: needs the tree solver");
    if (!(o.softening.length >= 0) || !std::isfinite(o.softening.length))
        refuse("eps: " + in_words(o.softening.length) + ": must be 0 or more");
    if (!(o.gravitational_constant > 0) || !std::isfinite(o.gravitational_constant))
        refuse("G: " + in_words(o.gravitational_constant) + ": must be above 0");
    if (o.accuracy)
        check_goal(*o.accuracy);
    if (!(o.periodic.box >= 0) || !std::isfinite(o.periodic.box))
        refuse("box: " + in_words(o.periodic.box) + ": must be 0 or more");
    if (o.periodic)
        check_periodic(o);
}

/// Sizes measured to be fastest near a tolerance of 0.001; docs/performance.md has the figures.
void choose_sizes(SolverOptions& o, bool gpu)
{
    const bool direct = o.solver == SolverKind::direct;
    if (o.group_size == 0)
        o.group_size = gpu || direct ? 512 : 128; // a GPU's direct solver takes its own
    if (direct)
        o.leaf_size = o.group_size; // cells are made for the groups' sake alone
    if (direct || o.periodic)
        o.local_order = 0;
    if (direct)
        return;
    if (o.leaf_size == 0)
        o.leaf_size = gpu ? 32 : 24;
}

} // namespace

SolverOptions settled(const SolverOptions& options)
{
    check(options);
    SolverOptions chosen = options;
    const int gpu = choose_gpu(options.device);
    chosen.device = gpu < 0 ? "cpu" : "gpu:" + std::to_string(gpu);
    choose_sizes(chosen, gpu >= 0);
    if (gpu < 0 && chosen.instruction_set == "auto")
        chosen.instruction_set = instruction_sets().front();
    return chosen;
}

SolverParts make_parts(const SolverOptions& settled, bool targets_apart)
{
    const int gpu = choose_gpu(settled.device);
    if (gpu >= 0)
        return make_cuda_parts(gpu, settled.precision, targets_apart);
    return {make_host_tree_builder(),
            make_host_evaluator(settled.precision, settled.instruction_set),
            targets_apart ? make_host_tree_builder() : nullptr};
}

std::unique_ptr<Solver> make_solver(const SolverOptions& options)
{
    if (options.accuracy)
        return make_accurate_solver(options);
    const SolverOptions chosen = settled(options);
    const int gpu = choose_gpu(chosen.device);
    if (chosen.periodic)
        return chosen.solver == SolverKind::tree ? make_periodic_solver(chosen, nullptr)
                                                 : make_periodic_direct_solver(chosen);
    if (gpu >= 0 && chosen.solver == SolverKind::direct)
        return make_cuda_direct_solver(gpu, chosen);
    SolverParts parts = make_parts(chosen);
    if (chosen.solver == SolverKind::tree)
        return make_tree_solver(chosen, std::move(parts));
    return make_direct_solver(chosen, std::move(parts));
}

} // namespace chamomile
