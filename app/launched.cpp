#include "app/launched.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <memory>

#include <unistd.h>

#include "chamomile/force/ranks/domain_solver.hpp"
#include "chamomile/force/threads.hpp"
#include "chamomile/parallel/mpi/mpi_ranks.hpp"

namespace chamomile::app {
namespace {

std::unique_ptr<MpiRanks>& world()
{
    static std::unique_ptr<MpiRanks> ranks;
    return ranks;
}

/// Starts MPI and shares the cores of the machine among its processes, unless the launcher has
/// bound each to its own.
MpiRanks& start()
{
    if (!world()) {
        world() = make_mpi_ranks();
        if (thread_count() >= int(::sysconf(_SC_NPROCESSORS_ONLN)))
            use_threads(std::max(1, thread_count() / world()->ranks_on_host()));
    }
    return *world();
}

} // namespace

bool serves_others()
{
    const auto launched = launched_rank();
    return launched && launched->rank > 0;
}

int serve_first()
{
    if (!has_mpi()) // the first process tells
        return int(Fault::usage);
    for (const int signal : {SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM, SIGHUP, SIGXCPU})
        std::signal(signal, SIG_IGN); // the first process ends all
    try {
        serve_solver(start());
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

Communicator* launched_ranks()
{
    return leads_others() ? &start() : nullptr;
}

void end_others(int status)
{
    if (!leads_others() || !has_mpi())
        return;
    MpiRanks& ranks = start();
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
