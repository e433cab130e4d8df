#include "chamomile/core/regular_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "chamomile/core/error.hpp"

namespace chamomile {
namespace {

/// An Opened holds the descriptor of a file and closes it at its end.
class Opened {
public:
    explicit Opened(const std::filesystem::path& file)
        : descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) // waits at no pipe
    {}
    ~Opened()
    {
        if (descriptor >= 0)
            ::close(descriptor);
    }
    Opened(const Opened&) = delete;
    Opened& operator=(const Opened&) = delete;

    const int descriptor;
};

} // namespace

std::string read_regular_file(const std::filesystem::path& file, std::size_t most,
                              const std::string& needed)
{
    const auto refuse = [&](const std::string& what) {
        throw Error(Fault::input, file.string() + ": " + what + ": " + needed + " is needed");
    };
    const Opened opened(file);
    struct stat status;
    if (opened.descriptor < 0 || ::fstat(opened.descriptor, &status) != 0)
        refuse(std::strerror(errno));
    if (!S_ISREG(status.st_mode))
        refuse(S_ISDIR(status.st_mode) ? "is a folder" : "is no regular file");
    constexpr std::size_t piece = 1 << 16;
    std::string text;
    while (text.size() <= most) {
        const std::size_t had = text.size();
        text.resize(had + piece);
        const ssize_t n = ::read(opened.descriptor, text.data() + had, text.size() - had);
        if (n < 0 && errno != EINTR)
            refuse(std::strerror(errno));
        text.resize(had + std::size_t(std::max<ssize_t>(n, 0)));
        if (n == 0)
            return text;
    }
    refuse("is larger than " + std::to_string(most >> 20) + " MB");
    return {};
}

} // namespace chamomile
