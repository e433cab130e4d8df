/* Two unit masses at distance 2. */
#include <chamomile.h>
#include <math.h>
#include <stdio.h>

int main(void)
{
    const double m[2] = {1, 1}, x[6] = {-1, 0, 0, 1, 0, 0};
    double a[6];
    chm_context* context;
    if (chm_create(&context) != CHM_OK)
        return 1;
    const int status = chm_solve(context, 2, m, x, a, NULL);
    printf("a = %g\n", a[0]);
    chm_destroy(context);
    return status == CHM_OK && fabs(a[0] - 0.25) < 1e-6 ? 0 : 1;
}
