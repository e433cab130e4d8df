#include "chamomile/core/files/regular_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "chamomile/core/error.hpp"

namespace chamomile {
namespace {

/// Holds a file descriptor and closes it on destruction.
class FileDescriptor {
public:
    explicit FileDescriptor(const std::filesystem::path& file)
        : descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) // never waits
    {}
    ~FileDescriptor()
    {
        if (descriptor >= 0)
            ::close(descriptor);
    }
    FileDescriptor(const FileDescriptor&) = delete;
    FileDescriptor& operator=(const FileDescriptor&) = delete;

    const int descriptor;
};

} // namespace

std::string read_regular_file(const std::filesystem::path& file, std::size_t max,
                              const std::string& needed)
{
    const auto refuse = [&](const std::string& what) {
        throw Error(Fault::input, file.string() + ": " + what + ": must be " + needed);
    };
    const FileDescriptor file_descriptor(file);
    struct stat status;
    if (file_descriptor.descriptor < 0 || ::fstat(file_descriptor.descriptor, &status) != 0)
        refuse(std::strerror(errno));
    if (!S_ISREG(status.st_mode))
        refuse(S_ISDIR(status.st_mode) ? "is a folder" : "is not a regular file");
    constexpr std::size_t piece = 1 << 16;
    std::string text;
    while (text.size() <= max) {
        const std::size_t had = text.size();
        text.resize(had + piece);
        const ssize_t n = ::read(file_descriptor.descriptor, text.data() + had, text.size() - had);
        if (n < 0 && errno != EINTR)
            refuse(std::strerror(errno));
        text.resize(had + std::size_t(std::max<ssize_t>(n, 0)));
        if (n == 0)
            return text;
    }
    refuse("is larger than " + std::to_string(max >> 10) + " kB");
    return {};
}

} // namespace chamomile
