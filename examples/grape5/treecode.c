/* A Barnes-Hut treecode for GRAPE-5 (Barnes 1990; Makino 1991). The host walks its tree once per
 * group of particles and sends the interaction list (cells as monopoles, and particles) to the
 * board. The potential energy of a Plummer sphere of mass and radius 1 is -3 pi / 32. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gp5util.h"

enum { n = 20000, leaf_size = 8, group_size = 256, max_cells = 8 * n };
static const double eps = 0.01, theta = 0.6;

typedef struct {
    double center[3], half, mass, x[3];
    int begin, end, child; /* child: first of 8 consecutive children, 0 for a leaf */
} cell;

static double x[n][3], m[n], a[n][3], p[n];
static cell cells[max_cells];
static int used = 1;
static double list_x[n][3], list_m[n];
static int list_n;

static double uniform(void) /* in (0, 1) */
{
    static unsigned long long state = 88172645463325252ULL;
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return ((double)(state >> 11) + 0.5) / 9007199254740992.0;
}

static void sphere(void)
{
    for (int k = 0; k < n; ++k) {
        const double r = 1 / sqrt(pow(uniform(), -2.0 / 3) - 1), z = 2 * uniform() - 1;
        const double phi = 6.283185307179586 * uniform(), s = sqrt(1 - z * z);
        x[k][0] = r * s * cos(phi), x[k][1] = r * s * sin(phi), x[k][2] = r * z;
        m[k] = 1.0 / n;
    }
}

static int octant(const cell* c, const double* y)
{
    return (y[0] > c->center[0]) + 2 * (y[1] > c->center[1]) + 4 * (y[2] > c->center[2]);
}

static int by_octant(cell* c, int begin, int o) /* moves particles of octant o to the front */
{
    for (int k = begin; k < c->end; ++k)
        if (octant(c, x[k]) == o) {
            double t[3];
            memcpy(t, x[k], sizeof t), memcpy(x[k], x[begin], sizeof t);
            memcpy(x[begin++], t, sizeof t);
        }
    return begin;
}

static void build(cell* c)
{
    for (int k = c->begin; k < c->end; ++k) {
        c->mass += m[k];
        for (int d = 0; d < 3; ++d)
            c->x[d] += m[k] * x[k][d];
    }
    for (int d = 0; d < 3 && c->mass > 0; ++d)
        c->x[d] /= c->mass;
    if (c->end - c->begin <= leaf_size)
        return;
    c->child = used;
    used += 8;
    if (used > max_cells)
        exit(1);
    int begin = c->begin;
    for (int o = 0; o < 8; ++o) {
        cell* daughter = &cells[c->child + o];
        daughter->half = c->half / 2;
        for (int d = 0; d < 3; ++d)
            daughter->center[d] = c->center[d] + ((o >> d & 1) ? 1 : -1) * daughter->half;
        daughter->begin = begin;
        daughter->end = begin = by_octant(c, begin, o);
        build(daughter);
    }
}

static void walk(const cell* c, const cell* group)
{
    double d2 = 0;
    for (int d = 0; d < 3; ++d) {
        const double gap = fabs(c->x[d] - group->center[d]) - group->half;
        d2 += gap > 0 ? gap * gap : 0;
    }
    if (4 * c->half * c->half < theta * theta * d2) {
        memcpy(list_x[list_n], c->x, sizeof c->x);
        list_m[list_n++] = c->mass;
    } else if (c->child) {
        for (int o = 0; o < 8; ++o)
            walk(&cells[c->child + o], group);
    } else {
        for (int k = c->begin; k < c->end; ++k) {
            memcpy(list_x[list_n], x[k], sizeof x[k]);
            list_m[list_n++] = m[k];
        }
    }
}

static long long pairs;

static void forces(const cell* c)
{
    if (c->end - c->begin > group_size) {
        for (int o = 0; o < 8; ++o)
            forces(&cells[c->child + o]);
        return;
    }
    if (c->end == c->begin)
        return;
    const int ni = c->end - c->begin;
    list_n = 0;
    walk(cells, c);
    g5_set_xmj(0, list_n, list_x, list_m);
    g5_set_n(list_n);
    g5_calculate_force_on_x(x + c->begin, a + c->begin, p + c->begin, ni);
    pairs += (long long)ni * list_n;
}

int main(void)
{
    static double exact[n][3], depth[n];
    sphere();
    cells[0].end = n;
    for (int k = 0; k < n; ++k)
        for (int d = 0; d < 3; ++d)
            cells[0].half = fmax(cells[0].half, fabs(x[k][d]));
    build(cells);

    g5_open();
    g5_set_range(-cells[0].half, cells[0].half, 1.0 / n);
    g5_set_eps_to_all(eps);
    forces(cells);
    g5_set_xmj(0, n, x, m); /* all pairs, for comparison */
    g5_set_n(n);
    g5_calculate_force_on_x(x, exact, depth, n);
    if (*g5_get_error())
        fprintf(stderr, "%s\n", g5_get_error());
    g5_close();

    double error = 0, size = 0, energy = 0;
    for (int k = 0; k < n; ++k) {
        for (int d = 0; d < 3; ++d) {
            error += (a[k][d] - exact[k][d]) * (a[k][d] - exact[k][d]);
            size += exact[k][d] * exact[k][d];
        }
        energy -= 0.5 * m[k] * (p[k] - m[k] / eps); /* p is +sum m / u, including the particle */
    }
    printf("%d particles, %.0f of %d on a list: rms error %.1e, energy %.4f, exactly %.4f\n", n,
           (double)pairs / n, n, sqrt(error / size), energy, -3 * 3.141592653589793 / 32);
    return sqrt(error / size) < 5e-3 && fabs(energy + 0.2945) < 0.01 ? 0 : 1;
}
