/// \file  `chamomile devices`: lists what can evaluate forces here.
#include <cstdio>

#include "app/command.hpp"
#include "app/options/options.hpp"
#include "chamomile/core/instruction_sets.hpp"
#include "chamomile/force/evaluator.hpp"
#include "chamomile/force/gpu.hpp"

namespace chamomile::app {

int devices(const std::vector<std::string>& arguments)
{
    Options options("devices", "Lists the processor's instruction sets and the GPUs that the "
                               "option --device can name.");
    if (!options.parse(arguments))
        return 0;
    std::string sets;
    for (const std::string& set : instruction_sets())
        sets += (sets.empty() ? "" : ", ") + set;
    std::printf("cpu: %s; instruction sets %s\n",
                make_host_evaluator(SolverOptions().precision)->device().c_str(), sets.c_str());

    const auto gpus = list_gpus();
    if (gpus.empty())
        std::printf("gpu: none: %s\n", why_no_gpu().c_str());
    for (const GpuDescription& gpu : gpus)
        std::printf("gpu:%d: %s, compute capability %d.%d, %d multiprocessors, %.1f GiB\n",
                    gpu.number, gpu.name.c_str(), gpu.compute_capability / 10,
                    gpu.compute_capability % 10, gpu.multiprocessors,
                    gpu.memory_in_bytes / (1 << 30));
    return 0;
}

} // namespace chamomile::app
