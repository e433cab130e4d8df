/// \file  Locks that let one program at a time write a file.
#pragma once

#include <filesystem>
#include <string>

namespace chamomile {

/// Locks an open file or folder for this program until it is closed; returns false if another
/// program holds the lock. On a file system without locks it returns true.
bool take_lock(int descriptor);

/// Returns the name of the lock of a file.
std::string lock_of(const std::string& file);

/// A FileLock holds FILE.lock while it lives, so that no other program that asks gets the same
/// file. It is removed at the end.
class FileLock {
public:
    /// Throws Error(output) if another program holds the lock, something else has its name, or the
    /// folder cannot be written.
    explicit FileLock(const std::filesystem::path& file);
    ~FileLock();
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;

private:
    bool is_there() const; ///< the open file still has the name

    std::filesystem::path path_;
    int descriptor_ = -1;
};

} // namespace chamomile
