/* Gravity of particles that lie on the processes of an MPI communicator
 * (docs/howto/embedding.md). Each process has particles of its own, and gets their accelerations
 * by those of all.
 *
 * All processes of the communicator make the same calls in the same order, with the same options.
 * Functions return CHM_OK or the kind of a fault, the same on all processes; its line is what
 * chm_mpi_last_error() tells. They print nothing and never exit. After a fault of kind CHM_DEVICE
 * or CHM_NUMERIC of one process all later calls fail, and the host should end.
 */
#ifndef CHAMOMILE_MPI_H
#define CHAMOMILE_MPI_H

#include <mpi.h>

#include "chamomile.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct chm_mpi_forces chm_mpi_forces;

/* MPI_Init() or MPI_Init_thread() comes before. A copy of the communicator is kept until
 * chm_mpi_destroy(), which comes before MPI_Finalize(). */
CHM_API int chm_mpi_create(MPI_Comm communicator, chm_mpi_forces** forces);
/* The same for Fortran's communicators: what comm%MPI_VAL is, or an integer of `use mpi`. */
CHM_API int chm_mpi_create_f(MPI_Fint communicator, chm_mpi_forces** forces);
CHM_API void chm_mpi_destroy(chm_mpi_forces* forces);
CHM_API const char* chm_mpi_last_error(const chm_mpi_forces* forces);

/* The options of chm_set_option(), those of a force by the tree. Each process uses the processor's
 * cores that it is bound to, or threads=N; with device=gpu the GPU of its number on the machine. */
CHM_API int chm_mpi_set_option(chm_mpi_forces* forces, const char* key, const char* value);

/* Writes accelerations, and potentials unless that view is empty, of this process's n particles, n
 * may be 0: per unit mass, G included. An empty view of masses means 1 for each. Lines of errors
 * count particles from 0, those of process 0 first. */
CHM_API int chm_mpi_evaluate(chm_mpi_forces* forces, int64_t n, chm_view position, chm_view mass,
                             chm_view acceleration, chm_view potential);

#ifdef __cplusplus
}
#endif

#endif
