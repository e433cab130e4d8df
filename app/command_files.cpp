#include "app/command_files.hpp"

#include <algorithm>
#include <cstdio>
#include <vector>

#include <sys/stat.h>

#include "chamomile/core/error.hpp"
#include "chamomile/io/pieces.hpp"

namespace chamomile::app {

namespace fs = std::filesystem;

namespace {

/// What a name stands for: the file, and the place where there may be none yet.
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

struct NamedOutput {
    Place place;
    fs::path file;
    std::string option;
};

// Of this process, which is one command.
std::vector<Place> inputs;
std::vector<NamedOutput> outputs;

[[noreturn]] void refuse_input(const fs::path& output)
{
    throw Error(Fault::output,
                output.string() + ": is the input: the name of another file is needed");
}

} // namespace

bool is_same_file(const fs::path& a, const fs::path& b)
{
    return Place(a) == Place(b);
}

void note_input(const fs::path& file)
{
    if (file.empty())
        return;
    inputs.emplace_back(file);
    for (const NamedOutput& output : outputs)
        if (output.place == inputs.back())
            refuse_input(output.file);
}

void note_output(const fs::path& file, const std::string& option)
{
    require_no_input(file);
    const Place place(file);
    for (const NamedOutput& output : outputs)
        if (output.option != option && output.place == place)
            throw Error(Fault::usage,
                        option + ": " + file.string() + ": is the file of " + output.option);
    outputs.push_back({place, file, option});
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

void note_snapshot(const std::string& file)
{
    for (const fs::path& piece : snapshot_pieces(file))
        note_input(piece);
}

Snapshot read_particles(const std::string& file)
{
    note_snapshot(file);
    return read_snapshot(file);
}

void print_notes(const Options& options, const Snapshot& snapshot)
{
    if (options.verbosity() == Verbosity::quiet)
        return;
    for (const std::string& note : snapshot.notes)
        std::printf("note: %s\n", note.c_str());
}

} // namespace chamomile::app
