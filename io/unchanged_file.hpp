/// \file  A check that a file did not change during reading.
#pragma once

#include <array>
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

    const std::filesystem::path& path() const { return path_; }
    /// Returns size in bytes, and modification time in seconds and nanoseconds.
    std::array<std::int64_t, 3> stamp() const
    {
        return {state_.size, state_.seconds, state_.nanoseconds};
    }

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
