#include "app/launched.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <memory>

#include <unistd.h>

#include "chamomile/core/ranks/mpi/mpi_ranks.hpp"
#include "chamomile/core/version.hpp"
#include "chamomile/force/ranks/domain_solver.hpp"
#include "chamomile/force/threads.hpp"
#include "chamomile/integrate/ranks/rank_run.hpp"

namespace chamomile::app {
namespace {

std::unique_ptr<MpiRanks>& world()
{
    static std::unique_ptr<MpiRanks> ranks;
    return ranks;
}

/// A Start holds hashes of a process's version and arguments.
struct Start {
    std::size_t version, arguments;
};

/// Throws Error(usage) on all ranks if a rank's version or arguments differ from rank 0.
void require_alike(MpiRanks& ranks, const std::vector<std::string>& arguments)
{
    const std::hash<std::string> hash;
    std::string line;
    for (const std::string& argument : arguments)
        line += argument + '\0';
    const std::vector<Start> all = ranks.all_gather(Start{hash(version), hash(line)});
    for (int r = 1; r < ranks.size(); ++r) {
        const Start& other = all[std::size_t(r)];
        if (other.version == all[0].version && other.arguments == all[0].arguments)
            continue;
        const Error error =
            of_rank(r, ranks.size(),
                    Error(Fault::usage, other.version != all[0].version
                                            ? "another version of the program: must be " +
                                                  std::string(version) + ", that of rank 0"
                                            : "arguments: must equal the arguments of rank 0"));
        ranks.fail(error);
        throw error;
    }
}

/// Starts MPI and divides the machine's cores among its processes.
void start(const std::vector<std::string>& arguments)
{
    world() = make_mpi_ranks();
    use_threads(std::min(threads_of_process(world()->ranks_on_host()), max_threads));
    require_alike(*world(), arguments);
}

} // namespace

bool serves_other_ranks()
{
    const auto launched = launched_rank();
    return launched && launched->rank > 0;
}

int serve_first(const std::vector<std::string>& arguments)
{
    // Rank 0 reports the error; a launcher would kill rank 0 if this process failed.
    if (mpi_library().empty())
        return 0;
    for (const int signal : {SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM, SIGHUP, SIGXCPU})
        std::signal(signal, SIG_IGN); // rank 0 handles signals
    try {
        start(arguments);
        serve_particles(*world());
        world().reset();
        return 0;
    } catch (const PeerFailed&) {
    } catch (const Error& error) {
        world()->fail(error);
    }
    // Rank 0 writes a checkpoint, reports the error and ends all processes, unless rank 0 itself
    // hangs.
    ::sleep(unsigned(world()->time_limit()) + 20);
    std::_Exit(int(Fault::device));
}

bool leads_others()
{
    const auto launched = launched_rank();
    return launched && launched->rank == 0;
}

void lead_others(const std::vector<std::string>& arguments)
{
    start(arguments);
}

Communicator* launched_ranks()
{
    return world().get();
}

void end_others(int status)
{
    if (!world())
        return;
    MpiRanks& ranks = *world();
    try {
        end_serving(ranks);
    } catch (const PeerFailed&) { // a rank does not answer, but all work is done
    }
    if (ranks.has_failed())
        ranks.abort(status);
    world().reset();
}

} // namespace chamomile::app
