/// \file  Locks that allow only one program to write a file.
#pragma once

#include <filesystem>
#include <string>

namespace chamomile {

/// Locks an open file or folder until it is closed. Returns false if another program holds the
/// lock, true on a file system without locks.
bool acquire_lock(int descriptor);

/// Returns the name of the lock file of a file.
std::string lock_of(const std::string& file);

/// A FileLock holds the lock file FILE.lock during its lifetime, so that no other program using
/// FileLock writes the same file. The destructor removes the lock file.
class FileLock {
public:
    /// Throws Error(output) if another program holds the lock, FILE.lock is not a lock file, or the
    /// folder is not writable.
    explicit FileLock(const std::filesystem::path& file);
    ~FileLock();
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;

private:
    bool names_open_file() const; ///< the path still names the open file

    std::filesystem::path path_;
    int descriptor_ = -1;
};

} // namespace chamomile
