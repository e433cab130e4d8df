#include "chamomile/run/files/checkpoints.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "chamomile/core/columns.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/core/profile.hpp"
#include "chamomile/core/text/table.hpp"

namespace chamomile {

namespace fs = std::filesystem;

namespace {

constexpr const char* beginning = "checkpoint_";
constexpr const char* ending = ".chk";
constexpr const char* aside = ".chk.aside";
constexpr std::size_t kept = 2;

fs::path name_of(std::uint64_t step)
{
    return formatted("%s%09llu%s", beginning, (unsigned long long)step, ending);
}

bool is_numbered(const std::string& name, const std::string& end)
{
    const std::string start = beginning;
    return name.size() > start.size() + end.size() && name.starts_with(start) &&
           name.ends_with(end) &&
           name.find_first_not_of("0123456789", start.size()) == name.size() - end.size();
}

/// Returns the step number in the name of a checkpoint.
std::uint64_t number_of(const fs::path& file)
{
    return std::strtoull(file.filename().c_str() + std::strlen(beginning), nullptr, 10);
}

/// Returns whether a name is checkpoint_N.chk.G.K.
bool is_part(const std::string& name)
{
    const fs::path generation = fs::path(name).stem();
    const auto is_number = [](const fs::path& file) {
        const std::string digits = file.extension().string();
        return digits.size() > 1 && digits.find_first_not_of("0123456789", 1) == digits.npos;
    };
    return is_number(name) && is_number(generation) &&
           is_numbered(generation.stem().string(), ending);
}

/// Removes parts of the checkpoints up to `step` that have been removed, and of that step except
/// `parts`.
void remove_left_parts(const fs::path& folder, std::uint64_t step, const CheckpointParts& parts)
{
    std::vector<fs::path> left;
    std::error_code none;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, none)) {
        const fs::path name = entry.path().filename();
        if (!is_part(name.string()) || number_of(name) > step ||
            std::ranges::find(parts.names, name.string()) != parts.names.end())
            continue;
        fs::path checkpoint = folder / name.stem().stem();
        const bool is_whole = number_of(name) < step && fs::exists(checkpoint, none);
        if (!is_whole && !fs::exists(checkpoint.replace_extension(aside), none))
            left.push_back(entry.path());
    }
    for (const fs::path& part : left)
        fs::remove(part, none);
}

/// Returns the checkpoints of the folder, latest step first.
std::vector<fs::path> checkpoints_in(const fs::path& folder)
{
    std::vector<fs::path> files;
    std::error_code absent;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, absent))
        if (is_numbered(entry.path().filename().string(), ending))
            files.push_back(entry.path());
    std::sort(files.begin(), files.end(), [](const fs::path& a, const fs::path& b) {
        const std::uint64_t x = number_of(a), y = number_of(b);
        return x != y ? x > y : a.filename() > b.filename();
    });
    return files;
}

/// Opens a checkpoint. Its name must match its step, because the newest is chosen by name.
std::unique_ptr<CheckpointReader> opened(const fs::path& file)
{
    auto archive = std::make_unique<CheckpointReader>(file);
    std::uint64_t step = 0;
    (*archive)("simulation/step", step);
    if (is_numbered(file.filename().string(), ending) && number_of(file) != step)
        throw Error(Fault::restart, file.string() + ": step " + std::to_string(step) +
                                        ": must be named " + name_of(step).string());
    return archive;
}

/// Returns whether the file seems to belong to the same run.
bool is_of_run(const CheckpointReader& run, const fs::path& file)
{
    const std::string lasting[] = {"run/input", "run/start_time", name_in_archives(Column::id),
                                   name_in_archives(Column::type), name_in_archives(Column::mass)};
    try {
        const CheckpointReader other(file, CheckSums::heads);
        return std::all_of(std::begin(lasting), std::end(lasting),
                           [&](const std::string& name) { return run.agrees(other, name); });
    } catch (const Error&) {
        return true; // damaged, so never chosen
    }
}

