/// \file  Whether a file has stayed as it was while it was read.
#pragma once

#include <cstdint>
#include <filesystem>

namespace chamomile {

/// By its size, its time of change and which file has the name.
class UnchangedFile {
public:
    /// A file that cannot be looked at has no state; who reads it says so.
    explicit UnchangedFile(const std::filesystem::path& path);

    /// Throws Error(input) if it has changed since.
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
