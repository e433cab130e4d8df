/// \file  `chamomile convert`: writes a snapshot in another format.
#include <cstdio>

#include "app/command.hpp"
#include "app/command_files.hpp"
#include "app/options/options.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/core/version.hpp"
#include "chamomile/io/snapshot.hpp"
#include "chamomile/run/particle_notes.hpp"

namespace chamomile::app {

int convert(const std::vector<std::string>& arguments)
{
    std::string input, output;
    bool overwrite = false;
    Options options("convert",
                    "Rewrites a snapshot in the format that the extension of OUT names: .hdf5 or "
                    ".h5, .gadget2, .tipsy or .bin, .txt or .dat.");
    options.positional("IN", input, "the snapshot; its content tells its format");
    options.positional("OUT", output, "the file to write");
    options.flag("overwrite", overwrite, "replace OUT if it exists");
    if (!options.parse(arguments))
        return 0;

    left_out({}, output); // refuses an unknown extension before anything is read
    note_input(input);
    require_writable("convert", {output, overwrite, "OUT"});
    Snapshot snapshot = read_particles(input);
    snapshot.provenance["converted"] =
        "by chamomile " + std::string(version) + " from " + input + " (" + snapshot.format + ")";
    require_still_writable({output, overwrite, "OUT"});
    write_snapshot(snapshot, output);
    if (options.verbosity() == Verbosity::quiet)
        return 0;
    std::printf("%s: %zu particles from %s\n", output.c_str(), snapshot.particles.size(),
                snapshot.format.c_str());
    print_notes(options, snapshot);
    for (const std::string& lost : left_out(snapshot, output))
        std::printf("note: not in the new file: %s\n", lost.c_str());
    return 0;
}

} // namespace chamomile::app
