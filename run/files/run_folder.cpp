#include "chamomile/run/files/run_folder.hpp"

#include <cerrno>
#include <cstring>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "chamomile/core/error.hpp"
#include "chamomile/core/text/table.hpp"
#include "chamomile/io/pending_file.hpp"
#include "chamomile/run/files/checkpoints.hpp"
#include "chamomile/run/stop_requests.hpp"

namespace chamomile {

namespace fs = std::filesystem;

namespace {

/// Returns snapshot_000.hdf5 for its piece snapshot_000.3.hdf5, else the name.
std::string without_piece(const std::string& name)
{
    const fs::path stem = fs::path(name).stem();
    const std::string number = stem.extension().string();
    const bool is_piece =
        number.size() > 1 && number.find_first_not_of("0123456789", 1) == number.npos;
    return is_piece ? stem.stem().string() + fs::path(name).extension().string() : name;
}

/// Returns whether a name is `start`, a number of at least three digits and `end`.
bool is_numbered(const std::string& name, const std::string& start, const std::string& end)
{
    return name.size() >= start.size() + 3 + end.size() && name.starts_with(start) &&
           name.ends_with(end) &&
           name.find_first_not_of("0123456789", start.size()) == name.size() - end.size();
}

/// Returns whether a run creates files with such names.
bool is_result(const std::string& name)
{
    const auto numbered = [&](const std::string& start, const std::string& end) {
        return is_numbered(name, start, end);
    };
    return name == "run.log" || name == "energy.csv" || name == "steps.csv" ||
           name == "forces.csv" || name == "track.csv" || name == "bound.csv" ||
           name == "cluster.csv" || name == "escapers.csv" || name == "binaries.csv" ||
           name == "encounters.csv" || name == "frames.mp4" ||
           is_numbered(without_piece(name), "snapshot_", ".hdf5") || numbered("frame_", ".png") ||
           numbered("power_", ".txt") || numbered("halos_", ".hdf5") ||
           numbered("mass_function_", ".txt") || numbered("profile_", ".csv") ||
           numbered("light_cone_", ".hdf5") || numbered("light_cone_", ".part") ||
           is_checkpoint_name(name);
}

/// Returns whether an interrupted run left this file: a result name with ".tmp." and a number.
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

/// Locks an open folder until it is closed. Returns false if another program holds the lock, true
/// on a file system without locks.
bool acquire_lock(int descriptor)
{
    return flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

} // namespace

RunFolder::RunFolder(fs::path folder, EarlierResults earlier, IsInput is_input)
    : folder_(std::move(folder)), earlier_(earlier), is_input_(std::move(is_input))
{
    if (!folder_.has_filename()) // "out/"
        folder_ = folder_.parent_path();
    fs::path existing = fs::absolute(folder_);
    std::error_code none;
    if (!fs::exists(existing, none) && fs::is_symlink(existing, none))
        throw refusal("is a broken symbolic link");
    while (!fs::exists(existing, none) && existing != existing.parent_path())
        existing = existing.parent_path();
    if (!fs::is_directory(existing, none))
        throw refusal(existing.string() + " is a file: must be a folder");
    probe(existing);
    lock();
    require_no_results();
    require_no_inputs();
}

RunFolder::Handle::~Handle()
{
    if (descriptor >= 0)
        close(descriptor);
}

Error RunFolder::refusal(const std::string& what) const
{
    return Error(Fault::output, "{output}: " + folder_.string() + ": " + what);
}

/// Creates and removes a file in the folder: the only reliable test for write permission.
void RunFolder::probe(const fs::path& existing) const
{
    fs::path file;
    const int descriptor = create_temporary(existing / ".chamomile-probe", file);
    if (descriptor < 0)
        throw refusal(std::string("cannot be written: ") + std::strerror(errno));
    close(descriptor);
    unlink(file.c_str());
}

void RunFolder::lock()
{
    if (lock_.descriptor < 0)
        lock_.descriptor = open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    else
        require_same();
    if (lock_.descriptor >= 0 && !acquire_lock(lock_.descriptor))
        throw refusal("in use by another run; choose another folder");
}

void RunFolder::require_same() const
{
    struct stat held, named;
    if (lock_.descriptor >= 0 && fstat(lock_.descriptor, &held) == 0 &&
        stat(folder_.c_str(), &named) == 0 &&
        (held.st_ino != named.st_ino || held.st_dev != named.st_dev))
        throw refusal("the folder of this run was renamed, removed or replaced");
}

/// Refuses input files with a name that a run writes or removes. Other inputs may be in the folder.
void RunFolder::require_no_inputs() const
{
    std::vector<fs::path> files = results_in(folder_);
    for (const char* name : {StopRequests::stop_name, StopRequests::checkpoint_name})
        files.push_back(folder_ / name);
    for (const fs::path& file : files)
        if (is_input_ && is_input_(file))
            throw refusal(
                (earlier_ == EarlierResults::replaced ? std::string("{overwrite}") : "the run") +
                " would remove the input " + file.string() + "; choose another folder");
}

void RunFolder::require_no_results() const
{
    const std::vector<fs::path> results = results_in(folder_);
    if (!results.empty() && earlier_ == EarlierResults::refused)
        throw refusal("holds the results of a run (" + results.front().filename().string() +
                      "); choose another folder, give {overwrite} to replace the results or "
                      "{restart} to continue");
}

void RunFolder::create(std::int64_t bytes)
{
    std::error_code fault;
    fs::create_directories(folder_, fault);
    if (fault)
        throw refusal("cannot be created: " + fault.message());
    const bool is_new = lock_.descriptor < 0;
    lock();
    require_no_results();
    require_no_inputs();
    const std::vector<fs::path> results = results_in(folder_);
    if (is_new && !results.empty())
        throw refusal("folder changed by another run; choose a different folder");
    if (!results.empty() && earlier_ == EarlierResults::replaced)
        PendingFile(snapshot(0)).require_space(bytes);
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

fs::path RunFolder::mass_function(int number) const
{
    return folder_ / formatted("mass_function_%03d.txt", number);
}

fs::path RunFolder::profile(int number) const
{
    return folder_ / formatted("profile_%03d.csv", number);
}

fs::path RunFolder::light_cone(int number) const
{
    return folder_ / formatted("light_cone_%03d.hdf5", number);
}

} // namespace chamomile
