/* Gravity of particles distributed over the processes of an MPI communicator
 * (docs/howto/embedding.md#particles-on-several-processes). Each process holds local particles, and
 * gets their accelerations due to all particles.
 *
 * All processes make the same calls in the same order, each from one thread, and a call waits until
 * all have made it. Functions return CHM_OK or the kind of an error, equal on all processes;
 * chm_mpi_last_error() returns the message. An invalid argument on one process is refused on all,
 * and all can continue. Functions never print or exit. If one process fails (out of memory, broken
 * GPU, or silent within a call), the message begins with "rank 2 of 3:" and all later calls fail:
 * the host should then call MPI_Abort(). */
#ifndef CHAMOMILE_MPI_H
#define CHAMOMILE_MPI_H

#include <mpi.h>

#include "chamomile.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct chm_mpi_forces chm_mpi_forces;

/* Call after MPI_Init() or MPI_Init_thread(). Keeps a duplicate of the communicator until
 * chm_mpi_destroy(), which must precede MPI_Finalize(). On failure chm_mpi_last_error(NULL) returns
 * the reason. */
CHM_API int chm_mpi_create(MPI_Comm communicator, chm_mpi_forces** forces);
/* For Fortran communicators: comm%MPI_VAL, or an integer of `use mpi`. */
CHM_API int chm_mpi_create_f(MPI_Fint communicator, chm_mpi_forces** forces);
/* NULL: no effect. */
CHM_API void chm_mpi_destroy(chm_mpi_forces* forces);

/* The message of the last failed call; empty if none. Valid until the next failed call. */
CHM_API const char* chm_mpi_last_error(const chm_mpi_forces* forces);

/* Sets an option, equal on all processes. Keys are those of chm_set_option() for isolated
 * particles, except accuracy, and
 *   peer_timeout   max seconds without a message from a process within a call, 600
 *   share_gpu      false (default), true: several processes may use one GPU
 * Each process uses threads=N, by default the cores it is bound to or its share of the host's
 * cores. It uses the CPU; with device=gpu and a tree, the GPU of its rank on the host. */
CHM_API int chm_mpi_set_option(chm_mpi_forces* forces, const char* key, const char* value);

/* Computes the accelerations, and the potentials unless that view is zero, of this process's n
 * particles (0 is allowed): per unit mass, including G, in double or float, on the host. A zero
 * view of masses means mass 1. Messages number all particles from 0, in order of rank. */
CHM_API int chm_mpi_evaluate(chm_mpi_forces* forces, int64_t n, chm_view position, chm_view mass,
                             chm_view acceleration, chm_view potential);

/* Sets per-particle softening for later evaluations, one length per local particle, like
 * chm_set_softenings(): each evaluation reads the view. Either all processes with particles set
 * one, or all pass a zero view, which removes it. */
CHM_API int chm_mpi_set_softenings(chm_mpi_forces* forces, chm_view softening);

/* Replaces chm_mpi_evaluate() on a process with invalid arrays, detected by an interface in another
 * language: all processes get CHM_USAGE and this message. */
CHM_API int chm_mpi_refuse(chm_mpi_forces* forces, const char* line);

/* Such as "CPU, avx512, 2 threads", of this process; empty before chm_mpi_evaluate(). Valid until
 * the next chm_mpi_evaluate(). */
CHM_API const char* chm_mpi_device(const chm_mpi_forces* forces);

#ifdef __cplusplus
}
#endif

#endif
