#include "app/options/rank_options.hpp"

#include "app/launched.hpp"
#include "app/options/option_uses.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/force/ranks/domain_solver.hpp"
#include "chamomile/parallel/thread_ranks.hpp"

namespace chamomile::app {

void add_rank_options(Options& options, RankSettings& settings)
{
    options.number(
        "ranks", settings.ranks, between(1, max_thread_ranks),
        "share the tree, or a direct sum, among so many ranks in this process, which have the "
        "threads in equal parts, and by --device gpu a GPU each. Processes that mpirun launches "
        "are ranks without it");
    options.flag("share-gpu", settings.share_gpu, "let several ranks use one GPU");
    options.seconds("peer-timeout", settings.peer_timeout, positive,
                    "seconds for which a rank may be silent before all ends");
}

void resolve_ranks(const Options& options, const RankSettings& settings, SolverOptions& solver,
                   std::span<const std::string> devices)
{
    solver.ranks = launched_ranks();
    if (solver.ranks && settings.ranks)
        throw Error(Fault::usage, "--ranks: contradicts several processes, which are the ranks");
    solver.own_ranks = settings.ranks.value_or(0);
    solver.share_gpu = settings.share_gpu;
    solver.peer_timeout = settings.peer_timeout;
    bool several = false, on_gpus = false;
    for (const std::string& device : devices) {
        SolverOptions one = solver;
        one.device = device;
        several = several || asks_ranks(one);
        on_gpus = on_gpus || ((one.ranks || one.own_ranks > 0) && device.starts_with("gpu"));
    }
    refuse_idle(options,
                {{!several, "peer-timeout", "needs --ranks, several processes or several GPUs"},
                 {!on_gpus, "share-gpu", "needs --device gpu, and --ranks or several processes"}});
}

} // namespace chamomile::app
