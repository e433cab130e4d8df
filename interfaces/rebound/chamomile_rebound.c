#include "chamomile_rebound.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef REB_API /* REBOUND 5 */
#define HAS_CUSTOM_GRAVITY 1
#else
#define HAS_CUSTOM_GRAVITY 0
#endif

/* Simulations with our gravity. reb_simulation.extras stays free for others, such as REBOUNDx. */
typedef struct Attachment {
    struct Attachment* next;
    struct reb_simulation* simulation;
    chm_context* context;
    int gravity; /* the previous value */
    void (*hook)(struct reb_simulation* const);
} Attachment;

static Attachment* attachments;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static Attachment* find(const struct reb_simulation* r)
{
    pthread_mutex_lock(&mutex);
    Attachment* a = attachments;
    while (a && a->simulation != r)
        a = a->next;
    pthread_mutex_unlock(&mutex);
    return a;
}

static Attachment* detach_from(const struct reb_simulation* r)
{
    pthread_mutex_lock(&mutex);
    Attachment** place = &attachments;
    while (*place && (*place)->simulation != r)
        place = &(*place)->next;
    Attachment* a = *place;
    if (a)
        *place = a->next;
    pthread_mutex_unlock(&mutex);
    return a;
}

/* Returns why this simulation is not supported, or NULL. */
static const char* objection(const struct reb_simulation* r)
{
    if (r->N_ghost_x || r->N_ghost_y || r->N_ghost_z)
        return "ghost boxes: N_ghost_x, N_ghost_y and N_ghost_z must be 0";
    if (r->boundary == REB_BOUNDARY_PERIODIC || r->boundary == REB_BOUNDARY_SHEAR)
        return "boundary: must be none or open";
    if (r->N_var_config)
        return "variational particles: need gravity of REBOUND";
#if HAS_CUSTOM_GRAVITY
    if (r->map)
        return "map: gravity of selected particles: needs gravity of REBOUND";
    if (r->integrator.name &&
        (!strcmp(r->integrator.name, "mercurius") || !strcmp(r->integrator.name, "trace") ||
         !strcmp(r->integrator.name, "eos") || !strcmp(r->integrator.name, "whfast512")))
#else
    if (r->integrator == REB_INTEGRATOR_MERCURIUS || r->integrator == REB_INTEGRATOR_TRACE ||
        r->integrator == REB_INTEGRATOR_EOS || r->integrator == REB_INTEGRATOR_WHFAST512)
#endif
        return "integrator: must not be MERCURIUS, TRACE, EOS or WHFast512, which compute gravity";
    return NULL;
}

/* Returns the simulation's gravity, or REBOUND's default for a copied or loaded simulation with a
 * gravity function: functions are neither copied nor saved. */
static int own_gravity(const struct reb_simulation* r)
{
#if HAS_CUSTOM_GRAVITY
    if (r->gravity == REB_GRAVITY_CUSTOM && !r->gravity_custom)
        return REB_GRAVITY_BASIC;
#endif
    return (int)r->gravity;
}

static void complain(struct reb_simulation* r, const char* line)
{
    char text[400];
    snprintf(text, sizeof text, "chamomile: %s", line);
    reb_simulation_error(r, text);
}

static const size_t stride = sizeof(struct reb_particle);

static chm_view vectors(const double* first)
{
    return chm_view_aos(first, (int64_t)stride, CHM_FLOAT64, CHM_HOST);
}

/* Adds to the particles [t, t_end) the accelerations due to the disjoint particles [s, s_end). */
static int add_field(chm_context* c, struct reb_particle* p, size_t s, size_t s_end, size_t t,
                     size_t t_end)
{
    if (s >= s_end || t >= t_end)
        return CHM_OK;
    double(*a)[3] = malloc((t_end - t) * sizeof *a);
    if (!a)
        return CHM_NUMERIC;
    const chm_targets targets = {.n = (int64_t)(t_end - t), .position = vectors(&p[t].x)};
    const chm_results results = {.acceleration = chm_vectors(a[0])};
    int status = chm_set_sources(c, (int64_t)(s_end - s), vectors(&p[s].x),
                                 chm_view_numbers(&p[s].m, (int64_t)stride, CHM_FLOAT64, CHM_HOST),
                                 (chm_view){0});
    if (!status)
        status = chm_build(c);
    if (!status)
        status = chm_eval(c, &targets, &results);
    for (size_t i = t; !status && i < t_end; ++i) {
        p[i].ax += a[i - t][0];
        p[i].ay += a[i - t][1];
        p[i].az += a[i - t][2];
    }
    free(a);
    return status;
}

