/// \file  `chamomile doctor`: prints what the program finds on this machine, for bug reports.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <boost/version.hpp>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "app/command.hpp"
#include "app/options/options.hpp"
#include "chamomile/core/instruction_sets.hpp"
#include "chamomile/core/ranks/mpi/mpi_ranks.hpp"
#include "chamomile/core/system/free_memory.hpp"
#include "chamomile/core/text/table.hpp"
#include "chamomile/core/version.hpp"
#include "chamomile/force/evaluator.hpp"
#include "chamomile/force/gpu.hpp"
#include "chamomile/force/mesh/fourier.hpp"
#include "chamomile/force/threads.hpp"
#include "chamomile/io/libraries.hpp"

namespace chamomile::app {
namespace {

void tell(const char* what, const std::string& text)
{
    std::printf("%-18s %s\n", what, text.c_str());
}

/// Returns the rest of the first line that begins with `begin`, without leading blanks; "" if no
/// line does.
std::string line_of(const char* file, const std::string& begin)
{
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);)
        if (line.starts_with(begin)) {
            const std::size_t start = line.find_first_not_of(" \t:", begin.size());
            return start == line.npos ? "" : line.substr(start);
        }
    return "";
}

std::string gibibytes(double bytes)
{
    return formatted("%.1f GiB", bytes / (1 << 30));
}

std::string memory_text()
{
    // /proc/meminfo counts in kB. A control group may have less memory than the system.
    const double total = std::atof(line_of("/proc/meminfo", "MemTotal:").c_str()) * 1024;
    std::string text = gibibytes(total) + ", " + gibibytes(double(free_memory())) + " available";
    rlimit limit;
    if (::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        text += ", limited to " + gibibytes(double(limit.rlim_cur)) + " by ulimit -v";
    return text;
}

std::string threads_text()
{
    std::string text = std::to_string(thread_count()) + " in use, " +
                       std::to_string(::sysconf(_SC_NPROCESSORS_ONLN)) + " processors";
    for (const char* name :
         {"OMP_NUM_THREADS", "OMP_WAIT_POLICY", "OMP_PROC_BIND", "GOMP_SPINCOUNT", "KMP_BLOCKTIME"})
        if (const char* value = std::getenv(name))
            text += std::string(", ") + name + "=" + value;
    return text;
}

bool is_in_path(const std::string& program)
{
    std::istringstream folders(std::getenv("PATH") ? std::getenv("PATH") : "");
    for (std::string folder; std::getline(folders, folder, ':');)
        if (::access((folder + "/" + program).c_str(), X_OK) == 0)
            return true;
    return false;
}

/// Whether 'chamomile plot' can draw.
bool python_has_matplotlib()
{
    return is_in_path("python3") &&
           std::system("python3 -c 'import importlib.util as found; "
                       "raise SystemExit(found.find_spec(\"matplotlib\") is None)' 2>/dev/null") ==
               0;
}

std::string libraries_text()
{
    std::string text =
        formatted("Boost %d.%d, ", BOOST_VERSION / 100000, BOOST_VERSION / 100 % 1000) +
        fourier_library();
    for (const std::string& library : file_libraries())
        text += ", " + library;
    if (!mpi_library().empty())
        text += ", " + mpi_library();
    return text;
}

} // namespace

int doctor(const std::vector<std::string>& arguments)
{
    Options options("doctor", "Prints program, processor, GPUs, memory and libraries, and what is "
                              "missing; add it to fault reports.");
    if (!options.parse(arguments))
        return 0;
    utsname system;
    ::uname(&system);
    std::error_code none;
    tell("chamomile", version);
    tell("program", std::filesystem::read_symlink("/proc/self/exe", none).string());
    tell("licence", licence);
    tell("compiler", std::string("C++ ") + __VERSION__);
    tell("system", std::string(system.sysname) + " " + system.release + " " + system.machine +
                       ", " + line_of("/etc/os-release", "PRETTY_NAME="));
    tell("processor", line_of("/proc/cpuinfo", "model name"));
    std::string sets;
    for (const std::string& set : instruction_sets())
        sets += (sets.empty() ? "" : ", ") + set;
    tell("instruction sets", sets);
    tell("threads", threads_text());
    tell("memory", memory_text());
    tell("libraries", libraries_text());
    const std::string driver = line_of("/proc/driver/nvidia/version", "NVRM version:");
    tell("GPU driver", driver.empty() ? "none" : driver);
    const auto gpus = list_gpus();
    for (const GpuDescription& gpu : gpus)
        tell("GPU", formatted("gpu:%d %s, compute capability %d.%d, %s, %s free", gpu.number,
                              gpu.name.c_str(), gpu.compute_capability / 10,
                              gpu.compute_capability % 10, gibibytes(gpu.memory_in_bytes).c_str(),
                              gibibytes(free_gpu_memory(gpu.number)).c_str()));
    std::vector<std::string> missing;
    if (gpus.empty())
        missing.push_back("a GPU: " + why_no_gpu());
    if (mpi_library().empty())
        missing.push_back("MPI (Debian: libopenmpi-dev openmpi-bin, and a new build): 'run', "
                          "'bench', 'power' and 'halos' of several processes need it");
    if (!is_in_path("ffmpeg"))
        missing.push_back("ffmpeg: 'render --movie' prints its line instead of running it");
    if (!python_has_matplotlib())
        missing.push_back("Python 3 with matplotlib (Debian: python3-matplotlib): 'plot' needs it");
    if (::access(".", W_OK) != 0)
        missing.push_back("the right to write to this folder");
    for (const std::string& line : missing)
        tell("missing", line);
    return 0;
}

} // namespace chamomile::app
