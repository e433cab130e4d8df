/// \file  `chamomile convert`: writes a snapshot in another format.
#include <array>
#include <cstdio>
#include <optional>
#include <utility>

#include "app/command.hpp"
#include "app/command_files.hpp"
#include "app/options/field_options.hpp"
#include "app/options/option_uses.hpp"
#include "app/options/orbit_text.hpp"
#include "app/options/structure_options.hpp"
#include "app/options/unit_options.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/core/particle_types.hpp"
#include "chamomile/core/version.hpp"
#include "chamomile/initial/transform.hpp"
#include "chamomile/io/files_row.hpp"
#include "chamomile/io/unit_conversion.hpp"
#include "chamomile/run/texts/particle_notes.hpp"

namespace chamomile::app {
namespace {

/// A Change holds the changes besides the format, in order of application.
struct Change {
    FileUnits units;
    std::string ids;
    std::vector<int> types;
    std::string retyped;
    std::vector<double> sphere;
    std::optional<std::uint64_t> thin;
    Placement placement;
    std::vector<std::string> potentials;
    std::string orbit;
};

/// Returns the type that each type becomes by a text such as disk=stars,3=4. Throws Error(usage).
std::array<std::uint8_t, 6> new_types(const std::string& option, const std::string& text)
{
    std::array<std::uint8_t, 6> types = {0, 1, 2, 3, 4, 5};
    const auto type_of = [&](const std::string& word) {
        for (std::size_t type = 0; type < type_names.size(); ++type)
            if (word == type_names[type] || word == std::to_string(type))
                return std::uint8_t(type);
        throw Error(Fault::usage, option + ": " + text + ": " +
                                      (word.empty() ? "a type is missing"
                                                    : word + ": is no type: 0 to 5 or a name is "
                                                             "needed, as in disk=stars"));
    };
    std::array<bool, 6> seen{};
    for (const std::string& item : parts_of(text, ',')) {
        const std::size_t equals = item.find('=');
        if (equals == item.npos)
            throw Error(Fault::usage,
                        option + ": " + text + ": must be TYPE=TYPE, as in disk=stars");
        const std::uint8_t from = type_of(item.substr(0, equals));
        if (std::exchange(seen[from], true))
            throw Error(Fault::usage, option + ": " + text + ": type " + std::to_string(from) +
                                          " is given twice");
        types[from] = type_of(item.substr(equals + 1));
    }
    return types;
}

std::string unit_after(Dimension dimension, const Snapshot& snapshot)
{
    const std::string unit = unit_name(dimension, snapshot.units);
    return unit.empty() ? "" : " " + unit;
}

void add_change(Options& options, Change& change)
{
    OptionRows<Change> t;
    const char* changes = "Changes, in this order";
    add_file_units(options, change.units, changes);
    t.group(changes);
    t.append(ids_rows<Change>());
    t.value("types", "TYPE,...", &Change::types, parse_particle_types,
            "keeps the particles of these types");
    t.text("retype", &Change::retyped, "TYPE=TYPE,...",
           "disk=stars,bulge=stars: gives particles another type, by name or number; yt and "
           "pynbody look for stars as type 4");
    t.numbers("sphere", &Change::sphere, ranges::any,
              "X,Y,Z,R: keeps those within R of this place, in a periodic box the nearest "
              "images")
        .in(dimensions::length);
    t.number("thin", &Change::thin, ranges::at_least(1),
             "keeps one of N particles of each type and mass, chosen by a hash of the id, with the "
             "total mass");
    t.flag(
        "recenter", [](Change & c) -> auto& { return c.placement.recentered; },
        "brings the center of mass of isolated particles to rest at the origin");
    t.value(
        "rotate", "A,B,C", [](Change & c) -> auto& { return c.placement.angles; }, parse_vector,
        "turns by A degrees about z, then B about x, then C about z");
    t.value(
         "shift", "X,Y,Z", [](Change & c) -> auto& { return c.placement.shift; }, parse_vector,
         "is added to positions")
        .dimension = dimensions::length;
    t.value(
         "velocity", "X,Y,Z", [](Change & c) -> auto& { return c.placement.boost; }, parse_vector,
         "is added to velocities")
        .dimension = dimensions::velocity;
    t.text("orbit", &Change::orbit, "NAME=X,...", orbit_in_field_help);
    options.add(t.take(), change);
    options.add(potential_row(changes), change.potentials);
}

void require_change(const Options& options, const Change& change)
{
    refuse_idle(options,
                {{!change.orbit.empty(), "recenter", "--orbit does it"},
                 {!change.orbit.empty(), "shift velocity", "contradicts --orbit; give one"},
                 {change.orbit.empty(), "potential", "needs --orbit NAME=X,..."},
                 {change.potentials.empty(), "orbit", "needs --potential NAME,PARAMETER=X,..."}});
    check_potentials(change.potentials);
    if (!change.orbit.empty())
        orbit_in_field(change.orbit);
    if (!change.sphere.empty() && change.sphere.size() != 4)
        throw Error(Fault::usage,
                    "--sphere: " + std::to_string(change.sphere.size()) + " numbers: must be 4");
    if (!change.sphere.empty() && !(change.sphere[3] > 0))
        throw Error(Fault::usage,
                    "--sphere: " + number_text(change.sphere[3]) + ": the radius must be > 0");
    if (!change.retyped.empty())
        new_types("--retype", change.retyped);
    if (!change.units.system.empty())
        unit_system("--units", change.units.system);
}

/// Moves the center of mass to its place on --orbit.
void place_on_orbit(const Options& options, Change& change, Snapshot& snapshot)
{
    const auto field = field_for(snapshot, change.potentials, snapshot.G());
    OrbitText text = orbit_in_field(change.orbit);
    const OrbitPoint start = start_on_orbit(*field, snapshot, text);
    change.placement.recentered = true;
    change.placement.shift = start.position;
    change.placement.boost = start.velocity;
    print_field(options, *field);
    if (options.verbosity() == Verbosity::quiet)
        return;
    for (const std::string& line : text.lines())
        std::printf("%s\n", line.c_str());
    std::printf(
        "orbit        starts at %s%s with velocity %s%s\n", value_text(start.position).c_str(),
        unit_after(dimensions::length, snapshot).c_str(), value_text(start.velocity).c_str(),
        unit_after(dimensions::velocity, snapshot).c_str());
}

void apply(Options& options, Change& change, Snapshot& snapshot)
{
    set_file_units(change.units, snapshot);
    options.set_units(unit_frame_of(snapshot));
    if (!change.ids.empty())
        keep_ids(snapshot, change.ids);
    if (!change.types.empty())
        keep_types(snapshot, change.types);
    if (!change.retyped.empty())
        retype(snapshot, new_types("--retype", change.retyped));
    if (!change.sphere.empty())
        keep_sphere(snapshot, {change.sphere[0], change.sphere[1], change.sphere[2]},
                    change.sphere[3]);
    if (change.thin)
        thin_out(snapshot, *change.thin);
    if (!change.orbit.empty())
        place_on_orbit(options, change, snapshot);
    place(snapshot, change.placement,
          !change.orbit.empty()         ? "--orbit"
          : change.placement.recentered ? "--recenter"
                                        : "--rotate");
}

} // namespace

int convert(const std::vector<std::string>& arguments)
{
    std::string input;
    Output output;
    output.option = "OUT";
    Options options("convert", "Rewrites a snapshot, whole or in part, in the format that the "
                               "extension of OUT names: .hdf5 or "
                               ".h5, .gadget2, .tipsy or .bin, .txt or .dat.");
    options.positional("IN", input, "the snapshot; its content tells its format");
    options.positional("OUT", output.file, "the file to write");
    Change change;
    add_change(options, change);
    options.add(overwrite_row(), output);
    options.add(files_row<Output>(), output);
    options.expect_units();
    if (!options.parse(arguments))
        return 0;
    require_change(options, change);

    left_out({}, output.file); // fails for an unknown extension before reading
    record_input(input);
    record_input(change.ids);
    require_writable("convert", output);
    Snapshot snapshot = read_particles(input, Masses::may_lack);
    apply(options, change, snapshot);
    if (snapshot.particles.size() == 0)
        throw Error(Fault::input, input + ": particles: none is left to write");
    snapshot.provenance["converted"] =
        "by chamomile " + std::string(version) + " from " + input + " (" + snapshot.format + ")";
    require_still_writable(output);
    warn_of_outside(snapshot);
    write_snapshot(snapshot, output.file, output.files);
    if (options.verbosity() == Verbosity::quiet)
        return 0;
    print_quantities(options);
    std::printf("%s: %zu particles from %s\n", output.file.c_str(), snapshot.particles.size(),
                snapshot.format.c_str());
    print_notes(options, snapshot);
    for (const std::string& lost : left_out(snapshot, output.file))
        std::printf("note: not in the new file: %s\n", lost.c_str());
    return 0;
}

} // namespace chamomile::app
