/* Screened charges with a law given as text: a shell of radius 1 and charge 1, screening length
 * 1/2. The potential at its center is e^-2. */
#include <math.h>
#include <stdio.h>

#include "chamomile/interfaces/c/chamomile_law.h"

static const char* const text = "target position x y z\n"
                                "source position x y z, charge\n"
                                "sum potential\n"
                                "parameter length = 1\n"
                                "dx = source.x - target.x\n"
                                "dy = source.y - target.y\n"
                                "dz = source.z - target.z\n"
                                "inv_r = rsqrt(dx*dx + dy*dy + dz*dz)\n"
                                "potential += charge * inv_r * exp(-1 / (inv_r * length))\n";

int main(void)
{
    enum { n = 2000 };
    static double shell[n][4];
    for (int k = 0; k < n; ++k) { /* Fibonacci's lattice */
        const double z = 1 - (2 * k + 1.0) / n, r = sqrt(1 - z * z), phi = 2.399963229728653 * k;
        shell[k][0] = r * cos(phi);
        shell[k][1] = r * sin(phi);
        shell[k][2] = z;
        shell[k][3] = 1.0 / n;
    }
    const double center[3] = {0, 0, 0};
    double potential = 0;
    chm_law* law = NULL;
    if (chm_law_create(&law, text, "screened") || chm_law_set_parameter(law, "length", 0.5) ||
        chm_law_set_option(law, "precision", "double") ||
        chm_law_sum(law, 1, center, n, &shell[0][0], NULL, &potential)) {
        fprintf(stderr, "%s\n", chm_law_last_error(law));
        chm_law_destroy(law);
        return 1;
    }
    printf("potential %.12f, exactly %.12f\n", potential, exp(-2.0));
    chm_law_destroy(law);

    /* Errors are reported with line and column. */
    if (chm_law_create(&law, "target position x y z\nsource position x y z\nsum f\nf += q\n",
                       "wrong"))
        printf("%s\n", chm_law_last_error(law));
    chm_law_destroy(law);
    return fabs(potential * exp(2.0) - 1) < 1e-12 ? 0 : 1;
}
