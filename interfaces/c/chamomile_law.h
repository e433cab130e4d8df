/* Pair sums with a law given as text (docs/howto/own_law.md), for C and languages that call C.
 *
 * Functions return 0, or the kind of an error (2 usage, 3 input, 4 output, 5 device, 6 numeric).
 * chm_law_last_error() returns the one-line message. They never print or exit and have no global
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

/* Compiles a text; `name` identifies it in messages. On an error (3, with line and column) *law
 * holds only the message, and must be destroyed as well. */
CHM_API int chm_law_create(chm_law** law, const char* text, const char* name);
CHM_API void chm_law_destroy(chm_law* law); /* NULL: no effect */

/* Message of the last failed call on this law; empty if none, "out of memory" for NULL. */
CHM_API const char* chm_law_last_error(const chm_law* law);

/* The numbers of values per target, source and sum: IDIM, JDIM and FDIM. */
CHM_API int chm_law_shape(chm_law* law, int* target, int* source, int* sum);

CHM_API int chm_law_set_parameter(chm_law* law, const char* name, double value);

/* Keys: device (auto, cpu, gpu, gpu:1), precision (float, double), instruction_set, cutoff, and
 * period (side of a cubic box). */
CHM_API int chm_law_set_option(chm_law* law, const char* key, const char* value);

/* Sums over all sources for each target. Rows are contiguous doubles. self[i]: index of the source
 * that coincides with target i and is excluded, -1: none; NULL: no target is a source. */
CHM_API int chm_law_sum(chm_law* law, int64_t targets, const double* target_rows, int64_t sources,
                        const double* source_rows, const int64_t* self, double* sum_rows);

#ifdef __cplusplus
}
#endif

#endif
