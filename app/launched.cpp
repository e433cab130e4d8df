#include "app/launched.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <memory>

#include <unistd.h>

#include "chamomile/core/version.hpp"
#include "chamomile/force/ranks/domain_solver.hpp"
#include "chamomile/force/threads.hpp"
#include "chamomile/integrate/ranks/rank_run.hpp"
#include "chamomile/parallel/mpi/mpi_ranks.hpp"

namespace chamomile::app {
namespace {

std::unique_ptr<MpiRanks>& world()
{
    static std::unique_ptr<MpiRanks> ranks;
    return ranks;
}

/// A Start tells by hashes what a process was started as.
struct Start {
    std::size_t version, arguments;
};

/// Throws Error(usage), on all ranks, where one is another program or has other arguments, which
/// rank 0 alone reads.
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
                                            : "other arguments: must be those of rank 0"));
        ranks.fail(error);
        throw error;
    }
}

/// Starts MPI and shares the cores of the machine among its processes.
void start(const std::vector<std::string>& arguments)
{
    world() = make_mpi_ranks();
    use_threads(std::min(threads_of_process(world()->ranks_on_host()), most_threads));
    require_alike(*world(), arguments);
}

} // namespace

bool serves_others()
{
    const auto launched = launched_rank();
    return launched && launched->rank > 0;
}

int serve_first(const std::vector<std::string>& arguments)
{
    // The first process tells; a launcher that saw a failure would end it.
    if (mpi_library().empty())
        return 0;
    for (const int signal : {SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM, SIGHUP, SIGXCPU})
        std::signal(signal, SIG_IGN); // the first process ends all
    try {
        start(arguments);
        serve_particles(*world());
        world().reset();
        return 0;
    } catch (const PeerFailed&) {
    } catch (const Error& error) {
        world()->fail(error);
    }
    // The first process writes a checkpoint, tells and ends all, unless it is the silent one.
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
    } catch (const Error& error) { // one is silent, where all has been done
        ranks.fail(error);
    }
    if (ranks.has_failed())
        ranks.abort(status);
    world().reset();
}

} // namespace chamomile::app
