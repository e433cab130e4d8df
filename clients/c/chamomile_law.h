/* Sums over pairs by a law given as text (docs/howto/own_law.md), from C and whatever calls C.
 *
 * Functions return 0, or the kind of a fault (2 usage, 3 input, 4 output, 5 device, 6 numeric) of
 * which chm_law_last_error() tells the one line. They print nothing, never exit and keep no global
 * state; different threads may use different laws at the same time. */
#ifndef CHAMOMILE_LAW_H
#define CHAMOMILE_LAW_H

#include <stdint.h>

#if defined(__GNUC__)
#define CHM_API __attribute__((visibility("default")))
#else
#define CHM_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct chm_law chm_law;

/* Compiles a text; `name` is what errors call it. A fault is 3, with line and column: *law then
 * holds nothing but that line, and is to be destroyed like any other. */
CHM_API int chm_law_create(chm_law** law, const char* text, const char* name);
CHM_API void chm_law_destroy(chm_law* law); /* NULL: nothing */

/* Of the last call on this law that failed; empty if none did, "out of memory" for NULL. */
CHM_API const char* chm_law_last_error(const chm_law* law);

/* The numbers of values in a target, a source and a sum: IDIM, JDIM and FDIM. */
CHM_API int chm_law_shape(chm_law* law, int* target, int* source, int* sum);

CHM_API int chm_law_set_parameter(chm_law* law, const char* name, double value);

/* device (auto, cpu, gpu, gpu:1), precision (float, double), instruction_set, cutoff, and period,
 * the side of a cubic box. */
CHM_API int chm_law_set_option(chm_law* law, const char* key, const char* value);

/* Sums over all sources for each target. Rows are consecutive doubles, row after row. self[i]: the
 * source that target i is and does not see, -1 for none; NULL: no target is a source. */
CHM_API int chm_law_sum(chm_law* law, int64_t targets, const double* target_rows, int64_t sources,
                        const double* source_rows, const int64_t* self, double* sum_rows);

#ifdef __cplusplus
}
#endif

#endif
