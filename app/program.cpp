#include "app/program.hpp"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <new>

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include "app/launched.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/core/options/nearest_name.hpp"
#include "chamomile/core/ranks/mpi/mpi_ranks.hpp"
#include "chamomile/core/version.hpp"
#include "chamomile/force/gpu.hpp"
#include "chamomile/io/hdf5/at_exit.hpp"
#include "chamomile/io/line_text.hpp"
#include "chamomile/run/run_job.hpp"

namespace chamomile::app {

std::string program_name = "chamomile";

namespace {

std::span<const Command> commands_here;

void print_overview(const char* about, std::span<const Command> commands)
{
    const char* name = program_name.c_str();
    std::printf("usage: %s COMMAND [ARGUMENT ...] [OPTION ...]\n\n%s\n\nCommands:\n", name, about);
    for (const Command& command : commands)
        std::printf("  %-11s %s\n", command.name, command.summary);
    std::printf("\n  %s COMMAND --help       arguments, common options and defaults of a command\n"
                "  %s COMMAND --help-all   the same with all options\n"
                "  %s --version            version, commit and licence of the program\n",
                name, name, name);
}

int dispatch(const char* about, std::span<const Command> commands,
             const std::vector<std::string>& arguments)
{
    if (arguments.empty())
        throw Error(Fault::usage, "no command given; '" + program_name + " --help' lists them");
    const std::string& name = arguments.front();
    if (name == "--version") {
        std::printf("%s %s\nlicence: %s\n", program_name.c_str(), version, licence);
        return 0;
    }
    if (name == "--help" || name == "--help-all" || name == "-h" || name == "help") {
        print_overview(about, commands);
        return 0;
    }
    std::vector<std::string> known;
    for (const Command& command : commands) {
        if (name == command.name) {
            constexpr const char* several[] = {"run", "bench", "power", "halos", "model cosmology"};
            const std::string what =
                name == "model" && arguments.size() > 1 ? name + " " + arguments[1] : name;
            if (leads_others() && std::ranges::find(several, what) == std::end(several))
                throw Error(Fault::usage, what + ": is for one process; 'run', 'bench', 'power', "
                                                 "'halos' and 'model cosmology' take several");
            return command.run({arguments.begin() + 1, arguments.end()});
        }
        known.emplace_back(command.name);
    }
    throw Error(Fault::usage, name + ": unknown command" + suggestion(name, known) + "; '" +
                                  program_name + " --help' lists all");
}

/// Opens /dev/null in place of closed standard streams. Otherwise the next opened file would get
/// the number of a standard stream and receive printed text. Writing to these streams then fails.
void hold_standard_streams()
{
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream)
        if (::fcntl(stream, F_GETFD) < 0)
            ::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY); // the lowest number
}

/// Returns whether the reader closed standard output, like `head` after its last line.
bool is_output_closed()
{
    pollfd output{STDOUT_FILENO, POLLOUT, 0};
    return ::poll(&output, 1, 0) == 1 && (output.revents & (POLLERR | POLLHUP)) != 0;
}

/// Flushes standard output and checks for errors; a full disk shows only here.
void flush_output()
{
    if ((std::fflush(stdout) != 0 || std::ferror(stdout)) && !is_output_closed())
        throw Error(Fault::output, "standard output: cannot be written");
}

/// Returns the status. Exits at once if a GPU hangs, because normal exit would wait for the GPU.
int ended(int status)
{
    end_others(status);
    if (gpu_hangs()) {
        std::fflush(nullptr);
        std::_Exit(status);
    }
    return status;
}

constexpr const char* no_memory = "not enough memory for the particles or cells";

/// Prints an error line from any thread without allocating memory, and ends the process. A launcher
/// then ends the other processes.
[[noreturn]] void exit_at_once(int status, const char* line)
{
    static std::atomic_flag is_told = ATOMIC_FLAG_INIT;
    while (is_told.test_and_set())
        ::pause();
    std::fprintf(stderr, "%s: error: ", program_name.c_str());
    if (const auto launched = launched_rank())
        std::fprintf(stderr, "rank %d of %d: ", launched->rank, launched->size);
    std::fprintf(stderr, "%s\n", line);
    std::_Exit(status);
}

/// Replaces std::terminate(), which ends parallel loops when memory runs out.
[[noreturn]] void end_uncaught()
{
    try {
        if (std::current_exception())
            throw;
    } catch (const Error& error) {
        exit_at_once(int(error.fault()), spelled(error.line(), command_line_spelling()).c_str());
    } catch (const std::bad_alloc&) {
        exit_at_once(int(Fault::input), no_memory);
    } catch (...) {
    }
    exit_at_once(1, "unexpected: an exception that nothing catches");
}

/// Prints exactly one line for any message.
int fail(int status, const std::string& line)
{
    std::fprintf(stderr, "%s: error: %s\n", program_name.c_str(),
                 one_line(spelled(line, command_line_spelling())).c_str());
    return ended(status);
}

/// Raises the limit of open files if allowed: each open piece and each rank's connection is one.
void allow_many_files()
{
    constexpr rlim_t enough = 1 << 16;
    rlimit files;
    if (::getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur >= enough)
        return;
    files.rlim_cur = std::min(enough, files.rlim_max);
    ::setrlimit(RLIMIT_NOFILE, &files);
}

} // namespace

std::span<const Command> program_commands()
{
    return commands_here;
}

void require_stack()
{
    constexpr rlim_t min = 64 * 1024;
    rlimit stack;
    if (::getrlimit(RLIMIT_STACK, &stack) != 0 || stack.rlim_cur >= min)
        return;
    // An exception or fprintf() would overflow the small stack.
    const std::string line = program_name + ": error: stack: the limit of " +
                             std::to_string(stack.rlim_cur / 1024) +
                             " KiB is too small: at least 64 are needed (ulimit -s)\n";
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
    std::_Exit(int(Fault::usage));
}

int run_program(const char* about, std::span<const Command> commands,
                const std::vector<std::string>& arguments)
{
    commands_here = commands;
    allow_many_files();
    // A write to a closed pipe or full file system returns an error and must not kill the process.
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
    std::set_terminate(end_uncaught);
    if (serves_other_ranks())
        return serve_first(arguments);
    hold_standard_streams();
    leave_hdf5_open_at_exit();
    try {
        if (leads_others())
            lead_others(arguments);
        const int status = dispatch(about, commands, arguments);
        flush_output();
        return ended(status);
    } catch (const Inaccurate& error) {
        return fail(Inaccurate::status, error.line());
    } catch (const Error& error) {
        return fail(int(error.fault()), error.line());
    } catch (const std::bad_alloc&) {
        return fail(int(Fault::input), no_memory);
    } catch (const std::filesystem::filesystem_error& error) {
        return fail(int(Fault::output), error.what());
    } catch (const std::exception& error) {
        return fail(1, std::string("unexpected: ") + error.what());
    }
}

void warn(const std::string& line)
{
    std::fflush(stdout); // keeps lines in order
    std::fprintf(stderr, "%s: warning: %s\n", program_name.c_str(),
                 one_line(spelled(line, command_line_spelling())).c_str());
}

} // namespace chamomile::app
