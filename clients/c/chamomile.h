/* Gravity of sources that stay, at any points: the C interface (docs/howto/embedding.md).
 *
 * Functions return CHM_OK or the kind of a fault, whose line chm_last_error() tells. They print
 * nothing and never exit. A context belongs to one thread at a time: a second thread that calls
 * meanwhile gets CHM_USAGE at once; different contexts may be used by different threads. After
 * fork() a child makes contexts of its own; those of its parent answer CHM_USAGE there. */
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

/* Items of 1, 3 or 6 numbers where they lie: number c of item i at component[c] + i * stride. All
 * null: none. Strides may be negative and, of what is only read, 0. */
typedef struct chm_view {
    void* component[6];
    int64_t stride; /* bytes */
    int32_t type;   /* CHM_FLOAT64 or CHM_FLOAT32 */
    int32_t place;  /* CHM_HOST or CHM_GPU */
} chm_view;

/* x, y and z one after the other in each record, `stride` bytes from record to record. */
CHM_API chm_view chm_view_aos(const void* xyz, int64_t stride, int32_t type, int32_t place);
/* x, y and z apart. */
CHM_API chm_view chm_view_soa(const void* x, const void* y, const void* z, int64_t stride,
                              int32_t type, int32_t place);
/* One number an item. */
CHM_API chm_view chm_view_numbers(const void* first, int64_t stride, int32_t type, int32_t place);
/* xx, xy, xz, yy, yz, zz one after the other. */
CHM_API chm_view chm_view_tensors(const void* first, int64_t stride, int32_t type, int32_t place);
/* Doubles on the host without gaps: x[n][3], and m[n]. */
CHM_API chm_view chm_vectors(const double* x);
CHM_API chm_view chm_numbers(const double* m);

/* Where the field is asked for. Zero what is not given. */
typedef struct chm_targets {
    int64_t n;
    chm_view position; /* 3 */
    chm_view velocity; /* 3, for jerks */
    /* The source that a target is and does not feel, at its place; -1: none. NULL: none is one.
     * Without softening sources at a target's place pull at nothing in any case. */
    const int64_t* self;
    /* 1, on the host: softening lengths instead of the option, or of targets among sources that
     * have their own (chm_set_softenings()). Instead of the option, the cost is that of an
     * evaluation, and of a tree, for each distinct value: meant for a few, such as those of kinds
     * of particles.
     */
    chm_view softening;
} chm_targets;

/* Where results go, per unit mass, G included; those left zero are not made. They may not overlap
 * the targets or one another. */
typedef struct chm_results {
    chm_view acceleration; /* 3 */
    chm_view potential;    /* 1, negative */
    chm_view tidal;        /* 6: d a_i / d x_j as xx, xy, xz, yy, yz, zz */
    chm_view jerk;         /* 3: d a / dt along the target's path */
} chm_results;

/* What the last evaluation of a context did. */
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

/* |da| / |a| and |dphi| / |phi| against the direct sum in double. */
typedef struct chm_error_stats {
    int64_t sample;
    int64_t worst; /* the source with the largest |da| / |a| */
    chm_percentiles acceleration, potential;
} chm_error_stats;

typedef struct chm_context chm_context;

CHM_API const char* chm_version(void); /* such as "0.2.0" */

CHM_API int chm_create(chm_context** context);
/* NULL: nothing. Waits for no one: no other call may be under way. */
CHM_API void chm_destroy(chm_context* context);

/* Ends the call that is under way on the context, within about 0.2 s; that call returns
 * CHM_CANCELLED, unless it ends first: calls shorter than 0.1 s are not ended, and a loop of calls
 * needs a flag of its own. Results of a cancelled call are incomplete; after a cancelled
 * chm_build() or chm_refit() the context needs chm_build(). Without a call under way it does
 * nothing. Any thread and any signal handler may call it. On a GPU direct sums, tidal tensors and
 * jerks end first. */
CHM_API void chm_cancel(chm_context* context);

/* The line of this thread's last call on this context that failed, empty if none did; it stays
 * until the next one fails. Any thread may ask at any time. */
