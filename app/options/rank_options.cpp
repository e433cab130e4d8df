#include "app/options/rank_options.hpp"

#include "app/launched.hpp"
#include "app/options/option_uses.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/force/ranks/domain_solver.hpp"

namespace chamomile::app {

void resolve_ranks(const Options& options, SolverOptions& solver,
                   std::span<const std::string> devices)
{
    solver.ranks = launched_ranks();
    if (solver.ranks && solver.own_ranks > 0)
        throw Error(Fault::usage, "--ranks: contradicts several processes, which are the ranks");
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
