#include "chamomile/core/system/free_memory.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

#ifdef __GLIBC__ // defined by any header of the C++ library
#include <malloc.h>
#endif

namespace chamomile {
namespace {

/// Returns the number in a file; none for words such as "max".
std::optional<std::uint64_t> number_in(const std::string& file)
{
    std::ifstream in(file);
    std::uint64_t number;
    return in >> number ? std::optional(number) : std::nullopt;
}

/// Returns "available" memory as in meminfo(5).
std::uint64_t available_here()
{
    std::ifstream in("/proc/meminfo");
    std::uint64_t kilobytes;
    for (std::string word; in >> word;)
        if (word == "MemAvailable:" && in >> kilobytes)
            return 1024 * kilobytes;
    return 0;
}

/// Returns the memory left by the process's control groups, each nested in the one above.
std::uint64_t left_by_groups()
{
    std::uint64_t left = std::numeric_limits<std::uint64_t>::max();
    // Lines are NUMBER:CONTROLLERS:PATH; version 2 names no controllers.
    std::ifstream in("/proc/self/cgroup");
    for (std::string line; std::getline(in, line);) {
        const std::size_t controllers = line.find(':') + 1, colon = line.find(':', controllers);
        if (controllers == 0 || colon == line.npos)
            continue;
        const bool second = colon == controllers;
        if (!second && line.substr(controllers, colon - controllers) != "memory")
            continue;
        const std::string root = second ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
        for (std::string path = line.substr(colon + 1);; path.resize(path.rfind('/'))) {
            const std::string group = root + path + "/memory.";
            const auto max = number_in(group + (second ? "max" : "limit_in_bytes"));
            const auto used = number_in(group + (second ? "current" : "usage_in_bytes"));
            if (max && used)
                left = std::min(left, *max > *used ? *max - *used : 0);
            if (path.find('/') == path.npos)
                break;
        }
    }
    return left;
}

} // namespace

std::uint64_t free_memory()
{
    return std::min(available_here(), left_by_groups());
}

void keep_freed_memory()
{
#ifdef __GLIBC__
    mallopt(M_MMAP_MAX, 0); // all arrays lie in the heap
    mallopt(M_TRIM_THRESHOLD, -1);
#endif
}

} // namespace chamomile
