#include "app/command_files.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <vector>

#include <sys/stat.h>

#include "chamomile/core/error.hpp"
#include "chamomile/core/lower_case.hpp"
#include "chamomile/core/version.hpp"
#include "chamomile/integrate/ranks/led_particles.hpp"
#include "chamomile/io/files_row.hpp"
#include "chamomile/io/multi_file.hpp"
#include "chamomile/io/pending_file.hpp"
#include "chamomile/run/run_settings.hpp"

namespace chamomile::app {

namespace fs = std::filesystem;

namespace {

/// A Place identifies a file by its inode, or by its path before the file exists.
class Place {
public:
    explicit Place(const fs::path& name)
    {
        std::error_code none;
        path_ = fs::weakly_canonical(fs::absolute(name, none), none);
        exists_ = ::stat(name.c_str(), &status_) == 0;
    }

    bool operator==(const Place& other) const
    {
        return path_ == other.path_ ||
               (exists_ && other.exists_ && status_.st_dev == other.status_.st_dev &&
                status_.st_ino == other.status_.st_ino);
    }

private:
    fs::path path_;
    bool exists_;
    struct stat status_;
};

/// A NamedOutput is an output file with the option that names it.
struct NamedOutput {
    Place place;
    fs::path file;
    std::string option;
};

// Global: a process runs one command.
std::vector<Place> inputs;
std::vector<NamedOutput> outputs;

[[noreturn]] void refuse_input(const fs::path& output)
{
    throw Error(Fault::output, output.string() + ": is the input: must be another file");
}

/// Records a file that this command will write by this option. Throws Error(output) if it is an
/// input, Error(usage) if it is the file of another option.
void record_output(const fs::path& file, const std::string& option)
{
    require_no_input(file);
    const Place place(file);
    for (const NamedOutput& output : outputs)
        if (output.option != option && output.place == place)
            throw Error(Fault::usage,
                        option + ": " + file.string() + ": is the file of " + output.option);
    outputs.push_back({place, file, option});
}

} // namespace

void record_input(const fs::path& file)
{
    if (file.empty())
        return;
    inputs.emplace_back(file);
    for (const NamedOutput& output : outputs)
        if (output.place == inputs.back())
            refuse_input(output.file);
}

bool is_input(const fs::path& file)
{
    return std::find(inputs.begin(), inputs.end(), Place(file)) != inputs.end();
}

void require_no_input(const fs::path& file)
{
    if (is_input(file))
        refuse_input(file);
}

void record_snapshot(const std::string& file)
{
    for (const fs::path& piece : snapshot_pieces(file))
        record_input(piece);
}

void record_snapshots(std::vector<std::string>& files)
{
    std::map<fs::path, std::string> whole; // the named file of each piece
    std::erase_if(files, [&](const std::string& file) {
        const std::vector<fs::path> pieces = snapshot_pieces(file);
        const bool is_again = std::any_of(pieces.begin(), pieces.end(), [&](const fs::path& piece) {
            return whole.try_emplace(piece, file).first->second != file;
        });
        is_again ? record_input(file) : record_snapshot(file);
        return is_again;
    });
}

Snapshot read_particles(const std::string& file, Masses masses)
{
    record_snapshot(file);
    return read_snapshot(file, masses);
}

Snapshot open_particles(const std::string& file, Masses masses, MovingCheck moving)
{
    record_snapshot(file);
    return open_snapshot(file, masses, moving);
}

void print_notes(const Options& options, const Snapshot& snapshot, std::FILE* stream)
{
    if (options.verbosity() == Verbosity::quiet)
        return;
    static std::set<std::string> printed; // snapshots from one run repeat their notes
    for (const std::string& note : snapshot.notes)
        if (printed.insert(note).second)
            std::fprintf(stream, "note: %s\n", spelled(note, command_line_spelling()).c_str());
}

OptionRow<Output> overwrite_row()
{
    OptionRows<Output> rows;
    rows.flag("overwrite", &Output::overwrite, "replace files of these names");
    return rows.take().front();
}

std::vector<OptionRow<Output>> output_rows(const std::string& name, const std::string& metavar,
                                           const std::string& help)
{
    OptionRows<Output> rows;
    rows.group("Output");
    rows.text(name, &Output::file, metavar, help);
    rows.append({overwrite_row()});
    return rows.take();
}

void add_output(Options& options, Output& output)
{
    options.add(output_rows("output,o", "FILE", "by extension .hdf5, .txt, .tipsy or .gadget2"),
                output);
    options.add(files_row<Output>(), output);
}

void require_still_writable(const Output& output)
{
    std::error_code none;
    for (const fs::path& file : output_files(output.file, output.files)) {
        if (!output.overwrite && fs::exists(file, none))
            throw Error(Fault::output, file.string() + ": exists: give --overwrite to replace it");
        require_no_input(file);
    }
}

void require_writable(const std::string& command, const Output& output)
{
    if (output.file.empty())
        throw Error(Fault::usage, command + ": missing: --output FILE");
    const fs::path path = output.file;
    std::error_code none;
    if (fs::is_directory(path, none))
        throw Error(Fault::output, output.file + ": is a folder: must be a file");
    for (const fs::path& file : output_files(path, output.files))
        record_output(file, output.option);
    require_still_writable(output);
    const fs::path folder = path.parent_path();
    if (!folder.empty() && !fs::is_directory(folder, none))
        throw Error(Fault::output, output.file + ": the folder " + folder.string() +
                                       " does not exist: create it first");
    PendingFile probe(path); // leaves no file behind
}

int write_output(const Options& options, const Output& output,
                 const std::function<Snapshot()>& make, LedParticles* led)
{
    require_writable(options.command(), output);
    const std::string extension = lower_case(fs::path(output.file).extension().string());
    if (led && extension != ".hdf5" && extension != ".h5")
        throw Error(Fault::usage,
                    output.option + ": " + output.file + ": must be .hdf5 or .h5 on several ranks");
    Snapshot snapshot = make();
    require_still_writable(output);
    snapshot.provenance["version"] = version;
    snapshot.provenance["command"] = options.command_line();
    std::vector<std::string> all;
    for (const auto& [key, value] : options.values())
        all.push_back(key + "=" + value);
    snapshot.provenance["options"] = joined(all, ' ');
    led ? led->write(snapshot, *led, 1, output.file, output.files)
        : write_snapshot(snapshot, output.file, output.files);
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
