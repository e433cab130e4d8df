// Reads rank and size from the environment variables that launchers set.
#include <cstdlib>

#include "chamomile/core/ranks/mpi/mpi_ranks.hpp"

namespace chamomile {

std::optional<LaunchedRank> launched_rank()
{
    // Open MPI; MPICH, Intel MPI and Slurm's PMI; Slurm's PMIx.
    static constexpr const char* names[][2] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                               {"PMI_RANK", "PMI_SIZE"},
                                               {"PMIX_RANK", "SLURM_NTASKS"}};
    for (const auto& [rank, size] : names) {
        const char *r = std::getenv(rank), *n = std::getenv(size);
        if (r && n && std::atoi(n) > 1)
            return LaunchedRank{std::atoi(r), std::atoi(n)};
    }
    return {};
}

} // namespace chamomile
