#include "app/run_folder.hpp"

#include <cerrno>
#include <cstring>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "app/checkpoints.hpp"
#include "app/file_lock.hpp"
#include "app/table.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/io/pending_file.hpp"

namespace chamomile::app {

namespace fs = std::filesystem;

namespace {

/// Whether the name is one that a run gives to its files.
bool is_result(const std::string& name)
{
    const auto numbered = [&](const std::string& start, const std::string& end) {
        return name.size() >= start.size() + 3 + end.size() && name.starts_with(start) &&
               name.ends_with(end) &&
               name.find_first_not_of("0123456789", start.size()) == name.size() - end.size();
    };
    return name == "run.log" || name == "energy.csv" || name == "steps.csv" ||
           name == "forces.csv" || numbered("snapshot_", ".hdf5") || numbered("frame_", ".png") ||
           numbered("power_", ".txt") || numbered("halos_", ".hdf5") || is_checkpoint_name(name);
}

/// Whether it is what a run that died was writing: a result with ".tmp." and a number.
bool is_unfinished(const std::string& name)
{
    const std::size_t place = name.rfind(".tmp.");
    return place != name.npos && is_result(name.substr(0, place)) && place + 5 < name.size() &&
           name.find_first_not_of("0123456789", place + 5) == name.npos;
}

std::vector<fs::path> results_in(const fs::path& folder)
{
    std::vector<fs::path> results;
    std::error_code absent;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, absent))
        if (is_result(entry.path().filename().string()) ||
            is_unfinished(entry.path().filename().string()))
            results.push_back(entry.path());
    return results;
}

/// Creates a file in the folder and removes it again: the only sure test.
void probe(const fs::path& existing, const fs::path& wanted)
{
    const fs::path file = existing / (".chamomile-probe-" + std::to_string(getpid()));
    const int descriptor = open(file.c_str(), O_CREAT | O_EXCL | O_WRONLY, 0600);
    if (descriptor < 0)
        throw Error(Fault::output, "--output: " + wanted.string() +
                                       ": cannot be written: " + std::strerror(errno));
    close(descriptor);
    unlink(file.c_str());
}

} // namespace

RunFolder::RunFolder(fs::path folder, EarlierResults earlier, const fs::path& input)
    : folder_(std::move(folder)), earlier_(earlier)
{
    if (!folder_.has_filename()) // "out/"
        folder_ = folder_.parent_path();
    fs::path existing = fs::absolute(folder_);
    std::error_code none;
    while (!fs::exists(existing, none) && existing != existing.parent_path())
        existing = existing.parent_path();
    if (!fs::is_directory(existing, none))
        throw Error(Fault::output, "--output: " + folder_.string() + ": " + existing.string() +
                                       " is a file; a folder is needed");
    probe(existing, folder_);
    lock();
    require_no_results();
    if (earlier_ == EarlierResults::continued)
        return;
    for (const fs::path& result : results_in(folder_))
        if (!input.empty() && fs::equivalent(result, input, none))
            throw Error(Fault::output, "--output: " + folder_.string() + ": --overwrite would " +
                                           "remove the input " + input.string() +
                                           "; choose another folder");
}

RunFolder::~RunFolder()
{
    if (lock_ >= 0)
        close(lock_);
}

void RunFolder::lock()
{
    if (lock_ < 0)
        lock_ = open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (lock_ >= 0 && !take_lock(lock_))
        throw Error(Fault::output, "--output: " + folder_.string() +
                                       ": another run is writing there; choose another folder");
}

void RunFolder::require_no_results() const
{
    const std::vector<fs::path> results = results_in(folder_);
    if (!results.empty() && earlier_ == EarlierResults::refused)
        throw Error(Fault::output, "--output: " + folder_.string() +
                                       ": holds the results of a run (" +
                                       results.front().filename().string() +
                                       "); choose another folder, give --overwrite to replace "
                                       "them or --restart to go on");
}

void RunFolder::create(std::int64_t bytes)
{
    std::error_code fault;
    fs::create_directories(folder_, fault);
    if (fault)
        throw Error(Fault::output,
                    "--output: " + folder_.string() + ": cannot be made: " + fault.message());
    lock();
    require_no_results();
    const std::vector<fs::path> results = results_in(folder_);
    if (!results.empty() && earlier_ == EarlierResults::replaced)
        PendingFile(snapshot(0)).probe_room(bytes);
    for (const fs::path& result : results) {
        if (earlier_ == EarlierResults::continued && is_result(result.filename().string()))
            continue;
        fs::remove(result, fault);
        if (fault)
            throw Error(Fault::output, result.string() + ": cannot be removed: " + fault.message());
    }
}

fs::path RunFolder::snapshot(int number) const
{
    return folder_ / formatted("snapshot_%03d.hdf5", number);
}

fs::path RunFolder::frame(int number) const
{
    return folder_ / formatted("frame_%03d.png", number);
}

fs::path RunFolder::power(int number) const
{
    return folder_ / formatted("power_%03d.txt", number);
}

fs::path RunFolder::halos(int number) const
{
    return folder_ / formatted("halos_%03d.hdf5", number);
}

} // namespace chamomile::app
