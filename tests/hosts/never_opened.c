/* A host that opens one cluster and sums on another, whose results it does not look at. */
#include <gp6util.h>
#include <math.h>

int main(void)
{
    double x[1][3] = {{0}}, v[1][3] = {{0}}, a[1][3], jerk[1][3], pot[1], h2[1] = {0};
    int index[1] = {1};
    g6_open(32673);
    for (int k = 0; k < 3; ++k) {
        g6_set_ti(0, k);
        g6calc_firsthalf(0, 1, 1, index, x, v, 0, 0, 0, 0, h2);
        g6calc_lasthalf(0, 1, 1, index, x, v, 0, h2, a, jerk, pot);
    }
    g6_close(32673);
    return isnan(a[0][0]) ? 0 : 1;
}
