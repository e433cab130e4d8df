/* The Hermite scheme with individual block steps on a GRAPE-6 (Makino & Aarseth 1992; Makino et
 * al. 2003): the board predicts all particles and sums, the host corrects the few active ones. 256
 * stars of a Plummer sphere in N-body units conserve their energy, -1/4. */
#include <math.h>
#include <stdio.h>

#include "gp6util.h"

enum { n = 256, cluster = 0 };
static const double eps = 1.0 / 64, eta = 0.01, t_end = 1, longest = 0.0625;

static double m[n], x[n][3], v[n][3], a[n][3], j[n][3], phi[n], t[n], dt[n];

static double uniform(void) /* in (0, 1) */
{
    static unsigned long long state = 88172645463325252ULL;
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return ((double)(state >> 11) + 0.5) / 9007199254740992.0;
}

static void direction(double length, double to[3])
{
    const double z = 2 * uniform() - 1, angle = 6.283185307179586 * uniform();
    to[0] = length * sqrt(1 - z * z) * cos(angle);
    to[1] = length * sqrt(1 - z * z) * sin(angle);
    to[2] = length * z;
}

static void sphere(void) /* Aarseth, Henon & Wielen (1974) */
{
    const double radius = 3 * 3.141592653589793 / 16;
    double mean_x[3] = {0}, mean_v[3] = {0};
    for (int i = 0; i < n; ++i) {
        const double r = 1 / sqrt(pow(uniform(), -2.0 / 3) - 1);
        double q, g;
        do
            q = uniform(), g = 0.1 * uniform();
        while (g > q * q * pow(1 - q * q, 3.5));
        m[i] = 1.0 / n;
        direction(radius * r, x[i]);
        direction(q * sqrt(2) * pow(1 + r * r, -0.25) / sqrt(radius), v[i]);
        for (int d = 0; d < 3; ++d)
            mean_x[d] += x[i][d] / n, mean_v[d] += v[i][d] / n;
    }
    for (int i = 0; i < n; ++i)
        for (int d = 0; d < 3; ++d)
            x[i][d] -= mean_x[d], v[i][d] -= mean_v[d];
}

static void send(int i, const double a2[3]) /* a2: second derivative of a */
{
    double snap[3], jerk[3], half[3];
    for (int d = 0; d < 3; ++d) {
        snap[d] = a2[d] / 18;
        jerk[d] = j[i][d] / 6;
        half[d] = a[i][d] / 2;
    }
    g6_set_j_particle(cluster, i, i, t[i], dt[i], m[i], snap, jerk, half, v[i], x[i]);
}

/* Forces at time `now` on the stars of a block, predicted to xi and vi. */
static int forces(double now, int ni, int* block, double (*xi)[3], double (*vi)[3], double (*ai)[3],
                  double (*ji)[3], double* pi)
{
    static double h2[n], zero[n][3];
    int status = 0;
    g6_set_ti(cluster, now);
    for (int first = 0; first < ni; first += g6_npipes()) {
        const int count = ni - first < g6_npipes() ? ni - first : g6_npipes();
        g6calc_firsthalf(cluster, n, count, block + first, xi + first, vi + first, zero, zero, pi,
                         eps * eps, h2);
        status |= g6calc_lasthalf(cluster, n, count, block + first, xi + first, vi + first,
                                  eps * eps, h2, ai + first, ji + first, pi + first);
    }
    return status;
}

static double size(const double y[3])
{
    return sqrt(y[0] * y[0] + y[1] * y[1] + y[2] * y[2]);
}

static double energy(void)
{
    double sum = 0;
    for (int i = 0; i < n; ++i)
        sum += 0.5 * m[i] * (size(v[i]) * size(v[i]) + phi[i]);
    return sum;
}

static void correct(int i, double now, double xi[3], double vi[3], double ai[3], double ji[3])
{
    const double h = now - t[i];
    double a2[3], a3[3];
    for (int d = 0; d < 3; ++d) {
        a2[d] = (-6 * (a[i][d] - ai[d]) - h * (4 * j[i][d] + 2 * ji[d])) / (h * h);
        a3[d] = (12 * (a[i][d] - ai[d]) + 6 * h * (j[i][d] + ji[d])) / (h * h * h);
        x[i][d] = xi[d] + h * h * h * h * (a2[d] / 24 + h * a3[d] / 120);
        v[i][d] = vi[d] + h * h * h * (a2[d] / 6 + h * a3[d] / 24);
        a[i][d] = ai[d], j[i][d] = ji[d];
        a2[d] += h * a3[d]; /* at the end of the step */
    }
    t[i] = now;
    const double wanted = sqrt(eta * (size(ai) * size(a2) + size(ji) * size(ji)) /
                               (size(ji) * size(a3) + size(a2) * size(a2)));
    if (wanted < dt[i])
        dt[i] /= 2;
    else if (wanted > 2 * dt[i] && dt[i] < longest && fmod(now, 2 * dt[i]) == 0)
        dt[i] *= 2;
    send(i, a2);
}

int main(void)
{
    static double xi[n][3], vi[n][3], ai[n][3], ji[n][3], pi[n], zero[3];
    static int block[n];
    long long steps = 0;
    sphere();
    if (g6_open(cluster) != 0)
        return 1;
    g6_set_tunit(51);
    g6_set_xunit(51);
    for (int i = 0; i < n; ++i)
        block[i] = i, send(i, zero);
    int status = forces(0, n, block, x, v, a, j, phi);
    const double before = energy();
    for (int i = 0; i < n; ++i) {
        const double wanted = 0.1 * eta * size(a[i]) / size(j[i]);
        for (dt[i] = longest; dt[i] > wanted; dt[i] /= 2)
            ;
        send(i, zero);
    }
    for (double now = 0; now < t_end && status == 0;) {
        int ni = 0;
        now = t[0] + dt[0];
        for (int i = 1; i < n; ++i)
            now = fmin(now, t[i] + dt[i]);
        for (int i = 0; i < n; ++i)
            if (t[i] + dt[i] == now) {
                const double h = now - t[i];
                block[ni] = i;
                for (int d = 0; d < 3; ++d) {
                    xi[ni][d] = x[i][d] + h * (v[i][d] + h * (a[i][d] / 2 + h * j[i][d] / 6));
                    vi[ni][d] = v[i][d] + h * (a[i][d] + h * j[i][d] / 2);
                }
                ++ni;
            }
        status = forces(now, ni, block, xi, vi, ai, ji, pi);
        for (int k = 0; k < ni && status == 0; ++k) {
            phi[block[k]] = pi[k];
            correct(block[k], now, xi[k], vi[k], ai[k], ji[k]);
        }
        steps += ni;
    }
    if (status != 0)
        fprintf(stderr, "%s\n", chm_g6_get_error());
    for (int i = 0; i < n; ++i)
        block[i] = i;
    status |= forces(t_end, n, block, x, v, a, j, phi); /* all stars are at t_end */
    const double after = energy();
    printf("%d stars, %lld steps to t = %g: energy %.4f, changed by %.1e of it\n", n, steps, t_end,
           after, fabs(after / before - 1));
    g6_close(cluster);
    return status == 0 && fabs(after / before - 1) < 1e-5 && fabs(after + 0.25) < 0.05 ? 0 : 1;
}