CHM_API const char* chm_last_error(const chm_context* context);

/* Every option of chm_set_option(), a line each: its names, values, default and what it means. */
CHM_API const char* chm_options(void);

/* Says an option, in any order; it takes effect with the next chm_build(), which refuses those that
 * contradict each other or that nothing would use. chm_options() tells all: those of a force, such
 * as
 *   solver     tree (default), direct
 *   tolerance  of the tree's forces, 0.001; or theta, an opening angle; or accuracy, the error
 *              |da| / |a| that 99 % are to keep, which chm_build() chooses the rest for by trials
 *              (0: none). The last one given counts
 *   softening  length eps, 0; softening_kind   plummer (default), spline
 *   box        side of a periodic cube, 0: isolated; accelerations and potentials, of direct
 *              sums by chm_eval_active() and chm_solve() alone
 *   precision  float (default), double
 *   device     auto (default), cpu, gpu, gpu:1
 * and those of a context:
 *   threads        of the host, up to 4096; 0 (default): OpenMP's choice. Changes no bit
 *   deterministic  is accepted; sums are so in any case
 *   first_number   0 (default), 1: of particles and targets in chm_last_error() */
CHM_API int chm_set_option(chm_context* context, const char* key, const char* value);

/* Says where the n sources lie; chm_build(), chm_refit() and chm_compare_direct() read them there.
 * `velocity` is for jerks; else zero. */
CHM_API int chm_set_sources(chm_context* context, int64_t n, chm_view position, chm_view mass,
                            chm_view velocity);

/* Gives the sources lengths of their own (1 number each, on the host, of as many as
 * chm_set_sources() said before, which forgets them) in place of the option softening. A pair has
 * the larger of its two, or by the option softening_rule=root-of-squares the root of the sum of
 * their squares; a target that is no source has that of chm_targets, else 0. chm_build() refuses a
 * softening_rule without them. */
CHM_API int chm_set_softenings(chm_context* context, chm_view softening);

/* Copies the sources and makes their tree, on the device too. */
CHM_API int chm_build(chm_context* context);

/* The same sources, moved (after chm_set_sources() with as many, or in place): keeps the cells. */
CHM_API int chm_refit(chm_context* context);

CHM_API int chm_eval(chm_context* context, const chm_targets* targets, const chm_results* results);

/* At the sources active[0] .. active[n - 1], each without itself; results in that order. NULL: at
 * all, n being their number. */
CHM_API int chm_eval_active(chm_context* context, int64_t n, const int64_t* active,
                            const chm_results* results);

/* All sources within a radius (1 number each) of each target, exactly: of target i the numbers of
 * the first `most`, ascending, at list + i * most, and in count[i] how many there are. The target's
 * self is left out. */
CHM_API int chm_neighbours(chm_context* context, const chm_targets* targets, chm_view radius,
                           int64_t most, int64_t* count, int64_t* list);

/* The errors of about `sample` sources, spread over all from a place given by the seed, with the
 * tree as it is. Reads the sources again, which must be as they were when it was made. */
CHM_API int chm_compare_direct(chm_context* context, int64_t sample, uint64_t seed,
                               chm_error_stats* errors);

CHM_API int chm_stats(chm_context* context, chm_run_stats* stats);

/* Such as "CPU, avx512, 2 threads"; empty before chm_build(). Valid until the next one. */
CHM_API const char* chm_device(const chm_context* context);

/* All at once: sources m[n], x[n][3] to acceleration[n][3] and, unless NULL, potential[n]. */
CHM_API int chm_solve(chm_context* context, int64_t n, const double* m, const double* x,
                      double* acceleration, double* potential);

/* The same for members of records `stride` bytes apart (acceleration too; potential[targets] has no
 * gaps), of which the first `sources` pull at all `targets`; with this G and softening. */
CHM_API int chm_accel_strided(chm_context* context, size_t targets, size_t sources, size_t stride,
                              const double* xyz, const double* mass, double* acceleration,
                              double* potential, double G, double softening);

#ifdef __cplusplus
}
#endif

#endif
