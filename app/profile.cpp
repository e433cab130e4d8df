/// \file  `chamomile profile`: density, mass and velocities by radius in a snapshot.
#include <cstdio>

#include "app/command.hpp"
#include "app/command_files.hpp"
#include "app/options/option_uses.hpp"
#include "app/options/structure_options.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/io/particle_check.hpp"
#include "chamomile/io/unit_conversion.hpp"
#include "chamomile/run/structures/radial_profile.hpp"
#include "chamomile/run/texts/particle_notes.hpp"

namespace chamomile::app {

int profile(const std::vector<std::string>& arguments)
{
    std::string file;
    AnalysedMatter matter;
    ProfileRequest request;
    std::vector<double> center;
    Output output;
    Options options("profile",
                    "Measures density, enclosed mass, circular speed, dispersions and anisotropy "
                    "in spherical shells, or surface density, rotation and dispersions in rings, "
                    "of all particles and of each type. Errors are those of counting.");
    options.positional("FILE", file, "the snapshot");
    options.group("Profile");
    add_types(options, matter.types, "particle types looked at, also as mass; all unless given");
    options.numbers("center", center, any_number,
                    "x,y,z of the center; the place of highest density unless given",
                    dimensions::length);
    options.number("r-min", request.smallest, not_negative,
                   "inner edge; of shells the radius of 1 % of the particles unless given",
                   dimensions::length);
    options.number("r-max", request.largest, positive,
                   "outer edge; the radius of 99 % of the particles unless given; at most half the "
                   "side of a periodic box",
                   dimensions::length);
    options.number("bins", request.bins, between(1, 10000),
                   "number of bins: shells equal in log r, rings equal in R");
    options.flag("cylinders", request.cylinders, "rings about the z axis instead of shells");
    options.number("height", request.height, positive, "with --cylinders: up to this |z|",
                   dimensions::length);
    options.group("Output");
    options.text("output,o", "FILE", output.file,
                 "the table, as comma-separated values; standard output without");
    options.flag("overwrite", output.overwrite, "replace a file of that name");
    options.expect_units();
    if (!options.parse(arguments))
        return 0;
    record_input(file);
    if (!output.file.empty())
        require_writable("profile", output);
    refuse_idle(options, {{!request.cylinders, "height", "needs --cylinders"},
                          {output.file.empty(), "overwrite", "needs --output FILE"}});
    if (!center.empty() && center.size() != 3)
        throw Error(Fault::usage, "--center: " + std::to_string(center.size()) +
                                      " numbers: three are needed, as in 0,0,0");

    Snapshot snapshot = read_particles(file);
    require_particles(snapshot.particles, file);
    options.set_units(unit_frame_of(snapshot));
    if (!center.empty())
        request.center = Vec3<double>{center[0], center[1], center[2]};
    select_matter(matter, file, snapshot);
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
