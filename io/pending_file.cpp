#include "chamomile/io/pending_file.hpp"

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <utility>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "chamomile/io/input_file.hpp"

namespace chamomile {
namespace {

constexpr std::size_t buffer_bytes = 1 << 20;

/// Returns the file that a symbolic link points to, so that writing keeps the link.
std::filesystem::path link_target(std::filesystem::path file)
{
    constexpr int max = 40; // the system's limit
    std::error_code none;
    for (int k = 0; k < max && std::filesystem::is_symlink(file, none); ++k)
        file = file.parent_path() / std::filesystem::read_symlink(file, none);
    return file;
}

} // namespace

int create_temporary(const std::filesystem::path& name, std::filesystem::path& temporary)
{
    constexpr int tries = 100;
    std::random_device number; // a process id is not unique across hosts and containers
    for (int k = 0; k < tries; ++k) {
        temporary = name.string() + ".tmp." + std::to_string(number());
        const int descriptor =
            ::open(temporary.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (descriptor >= 0 || errno != EEXIST)
            return descriptor;
    }
    return -1;
}

Error bad_output(const std::filesystem::path& file, const std::string& field,
                 const std::string& value, const std::string& allowed)
{
    return file_error(Fault::output, file, field, value, allowed);
}

PendingFile::PendingFile(const std::filesystem::path& target) : target_(link_target(target))
{
    std::error_code none;
    if (std::filesystem::is_symlink(target_, none)) {
        errno = ELOOP;
        throw failure("cannot be created");
    }
    if (std::filesystem::is_directory(target_, none))
        throw bad_output(target, "file", "a folder", "must be a file name");
    replaces_ = std::filesystem::exists(target_, none);
    if (replaces_ && !std::filesystem::is_regular_file(target_, none))
        throw bad_output(target, "file", "not a regular file", "must be a file name");
    descriptor_ = create_temporary(target_, temporary_);
    if (descriptor_ < 0)
        throw failure("cannot be created");
    buffer_.reserve(buffer_bytes);
}

PendingFile::PendingFile(const std::filesystem::path& target,
                         const std::filesystem::path& temporary)
    : target_(link_target(target)), temporary_(temporary), is_joined_(true)
{
    descriptor_ = ::open(temporary_.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    if (descriptor_ < 0)
        throw failure("cannot be opened");
}

PendingFile::~PendingFile()
{
    if (descriptor_ >= 0)
        ::close(descriptor_);
    if (!stays_ && !is_joined_)
        ::unlink(temporary_.c_str());
}

Error PendingFile::failure(const char* what) const
{
    return bad_output(target_, "file", std::strerror(errno), what);
}

void PendingFile::require_present() const
{
    struct stat own, named;
    if (::fstat(descriptor_, &own) != 0 || ::stat(temporary_.c_str(), &named) != 0)
        throw failure("cannot be written");
    if (own.st_dev == named.st_dev && own.st_ino == named.st_ino)
        return;
    ::unlink(temporary_.c_str());
    errno = ENOENT;
    throw failure("cannot be written");
}

void PendingFile::require_space(std::int64_t bytes)
{
    reserve_space(bytes);
    if (::ftruncate(descriptor_, 0) != 0)
        throw failure("cannot be written");
}

void PendingFile::reserve_space(std::int64_t bytes)
{
    // fallocate() beyond the size limit would raise SIGXFSZ.
    rlimit limit;
    if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        std::uint64_t(bytes) > limit.rlim_cur) {
        errno = EFBIG;
        throw failure("cannot be written");
    }
    if (bytes > 0 && ::fallocate(descriptor_, 0, 0, bytes) != 0 && errno != EOPNOTSUPP &&
        errno != ENOSYS && errno != EINTR)
        throw failure("cannot be written");
}

void PendingFile::write(std::span<const std::byte> bytes)
{
    assert(descriptor_ >= 0 && !stays_); // write() must not follow commit()
    while (!bytes.empty()) {
        if (buffer_.empty() && bytes.size() >= buffer_bytes) {
            const std::size_t n = std::min(bytes.size(), 16 * buffer_bytes);
            append(bytes.first(n));
            bytes = bytes.subspan(n);
            continue;
        }
        const std::size_t n = std::min(bytes.size(), buffer_bytes - buffer_.size());
        buffer_.insert(buffer_.end(), bytes.begin(), bytes.begin() + std::ptrdiff_t(n));
        bytes = bytes.subspan(n);
        if (buffer_.size() == buffer_bytes)
            flush();
    }
}

void PendingFile::flush()
{
    append(buffer_);
    buffer_.clear();
}

void PendingFile::append(std::span<const std::byte> bytes)
{
    write_all(bytes, [this](std::span<const std::byte> rest) {
        return ::write(descriptor_, rest.data(), rest.size());
    });
    send_to_disk();
}

void PendingFile::rewrite(std::int64_t offset, std::span<const std::byte> bytes)
{
    flush();
    write_all(bytes, [&](std::span<const std::byte> rest) {
        const auto done = std::int64_t(bytes.size() - rest.size());
        return ::pwrite(descriptor_, rest.data(), rest.size(), offset + done);
    });
}

/// Calls write(rest), which returns the number of bytes written, until nothing is left.
template <class Write>
void PendingFile::write_all(std::span<const std::byte> rest, const Write& write)
{
    int retries = 0;
    while (!rest.empty()) {
        const ssize_t n = write(rest);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && (errno == EIO || errno == ESTALE) && ++retries < 3) {
            ::sleep(1); // network file systems may recover
            continue;
        }
        if (n <= 0)
            throw failure("cannot be written");
        assert(std::size_t(n) <= rest.size());
        rest = rest.subspan(std::size_t(n));
    }
}

void PendingFile::remove_replaced() const
{
    if (replaces_ && ::unlink(target_.c_str()) != 0 && errno != ENOENT)
        throw failure("cannot be removed");
}

void PendingFile::send_to_disk()
{
    ::sync_file_range(descriptor_, 0, 0, SYNC_FILE_RANGE_WRITE); // fsync reports errors
}

void PendingFile::finish(const Look& look)
{
    assert(descriptor_ >= 0 && !stays_);
    flush();
    if (::fsync(descriptor_) != 0)
        throw failure("cannot be written");
    const int closing = std::exchange(descriptor_, -1);
    if (::close(closing) != 0)
        throw failure("cannot be closed");
    if (look)
        try {
            look(temporary_);
        } catch (const Error& error) {
            throw bad_output(target_, "written data", error.what(),
                             "read back with an error; the disk may be failing");
        }
}

void PendingFile::commit(const Look& look)
{
    if (descriptor_ >= 0)
        finish(look);
    reserve_name();
    stays_ = true;
    flush_folder();
}

void PendingFile::reserve_name()
{
    const char *from = temporary_.c_str(), *to = target_.c_str();
    if (!replaces_) {
        if (::renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
            return;
        if (errno == EEXIST) {
            stays_ = true;
            throw bad_output(target_, "file", "written by another program during this run",
                             "this output is in " + temporary_.string());
        }
        if (errno != EINVAL && errno != ENOSYS) // RENAME_NOREPLACE unsupported
            throw failure("cannot be renamed to");
    }
    if (std::rename(from, to) != 0)
        throw failure("cannot be renamed to");
}

/// Flushes the folder, so that the new name survives a power failure.
void PendingFile::flush_folder() const
{
    const std::filesystem::path parent = target_.parent_path();
    const int folder =
        ::open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return; // the file exists in a folder without read permission
    const int status = ::fsync(folder);
    const bool unsupported = errno == EINVAL || errno == ENOTSUP || errno == EROFS;
    ::close(folder);
    if (status != 0 && !unsupported)
        throw failure("folder cannot be written");
}

void commit_together(std::deque<PendingFile>& files, bool keeps)
{
    if (files.size() == 1)
        return files.front().commit();
    for (PendingFile& file : files)
        if (file.descriptor_ >= 0)
            file.finish();
    for (PendingFile& file : files)
        file.stays_ = keeps; // complete now: not lost if a later step fails
    std::size_t named = 0;
    try {
        for (std::size_t k = files.size(); k-- > 0;)
            files[k].remove_replaced();
        for (; named < files.size(); ++named)
            files[named].reserve_name();
        files.front().flush_folder();
    } catch (const Error& error) {
        for (std::size_t k = 0; k < named; ++k)
            std::rename(files[k].target_.c_str(), files[k].temporary_.c_str());
        if (!keeps)
            throw;
        throw Error(error.fault(), std::string(error.what()) + "; all pieces are in " +
                                       files.front().temporary_.string() + " and like names");
    }
}

void write_text(const std::filesystem::path& path, const std::string& text)
{
    PendingFile file(path);
    file.write(std::as_bytes(std::span(text)));
    file.commit();
}

} // namespace chamomile
