#include "chamomile/io/input_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "chamomile/core/first_exception.hpp"

namespace chamomile {
namespace {

template <class From, class To>
void convert_from(std::span<const std::byte> raw, ByteOrder order, std::span<To> values)
{
    for (std::size_t i = 0; i < values.size(); ++i) {
        From value; // not aligned in `raw`
        std::memcpy(&value, raw.data() + i * sizeof(From), sizeof(From));
        values[i] = To(in_host_order(value, order));
    }
}

/// Reads numbers in blocks that fit in cache, and converts them.
template <class To>
void read_converted(const InputFile& file, std::int64_t offset, int width, ByteOrder order,
                    std::span<To> values)
{
    constexpr std::size_t piece = 1 << 16;
    const std::size_t n = values.size(), pieces = (n + piece - 1) / piece;
    FirstException failure;
#pragma omp parallel if (pieces > 1)
    {
        std::vector<std::byte> raw;
#pragma omp for schedule(static)
        for (std::size_t p = 0; p < pieces; ++p)
            failure.run([&] {
                const std::span<To> part =
                    values.subspan(p * piece, std::min(piece, n - p * piece));
                raw.resize(part.size() * std::size_t(width));
                file.read(offset + std::int64_t(p * piece) * width, raw);
                convert(raw, width, order, part);
            });
    }
    if (!failure.caught())
        return;
    std::vector<std::byte> raw(piece * std::size_t(width)); // the first fault, not the fastest
    for (std::size_t p = 0; p < pieces; ++p)
        file.read(offset + std::int64_t(p * piece) * width,
                  std::span(raw).first(std::min(piece, n - p * piece) * std::size_t(width)));
    failure.rethrow();
}

/// Returns the text cut to 200 characters: names in a file may have any length.
std::string shortened(const std::string& text)
{
    constexpr std::size_t max = 200;
    return text.size() <= max ? text : text.substr(0, max) + "...";
}

/// Returns ", such as out/snapshot_010.hdf5" for the last snapshot in the folder, or an empty text.
std::string last_snapshot(const std::filesystem::path& folder)
{
    std::filesystem::path last;
    std::error_code fault;
    for (std::filesystem::directory_iterator file(folder, fault), end; !fault && file != end;
         file.increment(fault))
        if (const std::filesystem::path& path = file->path();
            path.filename().string().starts_with("snapshot_") &&
            std::pair(path.native().size(), path) > std::pair(last.native().size(), last))
            last = path;
    return last.empty() ? "" : ", such as " + last.string();
}

} // namespace

FileError file_error(Fault fault, const std::filesystem::path& file, const std::string& field,
                     const std::string& value, const std::string& allowed)
{
    return FileError(fault, file, shortened(field) + ": " + shortened(value) + ": " + allowed);
}

FileError bad_input(const std::filesystem::path& file, const std::string& field,
                    const std::string& value, const std::string& allowed)
{
    return file_error(Fault::input, file, field, value, allowed);
}

void convert(std::span<const std::byte> raw, int width, ByteOrder order, std::span<double> values)
{
    width == 4 ? convert_from<float>(raw, order, values) : convert_from<double>(raw, order, values);
}

void convert(std::span<const std::byte> raw, int width, ByteOrder order,
             std::span<std::uint64_t> values)
{
    width == 4 ? convert_from<std::uint32_t>(raw, order, values)
               : convert_from<std::uint64_t>(raw, order, values);
}

InputFile::InputFile(const std::filesystem::path& path) : path_(path)
{
    // O_NONBLOCK: opening a pipe without a writer returns at once.
    descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor_ < 0)
        throw bad_input(path, "file", std::strerror(errno), "must be a readable file");
    struct stat status;
    const bool known = ::fstat(descriptor_, &status) == 0;
    if (!known || !S_ISREG(status.st_mode) || status.st_size == 0) {
        ::close(descriptor_);
        if (known && S_ISDIR(status.st_mode))
            throw bad_input(path, "file", "a folder", "must be a file" + last_snapshot(path));
        if (known && S_ISREG(status.st_mode))
            throw bad_input(path, "size", "0 bytes", "must not be empty");
        throw bad_input(path, "file", "not a regular file", "must not be a pipe or device");
    }
    size_ = status.st_size;
}

InputFile::~InputFile()
{
    ::close(descriptor_);
}

void InputFile::read(std::int64_t offset, std::span<std::byte> bytes) const
{
    if (offset < 0 || offset > size_ || std::int64_t(bytes.size()) > size_ - offset)
        throw bad_input(path_, "size", std::to_string(size_) + " bytes",
                        "truncated, needs " + std::to_string(bytes.size()) +
                            " more bytes at offset " + std::to_string(offset));
    while (!bytes.empty()) {
        const ssize_t n = ::pread(descriptor_, bytes.data(), bytes.size(), offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            throw bad_input(path_, "offset " + std::to_string(offset),
                            n < 0 ? std::strerror(errno) : "end of file", "cannot be read");
        bytes = bytes.subspan(std::size_t(n));
        offset += n;
    }
}

void InputFile::read_reals(std::int64_t offset, int width, ByteOrder order,
                           std::span<double> values) const
{
    read_converted(*this, offset, width, order, values);
}

void InputFile::read_integers(std::int64_t offset, int width, ByteOrder order,
                              std::span<std::uint64_t> values) const
{
    read_converted(*this, offset, width, order, values);
}

} // namespace chamomile
