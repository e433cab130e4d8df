/* C interface to gravity of fixed sources at any points (docs/howto/embedding.md).
 *
 * Functions return CHM_OK or the kind of an error. chm_last_error() returns the error message. They
 * never print or exit. A context allows one thread at a time: a call from a second thread returns
 * CHM_USAGE immediately. Different contexts may be used by different threads. After fork() a child
 * must create new contexts: contexts of the parent return CHM_USAGE in the child. */
#ifndef CHAMOMILE_H
#define CHAMOMILE_H

#include <stddef.h>
#include <stdint.h>

#ifndef CHM_API
#if defined(__GNUC__)
#define CHM_API __attribute__((visibility("default")))
#else
#define CHM_API
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

enum {
    CHM_OK = 0,
    CHM_USAGE = 2,    /* a wrong argument, option or order of calls */
    CHM_INPUT = 3,    /* a value that is not finite, particles at one place without softening */
    CHM_OUTPUT = 4,   /* of files: no call here */
    CHM_DEVICE = 5,   /* the GPU is absent, full or broken */
    CHM_NUMERIC = 6,  /* anything else, such as memory that ran out */
    CHM_CANCELLED = 9 /* the call was ended by chm_cancel() */
};
enum { CHM_FLOAT64 = 0, CHM_FLOAT32 = 1 };
enum { CHM_HOST = 0, CHM_GPU = 1 }; /* the GPU that the context uses */

/* A view of items with 1, 3 or 6 numbers: number c of item i is at component[c] + i * stride. All
 * null: no array. Strides may be negative, and 0 for input. */
typedef struct chm_view {
    void* component[6];
    int64_t stride; /* bytes */
    int32_t type;   /* CHM_FLOAT64 or CHM_FLOAT32 */
    int32_t place;  /* CHM_HOST or CHM_GPU */
} chm_view;

/* x, y and z are consecutive in each record, `stride` bytes from record to record. */
CHM_API chm_view chm_view_aos(const void* xyz, int64_t stride, int32_t type, int32_t place);
/* x, y and z in separate arrays. */
CHM_API chm_view chm_view_soa(const void* x, const void* y, const void* z, int64_t stride,
                              int32_t type, int32_t place);
/* One number per item. */
CHM_API chm_view chm_view_numbers(const void* first, int64_t stride, int32_t type, int32_t place);
/* xx, xy, xz, yy, yz, zz are consecutive. */
CHM_API chm_view chm_view_tensors(const void* first, int64_t stride, int32_t type, int32_t place);
/* Contiguous doubles on the host: x[n][3] and m[n]. */
CHM_API chm_view chm_vectors(const double* x);
CHM_API chm_view chm_numbers(const double* m);

/* Targets. Members not given must be zero. */
typedef struct chm_targets {
    int64_t n;
    chm_view position; /* 3 */
    chm_view velocity; /* 3, for jerks */
    /* Index of the source that coincides with the target and is excluded; -1: none. NULL: no target
     * is a source. Without softening, sources at exactly the target's position never contribute. */
    const int64_t* self;
    /* 1 number, on the host: softening of each target. It replaces the option softening, or applies
     * to targets of sources with per-particle softening (chm_set_softenings()). In the first case
     * each distinct value costs a tree and an evaluation: use few values, such as one per particle
     * type.
     */
    chm_view softening;
} chm_targets;

/* Result arrays, per unit mass, including G. Results with a zero view are skipped. Results must not
 * overlap targets or each other. */
typedef struct chm_results {
    chm_view acceleration; /* 3 */
    chm_view potential;    /* 1, negative */
    chm_view tidal;        /* 6: d a_i / d x_j as xx, xy, xz, yy, yz, zz */
    chm_view jerk; /* 3: d a / dt along the target's path. At all sources a tree sums both */
} chm_results;

/* Statistics of the last evaluation. */
typedef struct chm_run_stats {
    int64_t sources, targets, groups, cells;
    int64_t particle_particle, particle_cell, expansions; /* pairs; cells expanded */
    int64_t bytes_to_device, bytes_from_device;
    double seconds;                  /* of the call */
    double device_busy, device_wait; /* seconds; 0 on a processor */
} chm_run_stats;

typedef struct chm_percentiles {
    double rms, median, p90, p99, p999, max;
} chm_percentiles;

/* |da| / |a| and |dphi| / |phi| relative to the direct sum in double. */
typedef struct chm_error_stats {
    int64_t sample;
    int64_t worst; /* the source with the largest |da| / |a| */
    chm_percentiles acceleration, potential;
} chm_error_stats;

typedef struct chm_context chm_context;

CHM_API const char* chm_version(void); /* such as "0.2.0" */

CHM_API int chm_create(chm_context** context);
/* NULL: no effect. No other call may be in progress. */
CHM_API void chm_destroy(chm_context* context);

/* Ends the call in progress on the context within about 0.2 s; that call returns CHM_CANCELLED,
 * unless it finishes before. Calls shorter than 0.1 s always finish, so a loop of calls needs an
 * additional flag.
 * Results of a cancelled call are incomplete. After a cancelled chm_build() or chm_refit() the
 * context needs chm_build(). Without a call in progress it has no effect. May be called from any
 * thread and any signal handler. On a GPU, direct sums, and sums over pairs for tidal tensors
 * and jerks, run to their end first. */
CHM_API void chm_cancel(chm_context* context);

/* The error message of this thread's last failed call on this context; empty if none. Valid until
 * this thread's next failed call. Any thread may call it at any time. */
CHM_API const char* chm_last_error(const chm_context* context);

/* All options of chm_set_option(), one line each: names, values, default and meaning. */
CHM_API const char* chm_options(void);

