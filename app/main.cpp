/// \file  The program: finds the subcommand, turns what it throws into one line and an exit status.
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

#include "app/command.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/core/nearest_name.hpp"
#include "chamomile/core/version.hpp"
#include "chamomile/force/gpu.hpp"
#include "chamomile/io/hdf5/at_exit.hpp"
#include "chamomile/io/one_line.hpp"
#include "chamomile/run/run_job.hpp"

namespace chamomile::app {
namespace {

void print_overview()
{
    std::printf("usage: chamomile COMMAND [ARGUMENT ...] [OPTION ...]\n\n"
                "Chamomile computes the gravity of N particles with a hybrid treecode on CPUs and "
                "GPUs.\n\nCommands:\n");
    for (const Command& command : commands())
        std::printf("  %-10s %s\n", command.name, command.summary);
    std::printf("\n  chamomile COMMAND --help   arguments, options and defaults of a command\n"
                "  chamomile --version        version and commit of the program\n");
}

int dispatch(const std::vector<std::string>& arguments)
{
    if (arguments.empty())
        throw Error(Fault::usage, "no command given; 'chamomile --help' lists them");
    const std::string& name = arguments.front();
    if (name == "--version") {
        std::printf("chamomile %s\n", version);
        return 0;
    }
    if (name == "--help" || name == "-h" || name == "help") {
        print_overview();
        return 0;
    }
    std::vector<std::string> known;
    for (const Command& command : commands()) {
        if (name == command.name)
            return command.run({arguments.begin() + 1, arguments.end()});
        known.emplace_back(command.name);
    }
    throw Error(Fault::usage, name + ": unknown command" + suggestion(name, known) +
                                  "; 'chamomile --help' lists all");
}

/// Where the caller has closed a standard stream its number would go to the next file that is
/// opened, and what is printed would land there. What is written to these fails instead.
void hold_standard_streams()
{
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream)
        if (::fcntl(stream, F_GETFD) < 0)
            ::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY); // the lowest number
}

/// Whether who read standard output has enough, as `head` after its lines.
bool is_output_closed()
{
    pollfd output{STDOUT_FILENO, POLLOUT, 0};
    return ::poll(&output, 1, 0) == 1 && (output.revents & (POLLERR | POLLHUP)) != 0;
}

/// Everything that the program printed must have arrived; a full disk shows only here.
void flush_output()
{
    if ((std::fflush(stdout) != 0 || std::ferror(stdout)) && !is_output_closed())
        throw Error(Fault::output, "standard output: cannot be written");
}

/// Below it the program would end without a word, in the middle of its work.
void require_stack()
{
    constexpr rlim_t least = 64 * 1024;
    rlimit stack;
    if (::getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur < least)
        throw Error(Fault::usage, "stack: the limit of " + std::to_string(stack.rlim_cur / 1024) +
                                      " KiB is too small: at least 64 are needed (ulimit -s)");
}

/// The end of the process would wait for a GPU that hangs.
int ended(int status)
{
    if (gpu_hangs()) {
        std::fflush(nullptr);
        std::_Exit(status);
    }
    return status;
}

/// Prints exactly one line, whatever the message holds.
int fail(int status, const std::string& line)
{
    std::fprintf(stderr, "chamomile: error: %s\n", one_line(line).c_str());
    return status;
}

} // namespace
} // namespace chamomile::app

int main(int argc, char** argv)
{
    using namespace chamomile;
    // A closed pipe or a full file system is an error of the write, not the end of the process.
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
    app::hold_standard_streams();
    leave_hdf5_open_at_exit();
    try {
        app::require_stack();
        const int status = app::dispatch({argv + 1, argv + argc});
        app::flush_output();
        return app::ended(status);
    } catch (const Error& error) {
        return app::ended(app::fail(int(error.fault()), error.what()));
    } catch (const Inaccurate& line) {
        return app::ended(app::fail(Inaccurate::status, line.what()));
    } catch (const std::bad_alloc&) {
        return app::ended(
            app::fail(int(Fault::input), "not enough memory for so many particles or cells"));
    } catch (const std::filesystem::filesystem_error& error) {
        return app::ended(app::fail(int(Fault::output), error.what()));
    } catch (const std::exception& error) {
        return app::ended(app::fail(1, std::string("unexpected: ") + error.what()));
    }
}
