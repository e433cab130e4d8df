#include "chamomile/run/texts/method_text.hpp"

#include <algorithm>

#include "chamomile/core/number_text.hpp"
#include "chamomile/core/options/quantity.hpp"
#include "chamomile/core/particle_types.hpp"
#include "chamomile/core/text/table.hpp"
#include "chamomile/force/option_table.hpp"
#include "chamomile/force/periodic/long_range_field.hpp"
#include "chamomile/run/structures/linear_theory.hpp"

namespace chamomile {

std::string criterion_text(const SolverOptions& solver)
{
    const bool tolerance = compares_accelerations(solver.criterion);
    const bool named = solver.criterion != SolverOptions().criterion;
    return (named ? row_of(force_options(), "criterion").text(solver) + ", " : "") +
           (tolerance ? "tolerance " : "theta ") +
           number_text(tolerance ? solver.tolerance : solver.theta);
}

std::string units_text(const Units& units, double G)
{
    if (units.physical || G == 1)
        return units.description();
    return "N-body units (G = " + number_text(G) + ")";
}

std::string length_text(double length, const Units& units)
{
    return with_unit(formatted("%.6g", length), dimensions::length, units);
}

std::string periodic_text(const PeriodicOptions& periodic)
{
    std::string text = "modes";
    if (periodic.long_range == LongRangeKind::mesh) {
        text = periodic.mesh > 0 ? "mesh of " + std::to_string(periodic.mesh) + "^3" : "mesh";
        text += ", r_s of " + number_text(periodic.split) + " cells";
    }
    return text + ", cut at " + number_text(periodic.cut) + " r_s";
}

std::string long_range_text(const SolverOptions& resolved, const Units& units)
{
    const PeriodicOptions& periodic = resolved.periodic;
    if (!resolved.is_periodic() || resolved.solver == SolverKind::direct ||
        (resolved.accuracy && periodic.mesh == 0))
        return "";
    const double split = split_radius(periodic, resolved.box);
    const bool mesh = periodic.long_range == LongRangeKind::mesh;
    return (mesh ? formatted("mesh of %d^3, ", periodic.mesh) : std::string("modes, ")) + "r_s " +
           length_text(split, units) + ", cut at " + length_text(periodic.cut * split, units);
}

std::string method_text(const SolverOptions& solver)
{
    if (solver.solver == SolverKind::direct)
        return solver.is_periodic() ? "direct sum, Ewald's" : "direct sum";
    std::string text =
        "tree, " + criterion_text(solver) + (solver.is_periodic() ? " in the short range" : "");
    static constexpr const char* names[] = {"monopoles", "", "quadrupoles", "octupoles",
                                            "hexadecapoles"};
    text += std::string(", ") + names[solver.order];
    if (solver.is_periodic())
        text += ", " + periodic_text(solver.periodic);
    else
        text += solver.local_order == 0 ? ", no local expansions"
                                        : ", local order " + std::to_string(solver.local_order);
    if (solver.decorrelate)
        text += ", root cubes by seed " + std::to_string(*solver.decorrelate);
    return text;
}

std::string softening_text(const Softening& softening, const Particles& particles,
                           const Units& units)
{
    const std::string kind = form_of(softening.kind).name;
    if (softening.length == 0 && !softening.per_particle)
        return describe(softening);
    if (!softening.per_particle || particles.softening.empty())
        return with_unit(describe(softening), dimensions::length, units);
    return kind + ", " + heading("eps", dimensions::length, units) + " = " +
           softenings_of(particles) + "; of a pair " +
           (softening.rule == SofteningRule::larger ? "the larger" : "the root of squares");
}

std::string describe(const Softening& softening)
{
    if (softening.length == 0)
        return "none";
    return std::string(form_of(softening.kind).name) +
           (softening.per_particle ? ", eps to " : ", eps = ") + number_text(softening.length);
}

namespace {

/// Returns the radii of split and cut in words. Empty for an isolated system, a direct sum or a
/// mesh that is not chosen yet.
std::map<std::string, std::string> describe_ranges(const SolverOptions& solver)
{
    const PeriodicOptions& periodic = solver.periodic;
    const bool mesh = periodic.long_range == LongRangeKind::mesh;
    if (!solver.is_periodic() || solver.solver == SolverKind::direct ||
        (mesh && periodic.mesh == 0))
        return {};
    return {{"split_radius", number_text(split_radius(periodic, solver.box))},
            {"cut_radius", number_text(periodic.cut * split_radius(periodic, solver.box))}};
}

} // namespace

std::map<std::string, std::string> describe(const SolverOptions& solver)
{
    std::map<std::string, std::string> words;
    for (const auto& row : force_options()) {
        std::string name = row.name;
        std::replace(name.begin(), name.end(), '-', '_');
        const bool is_told = name != "G" && name != "box" && name != "batch_size" &&
                             name != "tree" && name != "accuracy_every" &&
                             (name != "instruction_set" || solver.device == "cpu");
        if (std::string text = row.text(solver); is_told && is_used(row, solver) && !text.empty())
            words[name] = std::move(text);
    }
    words.merge(describe_ranges(solver));
    return words;
}

SolverOptions known_forces(SolverOptions used, const Snapshot& snapshot)
{
    if (!used.accuracy) // which chooses the mesh
        used.periodic = with_mesh(used.periodic, used.box, snapshot.particles.size());
    return used;
}

void write_forces(const SolverOptions& used, const std::string& device, Snapshot& snapshot)
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
    snapshot.box_size = used.box;
}

} // namespace chamomile
