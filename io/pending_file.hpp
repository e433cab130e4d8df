/// \file  An output file that appears under its name only when complete.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <span>
#include <vector>

#include "chamomile/core/error.hpp"

namespace chamomile {

/// Creates a file with ".tmp." and a random number appended to `name`, and returns its descriptor.
/// Never opens an existing file or the target of a link. Returns -1 and sets errno on failure.
int create_temporary(const std::filesystem::path& name, std::filesystem::path& temporary);

/// A PendingFile is written under a temporary name in the folder of its target. commit() renames it
/// over the target, or over the file that a symbolic link points to. Without commit() it is removed
/// and the target stays unchanged. If another program creates the target before commit(), both
/// files stay. Refuses devices, pipes and links that form a loop. All members throw Error with
/// Fault::output.
class PendingFile {
public:
    explicit PendingFile(const std::filesystem::path& target);
    /// Opens the temporary file that another rank's PendingFile has created for this target. Only
    /// that rank removes or commits the file.
    PendingFile(const std::filesystem::path& target, const std::filesystem::path& temporary);
    ~PendingFile();
    PendingFile(const PendingFile&) = delete;
    PendingFile& operator=(const PendingFile&) = delete;

    const std::filesystem::path& target() const { return target_; }
    const std::filesystem::path& temporary() const { return temporary_; }

    /// Throws if disk, quota or size limit leave no room for `bytes` bytes. Call before the first
    /// write. require_space() does not keep the room; reserve_space() does, until the file is
    /// truncated, if the file system can.
    void require_space(std::int64_t bytes);
    void reserve_space(std::int64_t bytes);

    /// Appends to the file. Short pieces are buffered.
    void write(std::span<const std::byte> bytes);

    /// Overwrites the file from byte `offset` on.
    void rewrite(std::int64_t offset, std::span<const std::byte> bytes);

    template <class T>
    void write_value(const T& value)
    {
        write(std::as_bytes(std::span(&value, 1)));
    }

    /// Starts writing the current content to disk, to shorten the wait in commit().
    void send_to_disk();

    using Look = std::function<void(const std::filesystem::path& written)>;
    /// Flushes the data to disk and closes the file, which keeps its temporary name. Calls `look`
    /// to verify the file.
    void finish(const Look& look = {});

    /// Calls finish() unless it was called, renames the file, and flushes the folder. Also commits
    /// a file that another library wrote under temporary().
    void commit(const Look& look = {});

    /// Throws if the temporary name no longer names this file: a rank that failed has removed it.
    /// Removes the file that a library has made under the name instead.
    void require_present() const;

    Error failure(const char* what) const; ///< includes the text of errno

private:
    void flush();
    void append(std::span<const std::byte> bytes);
    template <class Write>
    void write_all(std::span<const std::byte> bytes, const Write& write);
    /// Removes the file that commit() would replace.
    void remove_replaced() const;
    void reserve_name();
    void flush_folder() const;
    friend void commit_together(std::deque<PendingFile>& files, bool keeps);

    std::filesystem::path target_, temporary_;
    std::vector<std::byte> buffer_;
    int descriptor_ = -1;
    bool replaces_ = false, stays_ = false; // an older target is replaced; the temporary is kept
    bool is_joined_ = false;                // of another rank
};

/// Commits files of one folder that belong together, in order, once all are on disk. Removes older
/// files of their names first, the last one, which names the others, before these. If a file cannot
/// get its name, all keep their temporary names, or go if `keeps` is false. Throws Error(output).
void commit_together(std::deque<PendingFile>& files, bool keeps = true);

/// Writes a file that appears only when complete. Throws Error(output).
void write_text(const std::filesystem::path& file, const std::string& text);

/// Returns the error of an output file that cannot be written, in the form of file_error().
Error bad_output(const std::filesystem::path& file, const std::string& field,
                 const std::string& value, const std::string& allowed);

} // namespace chamomile
