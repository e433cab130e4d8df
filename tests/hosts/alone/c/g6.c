/* A host that has calls of a cluster over those of the library with an underscore, as host codes for
 * libraries have that know no others. */
#include <gp6util.h>
#include <math.h>
#include <stdio.h>

int g6_open_(int* cl);
int g6_close_(int* cl);
int g6_npipes_(void);
int g6_set_ti_(int* cl, double* ti);
int g6_set_j_particle_(int* cl, int* address, int* index, double* tj, double* dtj, double* mass,
                       double* a2by18, double* a1by6, double* aby2, double* v, double* x);
void g6calc_firsthalf_(int* cl, int* nj, int* ni, int* index, double (*x)[3], double (*v)[3],
                       double (*aold)[3], double (*j6old)[3], double* phiold, double* eps2,
                       double* h2);
int g6calc_lasthalf_(int* cl, int* nj, int* ni, int* index, double (*x)[3], double (*v)[3],
                     double* eps2, double* h2, double (*a)[3], double (*jerk)[3], double* pot);

static int calls;

int g6_open(int cl)
{
    ++calls;
    return g6_open_(&cl);
}
int g6_close(int cl)
{
    ++calls;
    return g6_close_(&cl);
}
int g6_npipes(void)
{
    ++calls;
    return g6_npipes_();
}
int g6_set_ti(int cl, double ti)
{
    ++calls;
    return g6_set_ti_(&cl, &ti);
}
int g6_set_j_particle(int cl, int address, int index, double tj, double dtj, double mass,
                      double a2by18[3], double a1by6[3], double aby2[3], double v[3], double x[3])
{
    ++calls;
    return g6_set_j_particle_(&cl, &address, &index, &tj, &dtj, &mass, a2by18, a1by6, aby2, v, x);
}
void g6calc_firsthalf(int cl, int nj, int ni, int index[], double x[][3], double v[][3],
                      double aold[][3], double j6old[][3], double phiold[], double eps2,
                      double h2[])
{
    ++calls;
    g6calc_firsthalf_(&cl, &nj, &ni, index, x, v, aold, j6old, phiold, &eps2, h2);
}
int g6calc_lasthalf(int cl, int nj, int ni, int index[], double x[][3], double v[][3], double eps2,
                    double h2[], double a[][3], double jerk[][3], double pot[])
{
    ++calls;
    return g6calc_lasthalf_(&cl, &nj, &ni, index, x, v, &eps2, h2, a, jerk, pot);
}
int g6calc_lasthalf2p(int cl, int nj, int ni, int index[], double x[][3], double v[][3],
                      double eps2, double h2[], double a[][3], double jerk[][3], double pot[],
                      int nnb[], float rnnb[]) /* what the library's comes to */
{
    (void)cl, (void)nj, (void)ni, (void)index, (void)x, (void)v, (void)eps2, (void)h2, (void)a;
    (void)jerk, (void)pot, (void)nnb, (void)rnnb;
    calls += 100;
    return -1;
}

int main(void)
{
    double x[2][3] = {{-1, 0, 0}, {1, 0, 0}}, v[2][3] = {{0}}, zero[3] = {0}, a[2][3], jerk[2][3];
    double pot[2], h2[2] = {0};
    int index[2] = {1, 2}, failed = g6_open(3) + (g6_npipes() < 1);
    for (int i = 0; i < 2; ++i)
        failed += g6_set_j_particle(3, i, index[i], 0, 0, 1, zero, zero, zero, v[i], x[i]);
    failed += g6_set_ti(3, 0);
    g6calc_firsthalf(3, 2, 2, index, x, v, NULL, NULL, NULL, 0, h2);
    failed += g6calc_lasthalf(3, 2, 2, index, x, v, 0, h2, a, jerk, pot);
    failed += g6_close(3);
    printf("a = %g, phi = %g, %d calls\n", a[0][0], pot[0], calls);
    return !failed && fabs(a[0][0] - 0.25) < 1e-6 && fabs(pot[0] + 0.5) < 1e-6 && calls == 8 ? 0
                                                                                             : 1;
}
