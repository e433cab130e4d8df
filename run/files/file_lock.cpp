#include "chamomile/run/files/file_lock.hpp"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "chamomile/core/error.hpp"

namespace chamomile {

bool acquire_lock(int descriptor)
{
    return flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

std::string lock_of(const std::string& file)
{
    return file + ".lock";
}

FileLock::FileLock(const std::filesystem::path& file) : path_(lock_of(file.string()))
{
    do {
        if (descriptor_ >= 0) // the holder has removed the file
            close(descriptor_);
        // O_NOFOLLOW refuses links, O_NONBLOCK avoids blocking in open() on a pipe.
        descriptor_ =
            open(path_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
        if (descriptor_ < 0)
            throw Error(Fault::output,
                        path_.string() + ": cannot be written: " + std::strerror(errno));
        struct stat status;
        if (fstat(descriptor_, &status) == 0 && (!S_ISREG(status.st_mode) || status.st_size > 0)) {
            close(descriptor_);
            throw Error(Fault::output, path_.string() + ": is no lock, which is an empty file: "
                                                        "remove it, or choose another name");
        }
        if (!acquire_lock(descriptor_)) {
            close(descriptor_);
            throw Error(Fault::output, file.string() + ": another run is writing it");
        }
    } while (!names_open_file());
}

FileLock::~FileLock()
{
    unlink(path_.c_str());
    close(descriptor_);
}

bool FileLock::names_open_file() const
{
    struct stat held, named;
    return fstat(descriptor_, &held) == 0 && lstat(path_.c_str(), &named) == 0 &&
           held.st_ino == named.st_ino && held.st_dev == named.st_dev;
}

} // namespace chamomile
