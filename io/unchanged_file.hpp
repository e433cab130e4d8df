/// \file  A check that a file did not change while it was read.
#pragma once

#include <cstdint>
#include <filesystem>

namespace chamomile {

/// An UnchangedFile recognises a change by the size of the file, its time of change and which file
/// has the name.
class UnchangedFile {
public:
    /// Takes the file's state. A file that cannot be examined has none; the reader reports it.
    explicit UnchangedFile(const std::filesystem::path& path);

    /// Throws Error(input) if the file has changed since.
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
