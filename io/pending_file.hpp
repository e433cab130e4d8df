/// \file  A file that appears under its name only when it is complete.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <vector>

#include "chamomile/core/error.hpp"

namespace chamomile {

/// Opens a new file of that name with ".tmp." and a random number, which nothing else has: never
/// one that is there, nor what a link leads to. -1, with errno, where there can be none.
int create_temporary(const std::filesystem::path& name, std::filesystem::path& temporary);

/// A file being written under a temporary name in the folder of its target. commit() renames it
/// over the target, or over what that leads to if it is a symbolic link; without commit() it is
/// removed and the target stays as it was. A target that another program made meanwhile stays too,
/// and what was written keeps its temporary name. Devices, pipes and links that lead nowhere but to
/// themselves are refused. All members throw Error with Fault::output.
class PendingFile {
public:
    explicit PendingFile(const std::filesystem::path& target);
    ~PendingFile();
    PendingFile(const PendingFile&) = delete;
    PendingFile& operator=(const PendingFile&) = delete;

    const std::filesystem::path& target() const { return target_; }
    const std::filesystem::path& temporary() const { return temporary_; }

    /// Fails, before anything is written, when the disk, quota or size limit has no room for that
    /// many bytes. The room is not kept.
    void probe_room(std::int64_t bytes);

    /// Appends to the file, through a buffer.
    void write(std::span<const std::byte> bytes);

    template <class T>
    void write_value(const T& value)
    {
        write(std::as_bytes(std::span(&value, 1)));
    }

    /// Flushes to the disk, has what was written looked at, renames, and flushes the folder. Also
    /// for files that others wrote under temporary().
    void commit(const std::function<void(const std::filesystem::path& written)>& look = {});

    Error failure(const char* what) const; ///< with the text of errno

private:
    void flush();
    void take_name();
    void flush_folder() const;

    std::filesystem::path target_, temporary_;
    std::vector<std::byte> buffer_;
    int descriptor_ = -1;
    bool replaces_ = false, stays_ = false; // an older target; the temporary file
};

/// Writes a file whole, complete or not at all. Throws Error(output).
void write_text(const std::filesystem::path& file, const std::string& text);

/// The error of something that cannot be written.
Error bad_output(const std::filesystem::path& file, const std::string& field,
                 const std::string& value, const std::string& allowed);

} // namespace chamomile
