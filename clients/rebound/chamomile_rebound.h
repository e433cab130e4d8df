/* REBOUND's gravity by chamomile: compile chamomile_rebound.c with your program
 * (docs/howto/rebound.md).
 *
 * REBOUND 5 calls it through gravity_custom, older ones through additional_forces with
 * REB_GRAVITY_NONE; an additional_forces of your own is still called. Honoured are G, softening,
 * N_active, testparticle_type, gravity_ignore_terms and the size of a particle in memory. Ghost
 * boxes, periodic and shearing boundaries, variational particles, and integrators with a gravity of
 * their own (MERCURIUS, TRACE, EOS, WHFast512) are refused; choose the integrator before you
 * attach. */
#ifndef CHAMOMILE_REBOUND_H
#define CHAMOMILE_REBOUND_H

#include <chamomile.h>
#include <rebound.h>

#ifdef __cplusplus
extern "C" {
#endif

/* From now on gravity is that of `context` (its solver, tolerance, precision, device), which must
 * outlive it and serve one simulation. REBOUND neither copies nor saves functions, and steps into
 * the void without: attach again after copying or loading, or detach, or set r->gravity.
 * CHM_OK, or CHM_USAGE after a message of REBOUND's. A step that fails gives such a message, fills
 * the accelerations with NaN and stops the simulation. */
int chm_rebound_attach(chm_context* context, struct reb_simulation* r);

/* REBOUND's own gravity as it was before. CHM_USAGE if nothing was attached; a copy, or what was
 * loaded, of a simulation with a gravity that is gone gets REBOUND's usual one then. Call it before
 * reb_simulation_free(). */
int chm_rebound_detach(struct reb_simulation* r);

#ifdef __cplusplus
}
#endif

#endif
