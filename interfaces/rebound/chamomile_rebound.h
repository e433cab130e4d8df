/* REBOUND's gravity by chamomile: compile chamomile_rebound.c with your program
 * (docs/howto/rebound.md).
 *
 * REBOUND 5 calls it through gravity_custom, older versions through additional_forces with
 * REB_GRAVITY_NONE. Your own additional_forces are still called. Supported: G, softening, N_active,
 * testparticle_type, gravity_ignore_terms and the size of a particle in memory. Refused: ghost
 * boxes, periodic and shearing boundaries, variational particles, and integrators with built-in
 * gravity (MERCURIUS, TRACE, EOS, WHFast512). Choose the integrator before attaching. */
#ifndef CHAMOMILE_REBOUND_H
#define CHAMOMILE_REBOUND_H

#include <chamomile.h>
#include <rebound.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Replaces the gravity of r by `context` (its solver, tolerance, precision, device), which must
 * outlive r's use and serve only this simulation. REBOUND neither copies nor saves functions, and
 * crashes without them: after copying or loading, attach again, or detach, or set r->gravity.
 * Returns CHM_OK, or CHM_USAGE after a REBOUND message. A failing step gives such a message, fills
 * the accelerations with NaN and stops the simulation. */
int chm_rebound_attach(chm_context* context, struct reb_simulation* r);

/* Restores the previous gravity. Returns CHM_USAGE if nothing was attached; a copied or loaded
 * simulation without its gravity function then gets REBOUND's default. Call before
 * reb_simulation_free(). */
int chm_rebound_detach(struct reb_simulation* r);

#ifdef __cplusplus
}
#endif

#endif