/* Sets an option, in any order. It takes effect at the next chm_build(), which refuses
 * contradicting or unused options. chm_options() lists all options: those of a force, such as
 *   solver     tree (default), direct
 *   tolerance  of the tree's forces, 0.001; or theta, an opening angle; or accuracy, the max error
 *              |da| / |a| of 99 % of the targets: chm_build() then chooses other options by trials
 *              (0: none). The last of these options counts
 *   softening  length eps, 0; softening_kind   plummer (default), spline
 *   box        side of a periodic cube, 0: isolated; accelerations and potentials; with direct
 *              sums only by chm_eval_active() and chm_solve()
 *   precision  float (default), double
 *   device     auto (default), cpu, gpu, gpu:1
 * and those of a context:
 *   threads        of the host, up to 4096; 0 (default): OpenMP's choice. Does not change results
 *   deterministic  accepted without effect: sums are always deterministic
 *   first_number   0 (default), 1: of particles and targets in chm_last_error() */
CHM_API int chm_set_option(chm_context* context, const char* key, const char* value);

/* Sets the views of n sources. chm_build(), chm_refit() and chm_compare_direct() read them.
 * `velocity` is for jerks, otherwise zero. */
CHM_API int chm_set_sources(chm_context* context, int64_t n, chm_view position, chm_view mass,
                            chm_view velocity);

/* Sets per-particle softening: 1 number per source of the last chm_set_sources(), on the host, in
 * place of the option softening. chm_set_sources() clears it. A pair uses the larger length, or
 * with the option softening_rule=root-of-squares the root of the sum of squares. Targets that
 * are no sources use chm_targets.softening, otherwise 0. chm_build() refuses softening_rule without
 * per-particle softening. */
CHM_API int chm_set_softenings(chm_context* context, chm_view softening);

/* Copies the sources and builds their tree, also on the device. */
CHM_API int chm_build(chm_context* context);

/* The same sources, moved (in place, or after chm_set_sources() with equal n): keeps the cells. */
CHM_API int chm_refit(chm_context* context);

CHM_API int chm_eval(chm_context* context, const chm_targets* targets, const chm_results* results);

/* Evaluates at the sources active[0] .. active[n - 1], each without itself, results in this order.
 * NULL: all sources; n must be their number. */
CHM_API int chm_eval_active(chm_context* context, int64_t n, const int64_t* active,
                            const chm_results* results);

/* Computes the gradient of a loss L at all sources, in their order: reads `acceleration` (3 numbers
 * per source, dL/da) and `potential` (1, dL/dphi), writes `position` (3, dL/dx) and `mass` (1,
 * dL/dm). A zero view: no part of L, or not wanted. Uses the lists of chm_eval_active(). */
CHM_API int chm_eval_adjoint(chm_context* context, chm_view acceleration, chm_view potential,
                             chm_view position, chm_view mass);

/* Finds all sources within a radius (1 number per target) of each target, exactly. Target i gets
 * the indices of the first `max` sources, ascending, at list + i * max, and their total number in
 * count[i]. The source `self` is excluded. */
CHM_API int chm_neighbours(chm_context* context, const chm_targets* targets, chm_view radius,
                           int64_t max, int64_t* count, int64_t* list);

/* Errors of about `sample` sources, spread evenly from a start given by the seed, with the present
 * tree. Reads the sources again: they must be unchanged since the tree was built. */
CHM_API int chm_compare_direct(chm_context* context, int64_t sample, uint64_t seed,
                               chm_error_stats* errors);

CHM_API int chm_stats(chm_context* context, chm_run_stats* stats);

/* Such as "CPU, avx512, 2 threads"; empty before chm_build(). Valid until the next chm_build(). */
CHM_API const char* chm_device(const chm_context* context);

/* In one call: sources m[n], x[n][3] to acceleration[n][3] and, unless NULL, potential[n]. */
CHM_API int chm_solve(chm_context* context, int64_t n, const double* m, const double* x,
                      double* acceleration, double* potential);

/* Like chm_solve(), for members of records `stride` bytes apart (including acceleration, but not
 * potential[targets]). The first `sources` records act on all `targets`, with this G and softening.
 */
CHM_API int chm_accel_strided(chm_context* context, size_t targets, size_t sources, size_t stride,
                              const double* xyz, const double* mass, double* acceleration,
                              double* potential, double G, double softening);

/* Small systems of bodies, one after the other in each array. Members not given must be zero. */
typedef struct chm_systems {
    int64_t n; /* systems */
    /* n + 1 numbers: system b has the bodies offsets[b] to offsets[b + 1] - 1, one or more. NULL:
     * `bodies` in each system. */
    const int64_t* offsets;
    int64_t bodies;
    chm_view position;  /* 3 */
    chm_view velocity;  /* 3, for jerks and chm_advance_batch() */
    chm_view mass;      /* 1 */
    chm_view softening; /* 1 per body, in place of the option softening */
} chm_systems;

enum { CHM_LEAPFROG = 0, CHM_HERMITE = 1 };

/* Acceleration, potential and jerk of each body due to the other bodies of its system, by direct
 * sums, with the options of the context. The sources and trees of the context stay. Without a box.
 * Jerks need Plummer softening. */
CHM_API int chm_solve_batch(chm_context* context, const chm_systems* systems,
                            const chm_results* results);

/* Moves the bodies by `count` equal steps: replaces positions and velocities. Every system has the
 * step step[0] (lengths = 1) or its own (lengths = n). Schemes: CHM_LEAPFROG (second order),
 * CHM_HERMITE (fourth order). After an error the bodies are as before. */
CHM_API int chm_advance_batch(chm_context* context, const chm_systems* systems, int32_t scheme,
                              int64_t lengths, const double* step, int64_t count);

#ifdef __cplusplus
}
#endif

#endif
