#include "app/options/solver_options.hpp"

#include <algorithm>

#include "app/options/option_uses.hpp"
#include "app/options/periodic_options.hpp"
#include "app/run/particle_notes.hpp"
#include "app/structures/linear_theory.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/force/list_solver.hpp"

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

void settle_forces(const Options& options, SolverOptions& solver)
{
    require(options, settle_method(solver, options.asked()));
}

void refuse_tree_options(const Options& options, const std::string& because)
{
    require(options, refuse_idle_rows(force_options(), options.asked(), {{needs_tree, because}}));
}

std::string criterion_text(const SolverOptions& solver)
{
    const bool tolerance = compares_accelerations(solver.criterion);
    const bool named = solver.criterion != SolverOptions().criterion;
    return (named ? row_of(force_options(), "criterion").text(solver) + ", " : "") +
           (tolerance ? "tolerance " : "theta ") +
           shortest(tolerance ? solver.tolerance : solver.theta);
}

std::string method_text(const SolverOptions& solver)
{
    if (solver.solver == SolverKind::direct)
        return solver.periodic ? "direct sum, Ewald's" : "direct sum";
    std::string text = "tree, " + criterion_text(solver);
    static constexpr const char* names[] = {"monopoles", "", "quadrupoles", "octupoles",
                                            "hexadecapoles"};
    text += std::string(", ") + names[solver.order];
    if (solver.periodic)
        text += ", " + periodic_text(solver.periodic);
    else
        text += solver.local_order == 0 ? ", no local expansions"
                                        : ", local order " + std::to_string(solver.local_order);
    if (solver.decorrelate)
        text += ", root cubes by seed " + std::to_string(*solver.decorrelate);
    return text;
}

bool take_from_file(SolverOptions& solver, Snapshot& snapshot, const Options& options)
{
    settle_box(options, snapshot, solver.periodic);
    if (!options.given("G"))
        solver.gravitational_constant = snapshot.G();
    if (snapshot.softening && !options.given("eps"))
        solver.softening.length = snapshot.softening->length;
    if (snapshot.softening && !options.given("softening"))
        solver.softening.kind = snapshot.softening->kind;
    require(options, settle_boundary(solver, options.asked()));
    return snapshot.softening || options.given("eps");
}

void note_idle_on_device(const Options& options, const SolverOptions& solver, Snapshot& snapshot)
{
    const bool gpu = settled(solver).device != "cpu";
    const bool direct = solver.solver == SolverKind::direct;
    const auto note = [&](const char* names, const char* because) {
        for (const std::string& name : asked_of(options, names))
            add_note(snapshot, name + ": nothing uses it: " + because);
    };
    if (!gpu)
        note("host-below on-device-error", "the processor evaluates all pairs");
    if (gpu && !options.given("host-below"))
        note("instruction-set", "a GPU evaluates the pairs");
    if (gpu && direct)
        note("group-size", "the GPU's direct sums have one of their own");
}

SolverOptions known_forces(SolverOptions used, const Snapshot& snapshot)
{
    used.periodic = with_mesh(used.periodic, snapshot.particles.size());
    return used;
}

void state_forces(const SolverOptions& used, const std::string& device, Snapshot& snapshot)
{
    std::map<std::string, std::string> earlier;
    earlier.swap(snapshot.provenance);
    snapshot.provenance = describe(known_forces(used, snapshot));
    for (const char* key : {provenance_transfer, provenance_sigma8, provenance_spectral_index,
                            provenance_omega_baryon})
        if (const auto value = earlier.find(key); value != earlier.end())
            snapshot.provenance.insert(*value);
    snapshot.provenance["device"] = device;
    snapshot.softening = used.softening;
    if (used.gravitational_constant != snapshot.G())
        snapshot.gravitational_constant = used.gravitational_constant;
    snapshot.box_size = used.periodic.box;
}

std::map<std::string, std::string> describe(const SolverOptions& solver)
{
    std::map<std::string, std::string> words;
    for (const auto& row : force_options()) {
        std::string name = row.name;
        std::replace(name.begin(), name.end(), '-', '_');
        const bool is_told = name != "G" && name != "box" && name != "batch_size" &&
                             name != "accuracy_every" &&
                             (name != "instruction_set" || solver.device == "cpu");
        if (std::string text = row.text(solver); is_told && is_used(row, solver) && !text.empty())
            words[name] = std::move(text);
    }
    words.merge(describe_ranges(solver));
    return words;
}

std::string describe(const Softening& softening)
{
    if (softening.length == 0)
        return "none";
    return (softening.kind == SofteningKind::plummer ? "Plummer, eps = " : "spline, eps = ") +
           shortest(softening.length);
}

} // namespace chamomile::app
