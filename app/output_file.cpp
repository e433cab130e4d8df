#include "app/output_file.hpp"

#include <cstdio>
#include <filesystem>

#include "app/command_files.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/core/version.hpp"
#include "chamomile/io/pending_file.hpp"

namespace chamomile::app {

void add_output(Options& options, Output& output)
{
    options.group("Output");
    options.text("output,o", "FILE", output.file, "by extension .hdf5, .txt, .tipsy or .gadget2");
    options.flag("overwrite", output.overwrite, "replace a file of that name");
}

void require_still_writable(const Output& output)
{
    std::error_code none;
    if (!output.overwrite && std::filesystem::exists(output.file, none))
        throw Error(Fault::output, output.file + ": exists: give --overwrite to replace it");
    require_no_input(output.file);
}

void require_writable(const std::string& command, const Output& output)
{
    if (output.file.empty())
        throw Error(Fault::usage, command + ": missing: --output FILE");
    const std::filesystem::path path = output.file;
    std::error_code none;
    if (std::filesystem::is_directory(path, none))
        throw Error(Fault::output, output.file + ": is a folder: the name of a file is needed");
    note_output(path, output.option);
    require_still_writable(output);
    const std::filesystem::path folder = path.parent_path();
    if (!folder.empty() && !std::filesystem::is_directory(folder, none))
        throw Error(Fault::output, output.file + ": the folder " + folder.string() +
                                       " does not exist: create it first");
    PendingFile probe(path); // which is gone again
}

int write_output(const Options& options, const Output& output,
                 const std::function<Snapshot()>& make)
{
    require_writable(options.command(), output);
    Snapshot snapshot = make();
    require_still_writable(output);
    snapshot.provenance["version"] = version;
    snapshot.provenance["command"] = options.command_line();
    std::string all;
    for (const auto& [name, value] : options.values())
        all += (all.empty() ? "" : " ") + name + "=" + value;
    snapshot.provenance["options"] = all;
    write_snapshot(snapshot, output.file);
    if (options.verbosity() != Verbosity::quiet)
        std::printf("wrote %s: %zu particles, %s\n", output.file.c_str(), snapshot.particles.size(),
                    snapshot.units.description().c_str());
    return 0;
}

void write_text(const Output& output, const std::string& text)
{
    require_still_writable(output);
    chamomile::write_text(output.file, text);
}

} // namespace chamomile::app
