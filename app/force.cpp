/// \file  `chamomile force`: evaluates the forces in a snapshot once.
#include <cstdio>

#include "app/command.hpp"
#include "app/command_files.hpp"
#include "app/options/field_options.hpp"
#include "app/options/periodic_options.hpp"
#include "app/options/solver_options.hpp"
#include "app/options/unit_options.hpp"
#include "app/program.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/core/text/table.hpp"
#include "chamomile/force/periodic/softening_cut.hpp"
#include "chamomile/force/threads.hpp"
#include "chamomile/initial/transform.hpp"
#include "chamomile/integrate/measures/sampled_errors.hpp"
#include "chamomile/io/particle_check.hpp"
#include "chamomile/io/unit_conversion.hpp"
#include "chamomile/run/force_cost.hpp"
#include "chamomile/run/run_settings.hpp"
#include "chamomile/run/texts/accuracy_text.hpp"
#include "chamomile/run/texts/method_text.hpp"
#include "chamomile/run/texts/particle_notes.hpp"

namespace chamomile::app {
namespace {

struct Chosen {
    std::string ids;
};

void print_statistics(const Solver& solver, const ForceStatistics& statistics, double seconds)
{
    const ForceCost cost(statistics);
    std::printf("%s: %s; %s, %.3g pairs/s\n", solver.device().c_str(), cost.text().c_str(),
                duration_text(seconds).c_str(), cost.pairs / seconds);
}

void print_phases(const Profile& profile)
{
    for (const Profile::Phase& phase : profile.phases())
        std::printf("  %-24s %s\n", phase.name.c_str(), duration_text(phase.seconds).c_str());
}

} // namespace

int force(const std::vector<std::string>& arguments)
{
    std::string file;
    Chosen chosen;
    SolverOptions solver_options;
    std::vector<std::string> potentials;
    Output output;
    Options options("force", "Computes the accelerations and potentials of all particles of a "
                             "snapshot and writes them beside the particles.");
    options.positional("FILE", file, "the snapshot");
    OptionRows<Chosen> t;
    t.group("Particles");
    t.append(ids_rows<Chosen>("only these particles attract, and are written: "));
    options.add(t.take(), chosen);
    add_force_options(options, solver_options, ForceUse::evaluation);
    options.add(potential_row("External potentials"), potentials);
    add_output(options, output);
    options.common({"solver", "eps", "softening", "tolerance", "accuracy", "device", "box",
                    "output", "overwrite"});
    options.expect_units();
    if (!options.parse(arguments))
        return 0;
    resolve_forces(options, solver_options);
    check_potentials(potentials);
    record_input(file);
    record_input(chosen.ids);
    require_writable(options.command(), output);

    return write_output(options, output, [&] {
        Snapshot snapshot = read_particles(file);
        require_particles(snapshot.particles, file);
        if (!chosen.ids.empty())
            keep_ids(snapshot, chosen.ids);
        options.set_units(unit_frame_of(snapshot));
        print_quantities(options);
        set_from_file(solver_options, snapshot, options);
        const auto field = field_for(snapshot, potentials, solver_options.gravitational_constant);
        if (field && field->rotates())
            throw Error(Fault::usage, "--potential: rotation: needs a run");
        warn_of_suspicious_inputs(snapshot, solver_options);
        if (field)
            warn_of_fast_potentials(snapshot, *field);
        warn_of_idle_on_device(options, solver_options, snapshot);
        const ThreadsInUse threads(threads_for(options, solver_options));
        if (solver_options.accuracy && options.verbosity() != Verbosity::quiet)
            solver_options.accuracy->report = [](const AccuracyReport& report) {
                std::printf(
                    "%s\n  %s repeats it\n", report_text(report).c_str(),
                    spelled(repeating_options(report.after), command_line_spelling()).c_str());
            };
        const auto solver = make_solver(solver_options);
        const double start = wall_clock_seconds();
        const ForceStatistics statistics =
            solver->solve(snapshot.particles, Quantities::acceleration_potential);
        const double seconds = wall_clock_seconds() - start;
        if (options.verbosity() != Verbosity::quiet)
            print_statistics(*solver, statistics, seconds);
        print_box(options, snapshot, solver->options());
        print_notes(options, snapshot);
        if (options.verbosity() == Verbosity::verbose)
            print_phases(statistics.profile);
        if (const auto& goal = solver_options.accuracy;
            goal && statistics.measured_error.value_or(0) > goal->error)
            warn(formatted("measured error %.2e: above ", *statistics.measured_error) +
                 goal_text(*goal));
        else if (const std::string line = cancellation_text(
                     statistics, solver->options(), snapshot.particles.size(),
                     [&](std::size_t targets) {
                         Communicator alone;
                         return sampled_errors(solver->options(), {}, snapshot.particles, targets,
                                               Quantities::acceleration, {}, alone)
                             .acceleration;
                     });
                 !line.empty())
            warn(line);
        if (const std::string line =
                softening_jump_text(solver->options(), statistics.softening_jump.value_or(0));
            !line.empty())
            warn(line);
        if (field) {
            Particles& p = snapshot.particles;
            field->add(snapshot.time, p.position, {}, p.acceleration, p.potential);
            print_field(options, *field);
            snapshot.provenance["potential"] = field->description();
        }
        snapshot.has_accelerations = snapshot.has_potentials = true;
        write_forces(solver->options(), solver->device(), snapshot);
        if (statistics.measured_error)
            snapshot.provenance["measured_error"] = number_text(*statistics.measured_error);
        snapshot.provenance["source"] = file;
        return snapshot;
    });
}

} // namespace chamomile::app
