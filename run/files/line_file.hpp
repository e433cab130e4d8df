/// \file  A file of lines that grows with a run and is continued by a restart.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>

namespace chamomile {
class Archive;
}

namespace chamomile {

/// A LineFile has lines under a heading. All members throw Error(output).
class LineFile {
public:
    LineFile() = default;
    ~LineFile();
    LineFile(const LineFile&) = delete;
    LineFile& operator=(const LineFile&) = delete;

    bool is_open() const { return file_; }

    /// Creates the file with its heading. After exchange() has restored its length, it continues
    /// there instead and cuts off what follows. A file that has become shorter is created anew or
    /// cut to whole lines; the returned text says so, and also if lines have changed.
    std::string open(const std::filesystem::path& file, const std::string& heading);

    /// Writes a line through to the file at once. A line that cannot be written is kept for the
    /// next call, also after a restart.
    void write(const std::string& line);

    /// Sends the file to the disk.
    void sync();

    /// Keeps or restores the heading, the length of the file and the lines that could not be
    /// written.
    void exchange(Archive& archive, const std::string& name);
    const std::string& heading() const { return heading_; }

private:
    std::string continue_file();

    std::filesystem::path path_;
    std::FILE* file_ = nullptr;
    std::string heading_, unwritten_;
    std::uint64_t bytes_ = 0; ///< of whole lines
    std::uint32_t sum_ = 0;   ///< check sum of these
};

} // namespace chamomile
