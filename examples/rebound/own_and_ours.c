/* The same systems with REBOUND's gravity and with ours: accelerations agree to 1e-12 for any
 * active, test or ignored particles, orbits to 1e-11. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "chamomile_rebound.h"

enum { n = 300 };

static double uniform(void)
{
    static int64_t state = 1;
    state = 16807 * state % 2147483647;
    return (double)state / 2147483647.0;
}

/* A heavy body and many light ones. */
static struct reb_simulation* cloud(void)
{
    struct reb_simulation* r = reb_simulation_create();
    r->G = 1.7;
    r->softening = 0.02;
    for (int i = 0; i < n; ++i) {
        struct reb_particle p = {0};
        p.m = i == 0 ? 1 : (0.5 + uniform()) / n;
        p.x = 2 * uniform() - 1;
        p.y = 2 * uniform() - 1;
        p.z = 2 * uniform() - 1;
        p.vx = uniform();
        reb_simulation_add(r, p);
    }
    r->save_messages = 1; /* refusals are printed here */
    return r;
}

static double difference(const struct reb_particle* a, const double (*b)[3])
{
    double worst = 0;
    for (int i = 0; i < n; ++i) {
        const double x = a[i].ax - b[i][0], y = a[i].ay - b[i][1], z = a[i].az - b[i][2];
        const double size = sqrt(b[i][0] * b[i][0] + b[i][1] * b[i][1] + b[i][2] * b[i][2]);
        const double error = sqrt(x * x + y * y + z * z) / (size > 0 ? size : 1);
        if (!(error <= worst))
            worst = error;
    }
    return worst;
}

static int extra_calls;

static void extra(struct reb_simulation* const r)
{
    ++extra_calls;
    r->particles[5].ax += 3;
}

/* Returns the largest |da| / |a|. */
static double compare(struct reb_simulation* r, chm_context* context)
{
    static double own[n][3];
    r->additional_forces = extra;
    reb_simulation_update_acceleration(r);
    for (int i = 0; i < n; ++i) {
        own[i][0] = r->particles[i].ax;
        own[i][1] = r->particles[i].ay;
        own[i][2] = r->particles[i].az;
        r->particles[i].ax = r->particles[i].ay = r->particles[i].az = 1e10; /* to be overwritten */
    }
    if (chm_rebound_attach(context, r))
        return NAN;
    extra_calls = 0;
    reb_simulation_update_acceleration(r);
    const double worst = difference(r->particles, own);
    chm_rebound_detach(r);
    r->additional_forces = NULL;
    return extra_calls == 1 ? worst : NAN;
}

int main(void)
{
    chm_context* context = NULL;
    if (chm_create(&context) || chm_set_option(context, "solver", "direct") ||
        chm_set_option(context, "precision", "double")) {
        fprintf(stderr, "%s\n", chm_last_error(context));
        return 1;
    }
    int wrong = 0;
    const int active[] = {-1, 0, 1, 2, 40};
    for (int k = 0; k < 5; ++k)
        for (int type = 0; type < 2; ++type)
            for (int ignored = 0; ignored < 3; ++ignored) {
                struct reb_simulation* r = cloud();
                r->N_active = active[k];
                r->testparticle_type = type;
                r->gravity_ignore_terms = ignored;
                const double worst = compare(r, context);
                printf("N_active %2d, testparticle_type %d, gravity_ignore_terms %d: %.0e\n",
                       active[k], type, ignored, worst);
                wrong += !(worst < 1e-12);
                reb_simulation_free(r);
            }

    /* A hundred steps. */
    struct reb_simulation *own = cloud(), *ours = cloud();
    for (int i = 0; i < n; ++i)
        ours->particles[i] = own->particles[i];
    own->dt = ours->dt = 1e-3;
    wrong += chm_rebound_attach(context, ours) != CHM_OK;
    reb_simulation_steps(own, 100);
    reb_simulation_steps(ours, 100);
    double apart = 0;
    for (int i = 0; i < n; ++i)
        apart = fmax(apart, fabs(own->particles[i].x - ours->particles[i].x));
    printf("after 100 steps to t = %.3g, on %s: %.0e apart\n", ours->t, chm_device(context), apart);
    wrong += !(apart < 1e-11 && ours->t > 0);

    /* Unsupported settings stop the simulation, with accelerations of NaN. */
    ours->N_ghost_x = 1;
    reb_simulation_steps(ours, 1);
    printf("with ghost boxes: %s\n",
           ours->messages && ours->messages[0] ? ours->messages[0] + 1 : "nothing");
    wrong += !isnan(ours->particles[3].ax);
    chm_rebound_detach(ours);
    wrong += chm_rebound_attach(context, ours) != CHM_USAGE;

    /* A copy has no gravity until chm_rebound_attach() or chm_rebound_detach(). */
    wrong += chm_rebound_attach(context, own) != CHM_OK;
    for (int attached = 0; attached < 2; ++attached) {
        struct reb_simulation* copy = reb_simulation_copy(own);
        if (attached)
            wrong += chm_rebound_attach(context, copy) != CHM_OK;
        wrong += chm_rebound_detach(copy) != (attached ? CHM_OK : CHM_USAGE);
        reb_simulation_steps(copy, 1);
        reb_simulation_free(copy);
    }
    chm_rebound_detach(own);
#ifdef REB_API /* REBOUND 5: integrators by name */
    for (int i = 0; i < 3; ++i) {
        reb_simulation_set_integrator(own, (const char*[]){"mercurius", "trace", "eos"}[i]);
        wrong += chm_rebound_attach(context, own) != CHM_USAGE;
    }
#endif
    reb_simulation_free(own);
    reb_simulation_free(ours);
    chm_destroy(context);
    return wrong ? 1 : 0;
}
