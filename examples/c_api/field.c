/* The field of 100000 particles from C: at the particles, at a distant point, and its errors. The
 * particles and the last number printed are the same in all languages of docs/howto/embedding.md.
 */
#include <chamomile.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { n = 100000 };

static double uniform(void) /* Park & Miller (1988), exact in any language */
{
    static int64_t state = 1;
    state = 16807 * state % 2147483647;
    return (double)state / 2147483647.0;
}

static uint64_t fnv1a(const void* data, size_t bytes)
{
    uint64_t hash = 14695981039346656037u;
    for (size_t k = 0; k < bytes; ++k)
        hash = (hash ^ ((const unsigned char*)data)[k]) * 1099511628211u;
    return hash;
}

static chm_context* field;

static void check(int status)
{
    if (status == CHM_OK)
        return;
    fprintf(stderr, "%s\n", chm_last_error(field));
    exit(1);
}

int main(void)
{
    static double x[n][3], m[n], a[n][3], phi[n];
    double mass = 0;
    for (int i = 0; i < n; ++i) {
        for (int c = 0; c < 3; ++c) {
            const double u = 2 * uniform() - 1;
            x[i][c] = u * u * u;
        }
        m[i] = (0.5 + uniform()) / n;
        mass += m[i];
    }

    check(chm_create(&field));
    check(chm_set_option(field, "softening", "0.01"));
    check(chm_set_sources(field, n, chm_vectors(x[0]), chm_numbers(m), (chm_view){0}));
    check(chm_build(field)); /* once, for all later evaluations */
    printf("%s on %s\n", chm_version(), chm_device(field));

    const chm_results all = {.acceleration = chm_vectors(a[0]), .potential = chm_numbers(phi)};
    check(chm_eval_active(field, n, NULL, &all));

    const double far[3] = {100, 0, 0};
    double there[3];
    const chm_targets point = {.n = 1, .position = chm_vectors(far)};
    const chm_results pull = {.acceleration = chm_vectors(there)};
    check(chm_eval(field, &point, &pull));
    printf("at 100: a r^2 / M = %.6f\n", there[0] * 1e4 / mass);

    chm_error_stats errors;
    check(chm_compare_direct(field, 1000, 1, &errors));
    printf("errors of 1000: median %.1e, 99 %% %.1e\n", errors.acceleration.median,
           errors.acceleration.p99);
    printf("accelerations %016llx\n", (unsigned long long)fnv1a(a, sizeof a));
    chm_destroy(field);
    return errors.acceleration.p99 < 1e-3 && fabs(there[0] * 1e4 / mass + 1) < 1e-3 ? 0 : 1;
}
