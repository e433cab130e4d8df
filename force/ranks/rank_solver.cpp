#include "chamomile/force/ranks/rank_solver.hpp"

#include <algorithm>

#include "chamomile/force/gpu.hpp"
#include "chamomile/tree/domain/domain_tree_builder.hpp"

namespace chamomile {
namespace {

/// Returns the number of this rank's GPU; -1: none.
int gpu_of_rank(const std::string& devices, const Communicator& ranks)
{
    const std::vector<int> gpus = choose_gpus(devices);
    return gpus.empty() ? -1 : gpus[std::size_t(ranks.rank_on_host()) % gpus.size()];
}

/// Throws CollectiveError if two ranks use the same GPU. Compares identities, because a launcher
/// may show each process a different GPU as number 0.
void refuse_shared(int gpu, const std::string& devices, Communicator& ranks)
{
    struct Name {
        char text[320] = {};
    };
    Name name;
    gpu_identity(gpu).copy(name.text, sizeof name.text - 1);
    const std::vector<Name> names = ranks.all_gather(name);
    for (std::size_t r = 0; r < names.size(); ++r)
        for (std::size_t q = 0; q < r; ++q)
            if (std::string_view(names[q].text) == names[r].text)
                throw CollectiveError(Fault::usage,
                                      "{device}: " + devices + ": ranks " + std::to_string(q) +
                                          " and " + std::to_string(r) + " would share a GPU (" +
                                          names[r].text +
                                          "): must be one rank per GPU, or {share-gpu} given");
}

std::unique_ptr<AdjustableSolver> make_tree_solver(const SolverOptions& options, int gpu,
                                                   Communicator& ranks)
{
    if (gpu >= 0 && options.tree_built_by != TreeBuiltBy::host)
        return make_list_solver(options, make_cuda_domain_parts(gpu, options.precision, ranks,
                                                                options.instruction_set));
    auto domains = std::make_unique<DomainTreeBuilder>(ranks, options.instruction_set);
    SolverParts parts;
    parts.domains = domains.get();
    parts.builder = std::move(domains);
    if (gpu < 0) { // on the host tracers get a separate tree of targets
        auto targets = std::make_unique<DomainTreeBuilder>(ranks, options.instruction_set);
        parts.target_domains = targets.get();
        parts.target_builder = std::move(targets);
        parts.evaluator = make_host_evaluator(options.precision, options.instruction_set);
    } else
        parts.evaluator = make_cuda_evaluator(gpu, options.precision);
    return make_list_solver(options, std::move(parts));
}

} // namespace

SentOptions SentOptions::of(const SolverOptions& o, const std::string& devices)
{
    SentOptions sent;
    sent.softening = o.softening;
    sent.gravitational_constant = o.gravitational_constant;
    sent.box = o.box;
    sent.solver = o.solver;
    sent.periodic = o.periodic;
    sent.lists = o;
    sent.decorrelate = o.decorrelate;
    sent.precision = o.precision;
    sent.share_gpu = o.share_gpu;
    sent.peer_timeout = o.peer_timeout;
    o.instruction_set.copy(sent.instruction_set, sizeof sent.instruction_set - 1);
    devices.copy(sent.devices, sizeof sent.devices - 1);
    return sent;
}

SolverOptions SentOptions::options() const
{
    SolverOptions o;
    o.softening = softening;
    o.gravitational_constant = gravitational_constant;
    o.box = box;
    o.solver = solver;
    o.periodic = periodic;
    static_cast<ListOptions&>(o) = lists;
    o.decorrelate = decorrelate;
    o.precision = precision;
    o.share_gpu = share_gpu;
    o.peer_timeout = peer_timeout;
    o.instruction_set = instruction_set;
    o.device = devices;
    return o;
}

void refuse_arrays(const Request& request)
{
    if (request.position.on_device || request.rung)
        throw Error(Fault::usage, "ranks: arrays are on the GPU: must be on the host");
    const auto highest = std::max_element(request.active.begin(), request.active.end());
    if (highest != request.active.end() && *highest >= request.count)
        throw Error(Fault::input, "active particles: index: " + std::to_string(*highest) +
                                      ": must be below " + std::to_string(request.count));
}

std::unique_ptr<AdjustableSolver> make_rank_solver(const SolverOptions& resolved,
                                                   const std::string& devices, Communicator& ranks)
{
    std::unique_ptr<AdjustableSolver> solver;
    int gpu = -1;
    ranks.run_and_agree([&] {
        gpu = gpu_of_rank(devices, ranks);
        SolverOptions own = resolved;
        own.device = gpu < 0 ? "cpu" : name_of_gpus({gpu});
        solver = own.solver == SolverKind::direct ? make_rank_direct_solver(own, ranks)
                                                  : make_tree_solver(own, gpu, ranks);
    });
    if (gpu >= 0 && !resolved.share_gpu)
        refuse_shared(gpu, devices, ranks);
    return solver;
}

} // namespace chamomile
