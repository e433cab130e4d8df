#include "chamomile/run/files/line_file.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <span>
#include <utility>

#include <unistd.h>

#include "chamomile/core/error.hpp"
#include "chamomile/core/files/archive.hpp"
#include "chamomile/io/checkpoint/layout.hpp"

namespace chamomile {

namespace fs = std::filesystem;

namespace {

Error failure(const fs::path& file, const char* what)
{
    return Error(Fault::output,
                 file.string() + ": cannot be " + what + ": " + std::strerror(errno));
}

/// Returns the first `bytes` bytes of a file, or less if it is shorter.
std::string beginning_of(const fs::path& file, std::uint64_t bytes)
{
    std::ifstream stream(file, std::ios::binary);
    std::string text(std::size_t(bytes), '\0');
    stream.read(text.data(), std::streamsize(bytes));
    text.resize(std::size_t(stream.gcount()));
    return text;
}

std::uint32_t sum_of(const std::string& text, std::uint32_t before = 0)
{
    return checkpoint_layout::check_sum(std::as_bytes(std::span(text)), before);
}

} // namespace

LineFile::~LineFile()
{
    if (file_)
        std::fclose(file_);
}

std::string LineFile::open(const fs::path& file, const std::string& heading)
{
    path_ = file;
    if (bytes_ > 0)
        return continue_file();
    file_ = std::fopen(file.c_str(), "w");
    if (!file_)
        throw failure(file, "created");
    heading_ = heading;
    write(unwritten_.empty() ? heading_ : "");
    return "";
}

std::string LineFile::continue_file()
{
    std::string note;
    std::error_code none;
    std::string kept = fs::is_regular_file(path_, none) ? beginning_of(path_, bytes_) : "";
    if (kept.size() < bytes_) {
        note = path_.string() + ": had " + std::to_string(bytes_) +
               " bytes at the checkpoint and has " + std::to_string(kept.size()) +
               ": lines are missing";
        kept.resize(kept.rfind('\n') + 1); // npos + 1 is 0
    } else if (sum_of(kept) != sum_) {
        note = path_.string() + ": changed since the checkpoint: existing lines are kept";
    }
    bytes_ = kept.size();
    sum_ = sum_of(kept);
    file_ = std::fopen(path_.c_str(), bytes_ > 0 ? "r+" : "w");
    if (!file_)
        throw failure(path_, "opened");
    if (::ftruncate(::fileno(file_), off_t(bytes_)) != 0 ||
        std::fseek(file_, long(bytes_), SEEK_SET) != 0)
        throw failure(path_, "truncated to the length at the checkpoint");
    write((bytes_ == 0 ? heading_ : "") + std::exchange(unwritten_, ""));
    return note;
}

void LineFile::write(const std::string& line)
{
    unwritten_ += line;
    if (std::fputs(unwritten_.c_str(), file_) < 0 || std::fflush(file_) != 0)
        throw failure(path_, "written");
    bytes_ += unwritten_.size();
    sum_ = sum_of(unwritten_, sum_);
    unwritten_.clear();
}

void LineFile::sync()
{
    if (file_ && ::fsync(::fileno(file_)) != 0 && errno != EINVAL)
        throw failure(path_, "written");
}

void LineFile::exchange(Archive& archive, const std::string& name)
{
    archive(name + "/heading", heading_);
    archive(name + "/bytes", bytes_);
    archive(name + "/sum", sum_);
    archive(name + "/unwritten", unwritten_);
}

} // namespace chamomile
