/// \file  One writer of a file at a time.
#pragma once

#include <filesystem>
#include <string>

namespace chamomile {

/// Takes an open file or folder for this program, until it is closed; false if another has it.
/// Where a file system has no locks it goes unguarded.
bool take_lock(int descriptor);

/// The name of the lock of a file.
std::string lock_of(const std::string& file);

/// While it lives, no other program that asks gets the same file: FILE.lock is held, and removed at
/// the end.
class FileLock {
public:
    /// Throws Error(output) if another program holds it, something else has its name, or the folder
    /// cannot be written.
    explicit FileLock(const std::filesystem::path& file);
    ~FileLock();
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;

private:
    bool is_there() const; ///< the open one is still that of the name

    std::filesystem::path path_;
    int descriptor_ = -1;
};

} // namespace chamomile
