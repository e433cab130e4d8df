#include "app/idle_threads.hpp"

#include <climits>
#include <cstdlib>
#include <string_view>

#include <sys/auxv.h>
#include <unistd.h>

namespace chamomile::app {

void let_idle_threads_sleep(int argc, char** argv)
{
    const std::string_view last = argc > 1 ? argv[argc - 1] : "--help";
    if (last.starts_with("--help") || last == "--version")
        return; // starts no threads, and answers in half the time
    // By default libgomp spins 300000 times (3 to 15 ms), libomp for 200 ms. If other programs hold
    // the cores, a spinning thread takes this time from the thread it waits for. 10000 spins
    // outlast the serial code between two loops.
    static constexpr const char* waits[][2] = {{"GOMP_SPINCOUNT", "10000"},
                                               {"KMP_BLOCKTIME", "1"}}; // ms
    if (std::getenv("OMP_WAIT_POLICY"))
        return;
    for (const auto& [name, value] : waits)
        if (std::getenv(name)) // set by the user, or below
            return;
    if (::getauxval(AT_BASE) == 0)
        return; // `ld.so chamomile ...`: /proc/self/exe is the loader
    static char program[PATH_MAX];
    const ssize_t length = ::readlink("/proc/self/exe", program, sizeof program - 1);
    if (length <= 0)
        return;
    for (const auto& [name, value] : waits)
        ::setenv(name, value, 0);
    ::execv(program, argv); // returns if it fails; the program then works with long waits
}

} // namespace chamomile::app
