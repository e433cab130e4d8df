/// \file  Common code for fuzz targets: bytes as a file, and permitted errors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

#include "chamomile/core/error.hpp"

namespace chamomile::tests {

/// A file in memory, reused by all calls: a call leaves nothing else behind.
class InputOfFuzzer {
public:
    /// Returns the path to a file with these bytes.
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

/// For any bytes, a reader must return or throw an Error with one line.
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
