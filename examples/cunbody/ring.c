/* The force of a ring of 100000 particles, mass 1 and radius 1, on its axis: -z / (1 + z^2)^1.5. */
#include <math.h>
#include <stdio.h>

#include "chamomile/interfaces/cunbody/cunbody.h"

enum { nj = 100000, ni = 3 };
static double xj[nj][3], mj[nj];

int main(void)
{
    const double pi = 3.14159265358979323846;
    const double xi[ni][3] = {{0, 0, 0.5}, {0, 0, 1}, {0, 0, 2}};
    double a[ni][3], worst = 0;
    for (int j = 0; j < nj; ++j) {
        xj[j][0] = cos(2 * pi * j / nj);
        xj[j][1] = sin(2 * pi * j / nj);
        mj[j] = 1.0 / nj;
    }
    force((const double(*)[3])xj, mj, xi, 0.0, a, ni, nj);
    for (int i = 0; i < ni; ++i) {
        const double z = xi[i][2], exact = -z / pow(1 + z * z, 1.5);
        printf("z = %3.1f: a = %.6f, exactly %.6f\n", z, a[i][2], exact);
        worst = fmax(worst, fabs(a[i][2] / exact - 1));
    }
    if (*cunbody_error())
        fprintf(stderr, "%s\n", cunbody_error());
    return worst < 1e-6 ? 0 : 1;
}
