/* Gravity of particles that lie on the processes of an MPI communicator
 * (docs/howto/embedding.md#particles-on-several-processes). Each process has particles of its own,
 * and gets their accelerations by those of all.
 *
 * All processes of the communicator make the same calls in the same order, by one thread each, and
 * a call waits until all have made it. Functions return CHM_OK or the kind of a fault, the same on
 * all processes, whose line chm_mpi_last_error() tells: what one gives wrong is refused on all,
 * which can go on. They print nothing and never exit. Where one process fails alone, because its
 * memory runs out, its GPU breaks or it stays silent within a call, the line begins with "rank 2 of
 * 3:" and all later calls fail: the host should end by MPI_Abort(). */
#ifndef CHAMOMILE_MPI_H
#define CHAMOMILE_MPI_H

#include <mpi.h>

#include "chamomile.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct chm_mpi_forces chm_mpi_forces;

/* MPI_Init() or MPI_Init_thread() comes before. A copy of the communicator is kept until
 * chm_mpi_destroy(), which comes before MPI_Finalize(). Where it fails, chm_mpi_last_error(NULL)
 * tells why. */
CHM_API int chm_mpi_create(MPI_Comm communicator, chm_mpi_forces** forces);
/* The same for Fortran's communicators: what comm%MPI_VAL is, or an integer of `use mpi`. */
CHM_API int chm_mpi_create_f(MPI_Fint communicator, chm_mpi_forces** forces);
/* NULL: nothing. */
CHM_API void chm_mpi_destroy(chm_mpi_forces* forces);

/* The line of the last call that failed, empty if none did; it stays until the next one fails. */
CHM_API const char* chm_mpi_last_error(const chm_mpi_forces* forces);

/* Says an option, the same on all processes. The keys are those of chm_set_option(), of which these
 * forces take those of isolated particles but for accuracy, and
 *   peer_timeout   seconds for which a process may be silent within a call, 600
 *   share_gpu      false (default), true: whether processes may have the same GPU
 * Each process uses threads=N, else the cores that it is bound to or its part of the machine's, and
 * the processor unless device=gpu gives it, for a tree, the GPU of its number on the machine. */
CHM_API int chm_mpi_set_option(chm_mpi_forces* forces, const char* key, const char* value);

/* Writes the accelerations, and the potentials unless that view is zero, of this process's n
 * particles, which may be none: per unit mass, G included, in double or float, on the host. A zero
 * view of masses means 1 for each particle. Lines of errors count the particles of all from 0,
 * those of process 0 first. */
CHM_API int chm_mpi_evaluate(chm_mpi_forces* forces, int64_t n, chm_view position, chm_view mass,
                             chm_view acceleration, chm_view potential);

/* Gives the particles of the evaluations to come softening lengths of their own, one for each that
 * this process has then, as chm_set_softenings() does: the view is read in each of them. All
 * processes give one, but those without particles, or all a zero view, which takes back what was
 * given before. */
CHM_API int chm_mpi_set_softenings(chm_mpi_forces* forces, chm_view softening);

/* Takes the place of chm_mpi_evaluate() on a process whose arrays are wrong, as an interface of
 * another language finds them: all processes get CHM_USAGE and this line. */
CHM_API int chm_mpi_refuse(chm_mpi_forces* forces, const char* line);

/* Such as "CPU, avx512, 2 threads", of this process; empty before chm_mpi_evaluate(). Valid until
 * the next one. */
CHM_API const char* chm_mpi_device(const chm_mpi_forces* forces);

#ifdef __cplusplus
}
#endif

#endif
