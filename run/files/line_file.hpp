/// \file  A text file that grows line by line during a run and across restarts.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>

namespace chamomile {
class Archive;
}

namespace chamomile {

/// A LineFile has lines below a heading. All members throw Error(output).
class LineFile {
public:
    LineFile() = default;
    ~LineFile();
    LineFile(const LineFile&) = delete;
    LineFile& operator=(const LineFile&) = delete;

    bool is_open() const { return file_; }

    /// Creates the file with its heading. After exchange() has restored its length, continues the
    /// file at this length and cuts off later lines. If the file has become shorter, it is created
    /// again or cut to whole lines. Returns a note if lines are missing or have changed.
    std::string open(const std::filesystem::path& file, const std::string& heading);

    /// Writes a line and flushes. If this fails, the line is kept for the next call, also across a
    /// restart.
    void write(const std::string& line);

    /// Syncs the file to disk.
    void sync();

    /// Stores or restores heading, file length and unwritten lines.
    void exchange(Archive& archive, const std::string& name);
    const std::string& heading() const { return heading_; }

private:
    std::string continue_file();

    std::filesystem::path path_;
    std::FILE* file_ = nullptr;
    std::string heading_, unwritten_;
    std::uint64_t bytes_ = 0; ///< length of whole lines
    std::uint32_t sum_ = 0;   ///< check sum of `bytes_` bytes
};

} // namespace chamomile
