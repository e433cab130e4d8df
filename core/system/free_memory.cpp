#include "chamomile/core/system/free_memory.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

namespace chamomile {
namespace {

/// Returns the number in a file that holds one; nothing for other words, such as "max".
std::optional<std::uint64_t> number_in(const std::string& file)
{
    std::ifstream in(file);
    std::uint64_t number;
    return in >> number ? std::optional(number) : std::nullopt;
}

/// Returns what meminfo(5) calls available.
std::uint64_t available_here()
{
    std::ifstream in("/proc/meminfo");
    std::uint64_t kilobytes;
    for (std::string word; in >> word;)
        if (word == "MemAvailable:" && in >> kilobytes)
            return 1024 * kilobytes;
    return 0;
}

/// Returns what the control groups (version 2) around the process leave, each within the one above.
std::uint64_t left_by_groups()
{
    std::uint64_t left = std::numeric_limits<std::uint64_t>::max();
    std::ifstream in("/proc/self/cgroup");
    std::string line;
    while (std::getline(in, line))
        if (line.starts_with("0::/"))
            for (std::string path = line.substr(3); !path.empty();
                 path.resize(std::min(path.rfind('/'), path.size()))) {
                const std::string group = "/sys/fs/cgroup" + path + "/memory.";
                const auto most = number_in(group + "max"), used = number_in(group + "current");
                if (most && used)
                    left = std::min(left, *most > *used ? *most - *used : 0);
            }
    return left;
}

} // namespace

std::uint64_t free_memory()
{
    return std::min(available_here(), left_by_groups());
}

} // namespace chamomile
