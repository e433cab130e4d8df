/* A host that has calls of a board over those of the library, because another library had only the
 * names with an underscore: the library's own calls are its own all the same. */
#include <gp5util.h>
#include <math.h>
#include <stdio.h>

void g5_open_(void);
void g5_close_(void);
void g5_set_n_(int* nj);
void g5_set_xmj_(int* adr, int* nj, double (*x)[3], double* m);
void g5_set_eps_to_all_(double* eps);
void g5_calculate_force_on_x_(double (*x)[3], double (*a)[3], double* p, int* ni);

static int calls;

void g5_open(void)
{
    ++calls;
    g5_open_();
}
void g5_close(void)
{
    ++calls;
    g5_close_();
}
void g5_set_n(int nj)
{
    ++calls;
    g5_set_n_(&nj);
}
void g5_set_nMC(int devid, int nj) /* what the library's g5_set_n comes to */
{
    calls += 100 + devid + nj;
}
void g5_set_xmj(int adr, int nj, double (*x)[3], double* m)
{
    ++calls;
    g5_set_xmj_(&adr, &nj, x, m);
}
void g5_set_eps_to_all(double eps)
{
    ++calls;
    g5_set_eps_to_all_(&eps);
}
void g5_calculate_force_on_x(double (*x)[3], double (*a)[3], double* p, int ni)
{
    ++calls;
    g5_calculate_force_on_x_(x, a, p, &ni);
}

int main(void)
{
    double x[2][3] = {{-1, 0, 0}, {1, 0, 0}}, m[2] = {1, 1}, a[2][3], p[2];
    g5_open();
    g5_set_n(2);
    g5_set_xmj(0, 2, x, m);
    g5_set_eps_to_all(0);
    g5_calculate_force_on_x(x, a, p, 2);
    g5_close();
    printf("a = %g, p = %g, %d calls\n", a[0][0], p[0], calls);
    return fabs(a[0][0] - 0.25) < 1e-6 && fabs(p[0] - 0.5) < 1e-6 && calls == 6 ? 0 : 1;
}
