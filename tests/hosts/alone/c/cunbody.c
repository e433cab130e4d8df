/* A host of the library that CUNBODY-1's author published: declarations of its own, without const,
 * targets that are sources, and a function of its own that is called `force`. */
#include <math.h>
#include <stdio.h>

typedef void sum(double xj[][3], double mj[], double xi[][3], double eps2, double ai[][3], int ni,
                 int nj);
sum cunbody1_force, cunbody1_force_begin, cunbody1_force_end;
void cunbody1_force_mp(int devid, double xj[][3], double mj[], double xi[][3], double eps2,
                       double ai[][3], int ni, int nj);
const char* cunbody_error(void);

enum { n = 500 };
static double x[n][3], m[n], a[n][3], exact[n][3];

double force(double spring)
{
    return -spring;
}

static double uniform(void)
{
    static unsigned long state = 1;
    state = (state * 16807) % 2147483647;
    return state / 2147483647.0;
}

/* The largest error of what stands in a, which is then emptied. */
static double error(void)
{
    double worst = 0;
    for (int i = 0; i < n; ++i) {
        double d2 = 0, a2 = 0;
        for (int c = 0; c < 3; ++c) {
            d2 += (a[i][c] - exact[i][c]) * (a[i][c] - exact[i][c]);
            a2 += exact[i][c] * exact[i][c];
            a[i][c] = 0;
        }
        worst = d2 / a2 <= worst ? worst : d2 / a2;
    }
    return sqrt(worst);
}

int main(void)
{
    const double eps2 = 1e-4;
    int wrong = force(1) != -1;
    for (int i = 0; i < n; ++i) {
        m[i] = uniform() / n;
        for (int c = 0; c < 3; ++c)
            x[i][c] = uniform();
    }
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            double r2 = eps2;
            for (int c = 0; c < 3; ++c)
                r2 += (x[j][c] - x[i][c]) * (x[j][c] - x[i][c]);
            for (int c = 0; c < 3; ++c)
                exact[i][c] += m[j] * (x[j][c] - x[i][c]) / (r2 * sqrt(r2));
        }
    cunbody1_force(x, m, x, eps2, a, n, n);
    wrong += !(error() < 1e-5);
    cunbody1_force_mp(0, x, m, x, eps2, a, n, n);
    wrong += !(error() < 1e-5);
    cunbody1_force_begin(x, m, x, eps2, a, n, n);
    wrong += a[0][0] != 0;
    cunbody1_force_end(x, m, x, eps2, a, n, n);
    wrong += !(error() < 1e-5);
    cunbody1_force_end(x, m, x, eps2, a, n, n); /* nothing was begun */
    wrong += !isnan(a[n - 1][2]) || !*cunbody_error();
    printf("%s\n", cunbody_error());
    return wrong;
}