/* Adds to particle i the acceleration due to particle j. */
static void add_pair(const struct reb_simulation* r, size_t i, size_t j)
{
    struct reb_particle* p = r->particles;
    const double x = p[j].x - p[i].x, y = p[j].y - p[i].y, z = p[j].z - p[i].z;
    const double u = sqrt(x * x + y * y + z * z + r->softening * r->softening);
    const double f = r->G * p[j].m / (u * u * u);
    p[i].ax += f * x;
    p[i].ay += f * y;
    p[i].az += f * z;
}

/* Overwrites all accelerations. The first n_active particles are the sources. With ignored terms
 * particle 0 is excluded, and the remaining pairs with it are added one by one. */
static int gravity(const struct reb_simulation* r, chm_context* c)
{
    struct reb_particle* p = r->particles;
    const size_t n = (size_t)r->N, said = (size_t)r->N_active; /* -1: all, of either type */
    const size_t n_active = said < n ? said : n, first = r->gravity_ignore_terms ? 1 : 0;
    if (n <= first) {
        if (n == 1)
            p[0].ax = p[0].ay = p[0].az = 0;
        return CHM_OK;
    }
    const size_t pulling = n_active > first ? n_active : first;
    int status = chm_accel_strided(c, n - first, pulling - first, stride, &p[first].x, &p[first].m,
                                   &p[first].ax, NULL, r->G, r->softening);
    if (first)
        p[0].ax = p[0].ay = p[0].az = 0;
    const int back = r->testparticle_type && pulling < n; /* test particles act on active ones */
    if (r->gravity_ignore_terms == 1) {                   /* all but the pair of 0 and 1 */
        for (size_t i = 2; i < n && n_active > 0; ++i)
            add_pair(r, i, 0);
        if (!status)
            status = add_field(c, p, 2, pulling, 0, 1);
        if (!status && back && n_active > 0)
            status = add_field(c, p, pulling > 2 ? pulling : 2, n, 0, 1);
    }
    if (!status && back)
        status = add_field(c, p, pulling, n, first, pulling);
    return status;
}

static void step(struct reb_simulation* const r)
{
    const Attachment* a = find(r);
    const char* why = a ? objection(r) : "simulation: not attached: call chm_rebound_attach()";
    if (why || gravity(r, a->context)) {
        complain(r, why ? why : chm_last_error(a->context));
        for (size_t i = 0; i < (size_t)r->N; ++i)
            r->particles[i].ax = r->particles[i].ay = r->particles[i].az = NAN;
        reb_simulation_stop(r);
        return;
    }
    /* REBOUND 5 calls nothing after gravity_custom. In older versions ours replaced `hook`. */
    void (*more)(struct reb_simulation* const) =
        HAS_CUSTOM_GRAVITY ? r->additional_forces : a->hook;
    if (more)
        more(r);
}

int chm_rebound_attach(chm_context* context, struct reb_simulation* r)
{
    if (!context || !r)
        return CHM_USAGE;
    const char* why = objection(r);
    Attachment* a = why ? NULL : malloc(sizeof *a);
    if (!a) {
        complain(r, why ? why : "not enough memory");
        return why ? CHM_USAGE : CHM_NUMERIC;
    }
    chm_rebound_detach(r);
    a->simulation = r;
    a->context = context;
    a->gravity = own_gravity(r);
#if HAS_CUSTOM_GRAVITY
    a->hook = r->gravity_custom;
    r->gravity_custom = step;
    r->gravity = REB_GRAVITY_CUSTOM;
#else
    a->hook = r->additional_forces;
    r->additional_forces = step;
    r->gravity = REB_GRAVITY_NONE;
#endif
    pthread_mutex_lock(&mutex);
    a->next = attachments;
    attachments = a;
    pthread_mutex_unlock(&mutex);
    return CHM_OK;
}

int chm_rebound_detach(struct reb_simulation* r)
{
    Attachment* a = detach_from(r);
    if (!a) {
        r->gravity = own_gravity(r);
        return CHM_USAGE;
    }
    r->gravity = a->gravity;
#if HAS_CUSTOM_GRAVITY
    r->gravity_custom = a->hook;
#else
    r->additional_forces = a->hook;
#endif
    free(a);
    return CHM_OK;
}
