/// \file  A file of lines that grows with a run, and that a restart takes up where it was.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>

namespace chamomile {
class Archive;
}

namespace chamomile {

/// Lines under a heading. All members throw Error(output).
class LineFile {
public:
    LineFile() = default;
    ~LineFile();
    LineFile(const LineFile&) = delete;
    LineFile& operator=(const LineFile&) = delete;

    bool is_open() const { return file_; }

    /// Makes the file with its heading. After exchange() has restored how long it was, goes on
    /// there instead and cuts off what follows; a file that has become shorter is made anew or cut
    /// to whole lines, which the text that is returned says, as it says that lines are others.
    std::string open(const std::filesystem::path& file, const std::string& heading);

    /// Through to the file at once. A line that cannot be written is the first of the next time,
    /// after a restart too.
    void write(const std::string& line);

    /// Through to the disk.
    void sync();

    /// Keeps or restores the heading, how long the file is and what could not be written.
    void exchange(Archive& archive, const std::string& name);
    const std::string& heading() const { return heading_; }

private:
    std::string go_on();

    std::filesystem::path path_;
    std::FILE* file_ = nullptr;
    std::string heading_, unwritten_;
    std::uint64_t bytes_ = 0; ///< of whole lines
    std::uint32_t sum_ = 0;   ///< check sum of these
};

} // namespace chamomile
