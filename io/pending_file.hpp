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

/// Creates a file of that name with ".tmp." and a random number appended, and returns its
/// descriptor. It never opens an existing file or the target of a link. Returns -1 and sets errno
/// where no file can be created.
int create_temporary(const std::filesystem::path& name, std::filesystem::path& temporary);

/// A PendingFile is written under a temporary name in the folder of its target. commit() renames it
/// over the target, or over the file that a symbolic link leads to; without commit() it is removed
/// and the target stays as it was. A target that another program created meanwhile also stays, and
/// the data keep their temporary name. Devices, pipes and links that lead nowhere but to themselves
/// are refused. All members throw Error with Fault::output.
class PendingFile {
public:
    explicit PendingFile(const std::filesystem::path& target);
    ~PendingFile();
    PendingFile(const PendingFile&) = delete;
    PendingFile& operator=(const PendingFile&) = delete;

    const std::filesystem::path& target() const { return target_; }
    const std::filesystem::path& temporary() const { return temporary_; }

    /// Throws, before anything is written, when the disk, quota or size limit has no room for that
    /// many bytes. The room is not reserved.
    void require_space(std::int64_t bytes);

    /// Appends to the file, through a buffer for short pieces.
    void write(std::span<const std::byte> bytes);

    /// Writes again what the file has from that byte on.
    void rewrite(std::int64_t offset, std::span<const std::byte> bytes);

    template <class T>
    void write_value(const T& value)
    {
        write(std::as_bytes(std::span(&value, 1)));
    }

    /// Lets the disk begin to write what the file has so far, so that commit() need not wait for
    /// all of it.
    void send_to_disk();

    /// Flushes the data to the disk, calls `look` to verify them, renames the file, and flushes the
    /// folder. It also serves files that others wrote under temporary().
    void commit(const std::function<void(const std::filesystem::path& written)>& look = {});

    Error failure(const char* what) const; ///< with the text of errno

private:
    void flush();
    void append(std::span<const std::byte> bytes);
    template <class Write>
    void write_all(std::span<const std::byte> bytes, const Write& write);
    void take_name();
    void flush_folder() const;

    std::filesystem::path target_, temporary_;
    std::vector<std::byte> buffer_;
    int descriptor_ = -1;
    bool replaces_ = false, stays_ = false; // an older target is replaced; the temporary is kept
};

/// Writes a file that is complete or does not appear. Throws Error(output).
void write_text(const std::filesystem::path& file, const std::string& text);

/// Returns the error of something that cannot be written.
Error bad_output(const std::filesystem::path& file, const std::string& field,
                 const std::string& value, const std::string& allowed);

} // namespace chamomile
