/// \file  A check that a file did not change during reading.
#pragma once

#include <cstdint>
#include <filesystem>

namespace chamomile {

/// An UnchangedFile detects changes by file size, change time and inode.
class UnchangedFile {
public:
    /// Records the state of the file. If the file cannot be examined, the reader reports the error.
    explicit UnchangedFile(const std::filesystem::path& path);

    /// Throws Error(input) if the file has changed since construction.
    void check() const;

private:
    struct State {
        std::uint64_t device = 0, number = 0;
        std::int64_t size = -1, seconds = 0, nanoseconds = 0;
        bool operator==(const State&) const = default;
    };
    static State state_of(const std::filesystem::path& path);

    std::filesystem::path path_;
    State state_;
};

} // namespace chamomile
