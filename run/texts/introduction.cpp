#include "chamomile/run/texts/introduction.hpp"

#include <ctime>
#include <map>

#include "chamomile/core/number_text.hpp"
#include "chamomile/core/options/quantity.hpp"
#include "chamomile/core/text/table.hpp"
#include "chamomile/core/version.hpp"
#include "chamomile/force/threads.hpp"
#include "chamomile/integrate/external/external_field.hpp"
#include "chamomile/integrate/leapfrog.hpp"
#include "chamomile/run/structures/comoving_run.hpp"
#include "chamomile/run/texts/accuracy_text.hpp"
#include "chamomile/run/texts/method_text.hpp"
#include "chamomile/run/texts/scheme_text.hpp"

namespace chamomile {
namespace {

void print_choice(const AccuracyReport& report, Journal& journal)
{
    const std::string line = "accuracy     " + report_text(report);
    if (report.event == AccuracyReport::Event::kept)
        return journal.record(line);
    journal.print(line);
    if (report.event == AccuracyReport::Event::chosen)
        journal.print("             " + repeating_options(report.after) + " repeat the run");
}

/// Returns one line per potential, and lines on consequences.
std::vector<std::string> potential_lines(const Integrator& integrator)
{
    const ExternalField& field = *integrator.field();
    std::vector<std::string> lines;
    for (const Potential& potential : field.potentials())
        lines.push_back(potential.text_in_log());
    if (!field.has_formulas())
        lines.push_back("particles stay on the host, where texts and functions are evaluated");
    if (const std::string why = field.without_energy(); !why.empty())
        lines.push_back("energy is not conserved: " + why);
    if (field.rotates())
        lines.push_back("positions and velocities are in the rotating frame; the energy is the "
                        "Jacobi integral");
    if (field.has_functions() && integrator.leapfrog() && integrator.leapfrog()->varies_steps())
        lines.push_back("steps follow the functions by sqrt(eps/|a|): a function's tide is not "
                        "known");
    return lines;
}

/// Returns "in kpc/(km/s): " for physical units, otherwise an empty text.
std::string time_unit(const Units& units)
{
    const std::string unit = unit_name(dimensions::time, units);
    return unit.empty() ? "" : "in " + unit + ": ";
}

} // namespace

void record_provenance(const RunDescription& run, const std::string& command,
                       const Integrator& integrator, Snapshot& state)
{
    const std::map<std::string, std::string> earlier = state.provenance;
    write_forces(integrator.forces(), integrator.device(), state);
    for (const char* key : {"command", "version"}) // from the initial conditions
        if (const auto value = earlier.find(key); value != earlier.end())
            state.provenance[std::string("initial_") + key] = value->second;
    state.provenance["version"] = version;
    state.provenance["command"] = command;
    state.provenance["initial_conditions"] = run.source;
    if (const std::string scheme = scheme_text(integrator); !scheme.empty())
        state.provenance["hermite"] = scheme + ", " + run.steps;
    state.provenance["options"] = run.options;
    if (const ExternalField* field = integrator.field())
        state.provenance["potential"] = field->description();
}

void introduce(const RunDescription& run, const Simulation& simulation, const Snapshot& state,
               Journal& journal)
{
    const auto item = [&](const char* name, const std::string& text) {
        if (!text.empty())
            journal.print(formatted("%-12s %s", name, text.c_str()));
    };
    const SolverOptions forces = known_forces(simulation.integrator().forces(), state);
    item("chamomile", version);
    item("particles", formatted("%zu from %s", state.particles.size(), run.source.c_str()));
    item("units", units_text(state.units, forces.gravitational_constant));
    item("G",
         with_unit(number_text(forces.gravitational_constant), dimensions::gravity, state.units));
    item("box", run.box);
    item("forces", forces.accuracy ? goal_text(*forces.accuracy) : method_text(forces));
    item("long range", long_range_text(forces, state.units));
    item("softening", softening_text(forces.softening, state.particles, state.units));
    item("device", simulation.integrator().device());
    if (forces.solver == SolverKind::tree && !forces.accuracy)
        item("sizes", formatted("groups of %d, clusters of %d, leaves of %d", forces.group_size,
                                forces.cluster_size, forces.leaf_size));
    if (simulation.integrator().field())
        for (const std::string& line : potential_lines(simulation.integrator()))
            item("potential", line);
    if (are_tracers(state.particles))
        item("energies", "of tracers only, with a mass of 1 each");
    item("hermite", scheme_text(simulation.integrator()));
    if (state.comoving)
        item("cosmology", background_text(*state.comoving));
    const double start = simulation.start_time(), end = simulation.end_time();
    item("time",
         (state.comoving ? epochs_text(start, end)
                         : time_unit(state.units) + "from " + time_quantity(start, state.units) +
                               " to " + time_quantity(end, state.units)) +
             " " + run.steps + (state.comoving ? " of ln a" : ""));
    for (const std::string& note : state.notes)
        item("note", note);
}

void record_start(const std::string& command, Journal& journal)
{
    const std::time_t now = std::time(nullptr);
    char date[32];
    std::strftime(date, sizeof date, "%F %T %z", std::localtime(&now));
    journal.record(std::string("started      ") + date);
    journal.record("command      " + command);
    journal.record("threads      " + std::to_string(thread_count()));
}

void report_choices(SolverOptions& solver, Journal& journal)
{
    if (solver.accuracy)
        solver.accuracy->report = [&journal](const AccuracyReport& report) {
            print_choice(report, journal);
        };
}

} // namespace chamomile
