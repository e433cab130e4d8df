/// \file  What the fuzz targets share: bytes as a file, and errors that may be thrown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

#include "chamomile/core/error.hpp"

namespace chamomile::tests {

/// A file of memory; the same one for all calls, since nothing else of it is left.
class InputOfFuzzer {
public:
    /// The path of a file with these bytes.
    const std::string& path_of(const std::uint8_t* data, std::size_t size)
    {
        if (::ftruncate(descriptor_, 0) != 0 ||
            ::pwrite(descriptor_, data, size, 0) != ssize_t(size))
            std::abort();
        return path_;
    }

private:
    int descriptor_ = ::memfd_create("input", MFD_CLOEXEC);
    std::string path_ = "/proc/self/fd/" + std::to_string(descriptor_);
};

/// Whatever the bytes are, a reader returns or throws an Error with one line.
template <class Read>
void expect_no_more_than_errors(const Read& read)
{
    try {
        read();
    } catch (const Error& error) {
        const std::string line = error.what();
        if (line.empty() || line.size() > 100000)
            std::abort();
    }
}

} // namespace chamomile::tests
