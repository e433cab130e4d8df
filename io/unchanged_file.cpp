#include "chamomile/io/unchanged_file.hpp"

#include <string>

#include <sys/stat.h>

#include "chamomile/io/input_file.hpp"

namespace chamomile {

UnchangedFile::UnchangedFile(const std::filesystem::path& path)
    : path_(path), state_(state_of(path))
{}

UnchangedFile::State UnchangedFile::state_of(const std::filesystem::path& path)
{
    struct stat status;
    if (::stat(path.c_str(), &status) != 0)
        return {};
    return {status.st_dev, status.st_ino, status.st_size, status.st_mtim.tv_sec,
            status.st_mtim.tv_nsec};
}

void UnchangedFile::check() const
{
    const State now = state_of(path_);
    if (now == state_)
        return;
    const std::string then = now.size < 0              ? ", then removed"
                             : now.size == state_.size ? ", then other content"
                                                       : ", then " + std::to_string(now.size);
    throw bad_input(path_, "size", std::to_string(state_.size) + " bytes" + then,
                    "changed while being read; wait until the file is complete");
}

} // namespace chamomile
