#include "app/line_file.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

#include <unistd.h>

#include "chamomile/core/archive.hpp"
#include "chamomile/core/error.hpp"

namespace chamomile::app {

namespace fs = std::filesystem;

namespace {

Error failure(const fs::path& file, const char* what)
{
    return Error(Fault::output,
                 file.string() + ": cannot be " + what + ": " + std::strerror(errno));
}

/// The bytes of the whole lines at the start of a file.
std::uint64_t whole_lines(const fs::path& file)
{
    std::ifstream stream(file, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    const std::size_t end = text.rfind('\n');
    return end == text.npos ? 0 : end + 1;
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
        return go_on();
    file_ = std::fopen(file.c_str(), "w");
    if (!file_)
        throw failure(file, "created");
    heading_ = heading;
    write(unwritten_.empty() ? heading_ : "");
    return "";
}

std::string LineFile::go_on()
{
    std::string note;
    std::error_code none;
    const std::uint64_t found = fs::exists(path_, none) ? fs::file_size(path_, none) : 0;
    if (found < bytes_) {
        note = path_.string() + ": had " + std::to_string(bytes_) +
               " bytes at the checkpoint and has " + std::to_string(found) + ": lines are missing";
        bytes_ = found > 0 ? whole_lines(path_) : 0;
    }
    file_ = std::fopen(path_.c_str(), bytes_ > 0 ? "r+" : "w");
    if (!file_)
        throw failure(path_, "opened");
    if (::ftruncate(::fileno(file_), off_t(bytes_)) != 0 ||
        std::fseek(file_, long(bytes_), SEEK_SET) != 0)
        throw failure(path_, "cut to its length at the checkpoint");
    write((bytes_ == 0 ? heading_ : "") + std::exchange(unwritten_, ""));
    return note;
}

void LineFile::write(const std::string& line)
{
    unwritten_ += line;
    if (std::fputs(unwritten_.c_str(), file_) < 0 || std::fflush(file_) != 0)
        throw failure(path_, "written");
    bytes_ += unwritten_.size();
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
    archive(name + "/unwritten", unwritten_);
}

} // namespace chamomile::app
