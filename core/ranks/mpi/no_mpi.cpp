// A build without MPI.
#include "chamomile/core/ranks/mpi/mpi_ranks.hpp"

namespace chamomile {

std::unique_ptr<MpiRanks> make_mpi_ranks()
{
    throw Error(Fault::usage, "several processes: need a build with MPI (CHAMOMILE_MPI); {ranks} P "
                              "starts P ranks in one process");
}

std::string mpi_library()
{
    return "";
}

} // namespace chamomile
