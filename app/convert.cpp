/// \file  `chamomile convert`: writes a snapshot in another format.
#include <cstdio>
#include <optional>

#include "app/command.hpp"
#include "app/command_files.hpp"
#include "app/options/placement_options.hpp"
#include "app/options/structure_options.hpp"
#include "app/options/unit_options.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/core/version.hpp"
#include "chamomile/io/unit_conversion.hpp"
#include "chamomile/run/texts/particle_notes.hpp"

namespace chamomile::app {
namespace {

/// A Change holds the changes besides the format, in order of application.
struct Change {
    FileUnits units;
    std::vector<int> types;
    std::string retyped;
    std::vector<double> sphere;
    std::optional<std::uint64_t> thin;
    bool recentered = false;
    std::string angles;
    std::vector<double> shift, boost;
};

void add_change(Options& options, Change& change)
{
    options.group("Changes, in this order");
    add_file_units(options, change.units);
    add_types(options, change.types, "keeps the particles of these types");
    options.text("retype", "TYPE=TYPE,...", change.retyped,
                 "disk=stars,bulge=stars: gives particles another type, by name or number; yt and "
                 "pynbody look for stars as type 4");
    options.numbers("sphere", change.sphere, any_number,
                    "X,Y,Z,R: keeps those within R of this place, in a periodic box the nearest "
                    "images",
                    dimensions::length);
    options.number("thin", change.thin, at_least(1),
                   "keeps one of N particles of each type and mass, chosen by a hash of the id, "
                   "with the whole mass of all");
    options.flag("recenter", change.recentered,
                 "brings the center of mass of isolated particles to rest at the origin");
    options.text("rotate", "A,B,C", change.angles,
                 "turns by A degrees about z, then B about x, then C about z");
    options.numbers("shift", change.shift, any_number, "X,Y,Z: is added to positions",
                    dimensions::length);
    options.numbers("velocity", change.boost, any_number, "X,Y,Z: is added to velocities",
                    dimensions::velocity);
}

void require_numbers(const char* option, const std::vector<double>& numbers, std::size_t count)
{
    if (!numbers.empty() && numbers.size() != count)
        throw Error(Fault::usage, std::string(option) + ": " + std::to_string(numbers.size()) +
                                      " numbers: " + std::to_string(count) + " are needed");
}

void require_change(const Change& change)
{
    require_numbers("--sphere", change.sphere, 4);
    require_numbers("--shift", change.shift, 3);
    require_numbers("--velocity", change.boost, 3);
    if (!change.sphere.empty() && !(change.sphere[3] > 0))
        throw Error(Fault::usage,
                    "--sphere: " + shortest(change.sphere[3]) + ": the radius must be > 0");
    if (!change.angles.empty())
        three_angles("--rotate", change.angles);
    if (!change.retyped.empty())
        new_types("--retype", change.retyped);
    if (!change.units.system.empty())
        unit_system("--units", change.units.system);
}

Vec3<double> vector_of(const std::vector<double>& numbers)
{
    return numbers.empty() ? Vec3<double>{} : Vec3<double>{numbers[0], numbers[1], numbers[2]};
}

void apply(Options& options, const Change& change, Snapshot& snapshot)
{
    set_file_units(change.units, snapshot);
    options.set_units(unit_frame_of(snapshot));
    if (!change.types.empty())
        keep_types(snapshot, change.types);
    if (!change.retyped.empty())
        retype(snapshot, new_types("--retype", change.retyped));
    if (!change.sphere.empty())
        keep_sphere(snapshot, vector_of(change.sphere), change.sphere[3]);
    if (change.thin)
        thin_out(snapshot, *change.thin);
    Placement placement;
    placement.recentered = change.recentered;
    if (!change.angles.empty())
        placement.angles = three_angles("--rotate", change.angles);
    placement.shift = vector_of(change.shift);
    placement.boost = vector_of(change.boost);
    place(snapshot, placement, change.recentered ? "--recenter" : "--rotate");
}

} // namespace

int convert(const std::vector<std::string>& arguments)
{
    std::string input, output;
    bool overwrite = false;
    Options options("convert", "Rewrites a snapshot, whole or in part, in the format that the "
                               "extension of OUT names: .hdf5 or "
                               ".h5, .gadget2, .tipsy or .bin, .txt or .dat.");
    options.positional("IN", input, "the snapshot; its content tells its format");
    options.positional("OUT", output, "the file to write");
    Change change;
    add_change(options, change);
    options.group("Output");
    options.flag("overwrite", overwrite, "replace OUT if it exists");
    options.expect_units();
    if (!options.parse(arguments))
        return 0;
    require_change(change);

    left_out({}, output); // fails for an unknown extension before reading
    record_input(input);
    require_writable("convert", {output, overwrite, "OUT"});
    Snapshot snapshot = read_particles(input, Masses::may_lack);
    apply(options, change, snapshot);
    if (snapshot.particles.size() == 0)
        throw Error(Fault::input, input + ": particles: none is left to write");
    snapshot.provenance["converted"] =
        "by chamomile " + std::string(version) + " from " + input + " (" + snapshot.format + ")";
    require_still_writable({output, overwrite, "OUT"});
    warn_of_outside(snapshot);
    write_snapshot(snapshot, output);
    if (options.verbosity() == Verbosity::quiet)
        return 0;
    print_quantities(options);
    std::printf("%s: %zu particles from %s\n", output.c_str(), snapshot.particles.size(),
                snapshot.format.c_str());
    print_notes(options, snapshot);
    for (const std::string& lost : left_out(snapshot, output))
        std::printf("note: not in the new file: %s\n", lost.c_str());
    return 0;
}

} // namespace chamomile::app
