/// \file  `chamomile orbit`: orbits of massless bodies in external potentials.
#include <cstdio>

#include "app/command.hpp"
#include "app/command_files.hpp"
#include "app/options/field_options.hpp"
#include "app/options/option_uses.hpp"
#include "app/options/orbit_text.hpp"
#include "app/options/unit_options.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/core/text/table.hpp"
#include "chamomile/io/particle_check.hpp"
#include "chamomile/io/unit_conversion.hpp"
#include "chamomile/run/structures/orbit_table.hpp"
#include "chamomile/run/texts/particle_notes.hpp"

namespace chamomile::app {
namespace {

struct OrbitOptions : OrbitTableRequest {
    std::vector<std::string> potentials;
    std::string file, orbit, units;
    std::optional<Vec3<double>> position, velocity;
    std::vector<double> radii;
};

std::vector<OptionRow<OrbitOptions>> orbit_rows()
{
    OptionRows<OrbitOptions> t;
    t.group("Bodies without a FILE");
    t.value("position", "X,Y,Z", &OrbitOptions::position, parse_vector, "of one body").dimension =
        dimensions::length;
    t.value("velocity", "X,Y,Z", &OrbitOptions::velocity, parse_vector, "of this body").dimension =
        dimensions::velocity;
    t.text("orbit", &OrbitOptions::orbit, "NAME=X,...", orbit_in_field_help);
    t.series("radii", &OrbitOptions::radii, ranges::positive,
             "bodies on the x axis with the circular speed along y: the rotation curve")
        .in(dimensions::length);
    t.group("Orbits");
    t.number("duration", &OrbitOptions::duration, ranges::positive,
             "time for which bodies are followed; ten radial periods unless given")
        .in(dimensions::time);
    t.number("rows", &OrbitOptions::rows, ranges::between(1, 1e7),
             "with {duration}: the table is the path of each body, in N equal intervals");
    return t.take();
}

/// Appends a massless body.
void add_body(Snapshot& snapshot, const Vec3<double>& position, const Vec3<double>& velocity)
{
    Particles& p = snapshot.particles;
    p.resize(p.size() + 1);
    p.position.back() = position;
    p.velocity.back() = velocity;
    p.id.back() = p.size();
}

/// Returns the particles of the file, or no particles in the units asked for.
Snapshot bodies_of(const OrbitOptions& request)
{
    Snapshot snapshot;
    if (!request.file.empty())
        snapshot = read_particles(request.file, Masses::may_lack);
    else
        snapshot.units = unit_system("--units", "galactic");
    if (!request.units.empty()) {
        const Units units = unit_system("--units", request.units);
        if (request.file.empty())
            snapshot.units = units;
        else
            choose_units(snapshot, units, request.file);
    }
    return snapshot;
}

void add_bodies(const OrbitOptions& request, const ExternalField& field, Snapshot& snapshot)
{
    if (request.position)
        add_body(snapshot, *request.position, *request.velocity);
    for (const double radius : request.radii) {
        const Vec3<double> place{radius, 0, 0};
        const FieldPlace at = field_at(field, snapshot.time, place);
        add_body(snapshot, place, {0, at.circular_speed.value_or(0), 0});
    }
    if (request.orbit.empty())
        return;
    OrbitText text = orbit_in_field(request.orbit);
    const OrbitPoint start = start_on_orbit(field, snapshot, text);
    add_body(snapshot, start.position, start.velocity);
}

void require_bodies(const Options& options, const OrbitOptions& request)
{
    if (request.potentials.empty())
        throw Error(Fault::usage, "orbit: missing: --potential NAME,PARAMETER=X,...");
    check_potentials(request.potentials);
    if (request.position.has_value() != request.velocity.has_value())
        throw Error(Fault::usage, request.position ? "--position: needs --velocity X,Y,Z"
                                                   : "--velocity: needs --position X,Y,Z");
    const int ways = int(!request.file.empty()) + int(request.position.has_value()) +
                     int(!request.orbit.empty()) + int(options.given("radii"));
    if (ways != 1)
        throw Error(Fault::usage, std::string("orbit: ") +
                                      (ways == 0 ? "missing: " : "give one: ") +
                                      "FILE, --position and --velocity, --orbit or --radii");
    if (!request.orbit.empty())
        orbit_in_field(request.orbit);
    refuse_idle(options, {{!request.duration, "rows", "needs --duration"}});
}

} // namespace

int orbit(const std::vector<std::string>& arguments)
{
    OrbitOptions request;
    Output output;
    Options options("orbit", "Follows massless bodies in external potentials: potential, "
                             "accelerations, circular and escape speed at their places, and "
                             "pericenter, apocenter and periods of their orbits.");
    options.positional("FILE", request.file, "a snapshot: one orbit for each particle",
                       Need::optional);
    options.add(potential_row("Potential"), request.potentials);
    options.add(orbit_rows(), request);
    options.add(unit_system_row("Units"), request.units);
    options.add(output_rows("output,o", "FILE",
                            "the table, as comma-separated values; standard output without"),
                output);
    options.expect_units();
    if (!options.parse(arguments))
        return 0;
    require_bodies(options, request);
    if (!request.file.empty())
        record_input(request.file);
    if (!output.file.empty())
        require_writable("orbit", output);
    refuse_idle(options, {{output.file.empty(), "overwrite", "needs --output FILE"}});

    Snapshot snapshot = bodies_of(request);
    options.set_units(unit_frame_of(snapshot));
    const auto field = field_for(snapshot, request.potentials, snapshot.G());
    add_bodies(request, *field, snapshot);
    require_particles(snapshot.particles, request.file);
    warn_of_fast_potentials(snapshot, *field);
    const std::string table = orbit_table(snapshot, *field, request).csv();
    if (output.file.empty()) {
        std::fputs(table.c_str(), stdout);
        print_notes(options, snapshot, stderr);
        return 0;
    }
    write_text(output, table);
    if (options.verbosity() == Verbosity::quiet)
        return 0;
    print_field(options, *field);
    print_quantities(options);
    std::printf("wrote %s: %s\n", output.file.c_str(),
                counted(snapshot.particles.size(), "orbit").c_str());
    print_notes(options, snapshot);
    return 0;
}

} // namespace chamomile::app
