/// \file  `chamomile profile`: density, mass and velocities by radius in a snapshot.
#include <cstdio>

#include "app/command.hpp"
#include "app/command_files.hpp"
#include "app/options/option_uses.hpp"
#include "app/options/structure_options.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/core/particle_types.hpp"
#include "chamomile/initial/transform.hpp"
#include "chamomile/io/particle_check.hpp"
#include "chamomile/io/unit_conversion.hpp"
#include "chamomile/run/structures/radial_profile.hpp"
#include "chamomile/run/texts/particle_notes.hpp"

namespace chamomile::app {

namespace {

struct ProfileOptions : ProfileRequest {
    AnalysedMatter matter;
    std::string ids;
};

std::vector<OptionRow<ProfileOptions>> profile_rows()
{
    OptionRows<ProfileOptions> t;
    t.group("Profile");
    t.append(ids_rows<ProfileOptions>());
    t.value(
        "types", "TYPE,...", [](ProfileOptions & r) -> auto& { return r.matter.types; },
        parse_particle_types, "particle types looked at, also as mass; all unless given");
    t.value("center", "X,Y,Z", &ProfileOptions::center, parse_vector,
            "of the profile; the place of highest density unless given")
        .dimension = dimensions::length;
    t.number("r-min", &ProfileOptions::smallest, ranges::not_negative,
             "inner edge; of shells the radius of 1 % of the particles unless given")
        .in(dimensions::length);
    t.number("r-max", &ProfileOptions::largest, ranges::positive,
             "outer edge; the radius of 99 % of the particles unless given; at most half the side "
             "of a periodic box")
        .in(dimensions::length);
    t.number("bins", &ProfileOptions::bins, ranges::between(1, 10000),
             "number of bins: shells equal in log r, rings equal in R");
    t.flag("cylinders", &ProfileOptions::cylinders, "rings about the z axis instead of shells");
    t.number("height", &ProfileOptions::height, ranges::positive,
             "with {cylinders}: up to this |z|")
        .in(dimensions::length);
    return t.take();
}

} // namespace

int profile(const std::vector<std::string>& arguments)
{
    std::string file;
    ProfileOptions request;
    Output output;
    Options options("profile",
                    "Measures density, enclosed mass, circular speed, dispersions and anisotropy "
                    "in spherical shells, or surface density, rotation and dispersions in rings, "
                    "of all particles and of each type. Errors are those of counting.");
    options.positional("FILE", file, "the snapshot");
    options.add(profile_rows(), request);
    options.add(output_rows("output,o", "FILE",
                            "the table, as comma-separated values; standard output without"),
                output);
    options.expect_units();
    if (!options.parse(arguments))
        return 0;
    record_input(file);
    record_input(request.ids);
    if (!output.file.empty())
        require_writable("profile", output);
    refuse_idle(options, {{!request.cylinders, "height", "needs --cylinders"},
                          {output.file.empty(), "overwrite", "needs --output FILE"}});

    Snapshot snapshot = read_particles(file);
    require_particles(snapshot.particles, file);
    options.set_units(unit_frame_of(snapshot));
    if (!request.ids.empty())
        keep_ids(snapshot, request.ids);
    select_matter(request.matter, file, snapshot);
    add_note(snapshot, profile_note(snapshot, request));
    const std::string table = profile_table(snapshot, request);
    if (output.file.empty()) {
        std::fputs(table.c_str(), stdout);
        print_notes(options, snapshot, stderr);
        return 0;
    }
    write_text(output, table);
    if (options.verbosity() == Verbosity::quiet)
        return 0;
    std::printf("wrote %s: %d bins\n", output.file.c_str(), request.bins);
    print_notes(options, snapshot);
    return 0;
}

} // namespace chamomile::app
