/* Seconds per step of a Plummer sphere with REBOUND's tree, its direct sum and ours, in wall-clock
 * and CPU time, and errors of the accelerations; with REBOUND 5: times [N]. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "chamomile_rebound.h"

static double uniform(void)
{
    static int64_t state = 1;
    state = 16807 * state % 2147483647;
    return (double)state / 2147483647.0;
}

static double now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void add_sphere(struct reb_simulation* r, int n)
{
    while ((int)r->N < n) {
        const double radius = 1 / sqrt(pow(uniform(), -2.0 / 3) - 1);
        const double z = 2 * uniform() - 1, phi = 2 * M_PI * uniform();
        if (radius > 20)
            continue;
        struct reb_particle p = {0};
        p.m = 1.0 / n;
        p.x = radius * sqrt(1 - z * z) * cos(phi);
        p.y = radius * sqrt(1 - z * z) * sin(phi);
        p.z = radius * z;
        reb_simulation_add(r, p);
    }
}

static int ascending(const void* a, const void* b)
{
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

/* Medians of three batches of steps, and errors of the initial accelerations. */
static void measure(const char* name, struct reb_simulation* r, int steps, double (*exact)[3])
{
    const int n = (int)r->N;
    reb_simulation_update_acceleration(r);
    double* errors = malloc((size_t)n * sizeof *errors);
    for (int i = 0; i < n; ++i) {
        double d = 0, a = 0;
        const double mine[3] = {r->particles[i].ax, r->particles[i].ay, r->particles[i].az};
        for (int c = 0; c < 3; ++c) {
            d += (mine[c] - exact[i][c]) * (mine[c] - exact[i][c]);
            a += exact[i][c] * exact[i][c];
        }
        errors[i] = sqrt(d / a);
    }
    qsort(errors, (size_t)n, sizeof *errors, ascending);
    double seconds[3], of_processors[3];
    for (int batch = 0; batch < 3; ++batch) {
        const double start = now(CLOCK_MONOTONIC), used = now(CLOCK_PROCESS_CPUTIME_ID);
        reb_simulation_steps(r, (unsigned)steps);
        seconds[batch] = (now(CLOCK_MONOTONIC) - start) / steps;
        of_processors[batch] = (now(CLOCK_PROCESS_CPUTIME_ID) - used) / steps;
    }
    qsort(seconds, 3, sizeof *seconds, ascending);
    qsort(of_processors, 3, sizeof *seconds, ascending);
    printf("| %s | %.3g | %.3g | %.1e | %.1e |\n", name, seconds[1], of_processors[1],
           errors[n / 2], errors[n * 99 / 100]);
    fflush(stdout);
    free(errors);
}

static chm_context* with(const char* key, const char* value, const char* threads)
{
    chm_context* context = NULL;
    if (chm_create(&context) || chm_set_option(context, key, value) ||
        chm_set_option(context, "threads", threads)) {
        fprintf(stderr, "%s\n", chm_last_error(context));
        exit(1);
    }
    return context;
}

int main(int count, char** words)
{
    const int n = count > 1 ? atoi(words[1]) : 100000,
              direct_steps = count > 2 ? atoi(words[2]) : 1;
    struct reb_simulation* r = reb_simulation_create();
    r->root_size = 100; /* for REBOUND's tree */
    r->softening = 0.01;
    r->dt = 1e-12; /* times, not orbits */
    reb_simulation_set_integrator(r, "leapfrog");
    add_sphere(r, n);

    chm_context* context = with("solver", "direct", "0");
    if (chm_set_option(context, "precision", "double") || chm_rebound_attach(context, r))
        return 1;
    reb_simulation_update_acceleration(r);
    double(*exact)[3] = malloc((size_t)n * sizeof *exact);
    for (int i = 0; i < n; ++i) {
        exact[i][0] = r->particles[i].ax;
        exact[i][1] = r->particles[i].ay;
        exact[i][2] = r->particles[i].az;
    }
    printf("%d particles, %s\n| gravity | s a step | of processors | median error | 99 %% |\n"
           "|---|---|---|---|---|\n",
           n, chm_device(context));
    chm_rebound_detach(r);
    chm_destroy(context);

    for (int threads = 1; threads <= 2; ++threads)
        for (int k = 0; k < 3; ++k) {
            const char* tolerances[] = {"0.01", "0.001", "0.0001"};
            char name[80];
            snprintf(name, sizeof name, "ours, tolerance %s, %d thread%s", tolerances[k], threads,
                     threads > 1 ? "s" : "");
            context = with("tolerance", tolerances[k], threads > 1 ? "2" : "1");
            if (chm_rebound_attach(context, r))
                return 1;
            measure(name, r, 10, exact);
            chm_rebound_detach(r);
            chm_destroy(context);
        }
    context = with("solver", "direct", "1");
    if (chm_rebound_attach(context, r))
        return 1;
    measure("ours, direct, float, 1 thread", r, 1, exact);
    chm_rebound_detach(r);
    chm_destroy(context);

    const double angles[] = {1, 0.5, 0.25};
    for (int k = 0; k < 3; ++k) {
        char name[80];
        snprintf(name, sizeof name, "REBOUND's tree, angle %g", angles[k]);
        r->gravity = REB_GRAVITY_TREE;
        r->opening_angle2 = angles[k] * angles[k];
        measure(name, r, 1, exact);
    }
    r->gravity = REB_GRAVITY_BASIC;
    measure("REBOUND's direct sum", r, 1, exact);
    reb_simulation_free(r);
    free(exact);
    return 0;
}
