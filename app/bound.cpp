/// \file  `chamomile bound`: the particles of snapshots that are bound to their own center.
#include <cstdio>
#include <numeric>
#include <optional>

#include "app/command.hpp"
#include "app/command_files.hpp"
#include "app/options/option_uses.hpp"
#include "app/options/solver_options.hpp"
#include "app/options/structure_options.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/core/particle_types.hpp"
#include "chamomile/core/text/table.hpp"
#include "chamomile/force/threads.hpp"
#include "chamomile/initial/transform.hpp"
#include "chamomile/integrate/external/external_field.hpp"
#include "chamomile/integrate/external/potential_table.hpp"
#include "chamomile/io/particle_check.hpp"
#include "chamomile/io/text/id_list.hpp"
#include "chamomile/io/unit_conversion.hpp"
#include "chamomile/run/files/cluster_tables.hpp"
#include "chamomile/run/structures/analysed.hpp"

namespace chamomile::app {
namespace {

struct BoundRequest {
    std::vector<std::string> files;
    std::string ids;
    std::vector<int> types;
    std::vector<std::string> potentials;
    Output output, members;
};

std::vector<OptionRow<BoundRequest>> rows()
{
    OptionRows<BoundRequest> t;
    t.group("Particles");
    t.append(ids_rows<BoundRequest>());
    t.value("types", "TYPE,...", &BoundRequest::types, parse_particle_types,
            "particle types that may be bound; all unless given");
    t.repeated("potential", &BoundRequest::potentials, "NAME,PARAMETER=X,...",
               "external potential, for the tidal radius: as in 'chamomile run'");
    t.group("Output");
    t.text(
        "bound-ids", [](BoundRequest & r) -> auto& { return r.members.file; }, "FILE",
        "also the ids of the bound particles, as a text for --ids; of several snapshots those "
        "of the last");
    return t.take();
}

/// Reads the snapshot and keeps the particles that may be bound.
Snapshot candidates_of(const BoundRequest& request, const std::string& file)
{
    Snapshot snapshot = read_particles(file);
    require_particles(snapshot.particles, file);
    if (!request.ids.empty())
        keep_ids(snapshot, request.ids);
    require_types(request.types, file, snapshot);
    if (!request.types.empty())
        keep_types(snapshot, request.types);
    return snapshot;
}

BoundSystem measured(const BoundRequest& request, const std::string& file,
                     const SolverOptions& forces, const Snapshot& snapshot)
{
    if (snapshot.box_size > 0 || snapshot.comoving)
        throw Error(Fault::usage, "bound: " + file + ": needs isolated particles in plain time");
    PotentialFiles files;
    const auto field =
        read_external_field("--potential", request.potentials, unit_frame_of(snapshot),
                            forces.gravitational_constant, files);
    if (field && field->rotates())
        throw Error(Fault::usage, "bound: --potential: rotates: velocities are not inertial");
    if (field)
        field->require_times(snapshot.time, snapshot.time);
    Candidates candidates;
    candidates.members.resize(snapshot.particles.size());
    std::iota(candidates.members.begin(), candidates.members.end(), Index(0));
    return Unbinding(forces).find(snapshot.particles, std::move(candidates),
                                  {field.get(), snapshot.time});
}

} // namespace

int bound(const std::vector<std::string>& arguments)
{
    BoundRequest request;
    SolverOptions forces;
    Options options("bound", "Finds the particles of snapshots that are bound to their own center "
                             "by their own gravity: removes those with energies >= 0 until none "
                             "is left. Prints bound mass, half-mass and tidal radius, center and "
                             "velocity.");
    options.positional("FILE", request.files, "snapshots; each makes a line of the table");
    options.add(rows(), request);
    add_force_options(options, forces, ForceUse::evaluation);
    options.add(output_rows("output,o", "FILE.csv",
                            "the table, as comma-separated values; standard output without"),
                request.output);
    options.common({"ids", "types", "potential", "bound-ids", "eps", "tolerance", "device",
                    "output", "overwrite"});
    options.expect_units();
    if (!options.parse(arguments))
        return 0;
    resolve_forces(options, forces);
    record_snapshots(request.files);
    record_input(request.ids);
    request.members = {request.members.file, request.output.overwrite, "--bound-ids"};
    for (const Output& output : {request.output, request.members})
        if (!output.file.empty())
            require_writable("bound", output);
    refuse_idle(options, {{request.output.file.empty() && request.members.file.empty(), "overwrite",
                           "needs --output FILE or --bound-ids FILE"}});

    std::optional<Table> table;
    Units units;
    std::vector<std::uint64_t> members;
    for (const std::string& file : request.files) {
        Snapshot snapshot = candidates_of(request, file);
        if (!table)
            options.set_units(unit_frame_of(snapshot));
        SolverOptions solver = forces;
        set_from_file(solver, snapshot, options);
        const ThreadsInUse threads(threads_for(options, solver));
        const BoundSystem system = measured(request, file, solver, snapshot);
        if (!table) {
            units = snapshot.units;
            table.emplace(headings_of(
                joined_columns({{{"file"}, {"time", dimensions::time}}, bound_columns()}), units));
        } else if (heading("", dimensions::mass, units) !=
                       heading("", dimensions::mass, snapshot.units) ||
                   heading("", dimensions::time, units) !=
                       heading("", dimensions::time, snapshot.units))
            throw Error(Fault::usage,
                        "bound: " + file + ": has other units than " + request.files.front());
        std::vector<std::string> row{file, number_text(snapshot.time)};
        for (const std::string& cell : bound_cells(system))
            row.push_back(cell);
        table->add(std::move(row));
        members.clear();
        for (const Index i : system.members)
            members.push_back(snapshot.particles.id[i]);
        print_notes(options, snapshot, request.output.file.empty() ? stderr : stdout);
    }
    if (request.output.file.empty())
        std::fputs(table->csv().c_str(), stdout);
    else
        write_text(request.output, table->csv());
    if (!request.members.file.empty())
        write_text(request.members, ids_text(members));
    if (options.verbosity() != Verbosity::quiet)
        for (const Output& output : {request.output, request.members})
            if (!output.file.empty())
                std::fprintf(request.output.file.empty() ? stderr : stdout, "wrote %s\n",
                             output.file.c_str());
    return 0;
}

} // namespace chamomile::app
