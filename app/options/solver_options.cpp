#include "app/options/solver_options.hpp"

#include <algorithm>

#include "app/options/option_uses.hpp"
#include "app/options/periodic_options.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/force/lists/list_solver.hpp"
#include "chamomile/force/periodic/softening_cut.hpp"
#include "chamomile/force/ranks/domain_solver.hpp"
#include "chamomile/force/threads.hpp"
#include "chamomile/run/texts/method_text.hpp"
#include "chamomile/run/texts/particle_notes.hpp"
#include "chamomile/run/texts/stated_forces.hpp"

namespace chamomile::app {

void add_force_options(Options& options, SolverOptions& solver, ForceUse use)
{
    for (const auto& row : force_options())
        if (use == ForceUse::run || !(row.needs & needs_steps))
            options.option(row, solver);
}

void require(const Options& options, const Refusal& refusal)
{
    if (refusal)
        throw Error(Fault::usage, options.command() + ": " + *refusal);
}

void resolve_forces(const Options& options, SolverOptions& solver)
{
    require(options, resolve_method(solver, options.asked()));
}

void refuse_tree_options(const Options& options, const std::string& because)
{
    require(options, refuse_idle_rows(force_options(), options.asked(), {{needs_tree, because}}));
}

bool set_from_file(SolverOptions& solver, Snapshot& snapshot, const Options& options,
                   const Clock& clock, double time)
{
    require(options, adopt_stated(snapshot, options.asked(), solver));
    warn_of_box(options, snapshot, solver);
    require(options, resolve_boundary(solver, options.asked()));
    Softening used = solver.softening;
    used.length = clock.softening(time, used.length);
    require(options, refuse_softening(known_forces(solver, snapshot), used));
    return snapshot.softening || options.given("eps") || options.given("eps-type");
}

int threads_for(const Options& options, const SolverOptions& solver)
{
    constexpr int max_beside_gpu = 32; // docs/explanation/decisions.md, 351
    const int max = max_beside_gpu * std::max(1, own_ranks(solver));
    if (options.given("threads") || thread_count() <= max)
        return 0;
    return resolved(of_first_rank(solver)).device == "cpu" ? 0 : max;
}

void warn_of_idle_on_device(const Options& options, const SolverOptions& solver, Snapshot& snapshot)
{
    const bool gpu = resolved(of_first_rank(solver)).device != "cpu";
    const bool direct = solver.solver == SolverKind::direct;
    const auto note = [&](const char* names, const char* because) {
        for (const std::string& name : given_of(options, names))
            add_note(snapshot, name + ": nothing uses it: " + because);
    };
    if (!gpu)
        note("host-below on-device-error", "the processor evaluates all pairs");
    if (gpu && !options.given("host-below"))
        note("instruction-set", "a GPU evaluates the pairs");
    if (gpu && direct)
        note("group-size", "the GPU's direct sums have one of their own");
}

} // namespace chamomile::app
