#include "app/idle_threads.hpp"

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <sched.h>
#include <sys/auxv.h>
#include <unistd.h>

namespace chamomile::app {
namespace {

/// Returns the number of runnable threads of other programs; 0 if unknown.
long running_elsewhere()
{
    std::FILE* const file = std::fopen("/proc/loadavg", "r");
    if (!file)
        return 0;
    long running = 1; // this thread
    if (std::fscanf(file, "%*f %*f %*f %ld/", &running) != 1)
        running = 1;
    std::fclose(file);
    return running - 1;
}

/// Returns whether other programs leave fewer cores than this process may use. Samples three times
/// within a few ms, and ignores less than an eighth of the cores.
bool are_cores_shared()
{
    const long cores = ::sysconf(_SC_NPROCESSORS_ONLN);
    cpu_set_t set;
    const long own = ::sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : cores;
    for (int look = 0; look < 3; ++look) {
        const long others = running_elsewhere();
        if (others < std::max(1L, cores / 8) || others + own <= cores)
            return false;
        ::usleep(1000);
    }
    return true;
}

/// Returns whether arguments name several ranks in this process.
bool are_several_ranks(int argc, char** argv)
{
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i], next = i + 1 < argc ? argv[i + 1] : "";
        const std::size_t gpus = word.find("gpu:");
        if ((word == "--ranks" && next != "1") ||
            (word.starts_with("--ranks=") && word != "--ranks=1") ||
            (gpus != word.npos &&
             (word.find(',', gpus) != word.npos || word.substr(gpus) == "gpu:all")))
            return true;
    }
    return false;
}

} // namespace

void let_idle_threads_sleep(int argc, char** argv)
{
    const std::string_view last = argc > 1 ? argv[argc - 1] : "--help";
    if (last.starts_with("--help") || last == "--version")
        return; // starts no threads, and answers in half the time
    // By default libgomp spins 300000 times (3 to 15 ms), libomp for 200 ms. If other programs hold
    // the cores, a spinning thread delays the thread it waits for. The spinning threads of a rank
    // also delay other ranks: a step on two GPUs takes a seventh longer. 10000 spins outlast the
    // serial code between two loops.
    static constexpr const char* waits[][2] = {{"GOMP_SPINCOUNT", "10000"},
                                               {"KMP_BLOCKTIME", "1"}}; // ms
    if (std::getenv("OMP_WAIT_POLICY"))
        return;
    for (const auto& [name, value] : waits)
        if (std::getenv(name)) // set by the user, or by this function
            return;
    if (::getauxval(AT_BASE) == 0) // `ld.so chamomile ...`: /proc/self/exe is the loader
        return;
    if (!are_several_ranks(argc, argv) &&
        !are_cores_shared()) // spinning saves up to a third of a step on one GPU
        return;
    static char program[PATH_MAX];
    const ssize_t length = ::readlink("/proc/self/exe", program, sizeof program - 1);
    if (length <= 0)
        return;
    for (const auto& [name, value] : waits)
        ::setenv(name, value, 0);
    ::execv(program, argv); // returns on failure; the program then works with long waits
}

} // namespace chamomile::app