/// Returns whether a checkpoint that did not end well, or its temporary file, needs these parts.
bool needs(const fs::path& file, const CheckpointParts& parts)
{
    std::error_code none;
    for (const fs::directory_entry& entry : fs::directory_iterator(file.parent_path(), none))
        if (entry.path().filename().string().starts_with(file.filename().string() + ".tmp."))
            return true;
    try {
        CheckpointReader found(file, CheckSums::own);
        std::vector<std::string> names;
        if (found.has(checkpoint_layout::part_names))
            static_cast<Archive&>(found)(checkpoint_layout::part_names, names);
        return names == parts.names;
    } catch (const Error&) {
        return false;
    }
}

} // namespace

fs::path Checkpoints::write(std::uint64_t step, const std::function<void(Archive&)>& exchange,
                            const std::function<CheckpointParts(const fs::path&)>& write_parts)
{
    const double start = wall_clock_seconds();
    const fs::path file = folder_ / name_of(step);
    const CheckpointParts parts = write_parts ? write_parts(file) : CheckpointParts();
    std::error_code none; // extra files do no harm
    try {
        write_checkpoint(file, exchange, parts);
    } catch (...) {
        if (!parts.names.empty() && !needs(file, parts))
            for (const std::string& name : parts.names)
                fs::remove(folder_ / name, none);
        throw;
    }
    std::vector<fs::path> files = checkpoints_in(folder_);
    std::erase_if(files, [&](const fs::path& other) { return number_of(other) > step; }); // foreign
    for (std::size_t k = kept; k < files.size(); ++k)
        fs::remove(files[k], none);
    remove_left_parts(folder_, step, parts);
    longest_ = std::max(longest_, wall_clock_seconds() - start);
    return file;
}

bool is_checkpoint_name(const std::string& name)
{
    return is_numbered(name, ending) || is_numbered(name, aside) || is_part(name);
}

fs::path restart_folder(const fs::path& place)
{
    std::error_code none;
    if (!fs::exists(place, none))
        throw Error(Fault::restart,
                    "{restart}: " + place.string() +
                        ": does not exist: must be the folder of a run or a checkpoint");
    if (fs::is_directory(place, none))
        return place;
    return place.has_parent_path() ? place.parent_path() : ".";
}

RestartPoint find_restart(const fs::path& place)
{
    RestartPoint point;
    std::error_code none;
    std::vector<fs::path> files{place};
    if (fs::is_directory(place, none))
        files = checkpoints_in(place);
    if (files.empty())
        throw Error(Fault::restart, "{restart}: " + place.string() +
                                        ": no checkpoint (checkpoint_N.chk): start a run again if "
                                        "it ended before the first checkpoint");
    for (const fs::path& file : files)
        try {
            point.archive = opened(file);
            break;
        } catch (const Error& error) {
            point.rejected.emplace_back(error.line());
        }
    std::string all;
    for (const std::string& line : point.rejected)
        all += (all.empty() ? "" : "; ") + line;
    if (!point.archive)
        throw Error(Fault::restart, "{restart}: " + all);
    if (!is_numbered(point.archive->path().filename().string(),
                     ending)) // a restart would not find this file
        throw Error(Fault::restart,
                    "{restart}: " + place.string() +
                        ": must be named checkpoint_N.chk, in the folder of the run");
    // If older checkpoints belong to another run, the choice is ambiguous.
    for (std::size_t k = point.rejected.size() + 1; k < files.size(); ++k)
        if (!is_of_run(*point.archive, files[k]))
            throw Error(Fault::restart, "{restart}: " + point.archive->path().string() + " and " +
                                            files[k].string() +
                                            " belong to different runs: name one of the files");
    return point;
}

void set_aside_newer(const fs::path& checkpoint)
{
    for (const fs::path& file :
         checkpoints_in(checkpoint.has_parent_path() ? checkpoint.parent_path() : ".")) {
        std::error_code fault;
        if (fs::equivalent(file, checkpoint, fault))
            return;
        fs::path to = file;
        to.replace_extension(aside);
        fs::rename(file, to, fault);
        if (fault)
            throw Error(Fault::output, file.string() + ": cannot be renamed: " + fault.message());
    }
}

} // namespace chamomile
