/* A leapfrog in C with particles distributed over MPI processes: leapfrog [STEPS]. Each process
 * moves its local particles and gets their accelerations due to all particles. Particles and first
 * number printed are the same in all languages of docs/howto/embedding.md and on any number of
 * processes. */
#include <chamomile_mpi.h>
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

static uint64_t fnv1a(uint64_t hash, const void* data, size_t bytes)
{
    for (size_t k = 0; k < bytes; ++k)
        hash = (hash ^ ((const unsigned char*)data)[k]) * 1099511628211u;
    return hash;
}

static int rank, ranks;
static chm_mpi_forces* forces;

static void check(int status) /* the status is the same on all processes */
{
    if (status == CHM_OK)
        return;
    if (rank == 0)
        fprintf(stderr, "%s\n", chm_mpi_last_error(forces));
    MPI_Abort(MPI_COMM_WORLD, status);
}

static double x[n][3], v[n][3], a[n][3], m[n], phi[n]; /* of this process: the first `own` */
static int own;

/* Each process holds a contiguous range of all particles. */
static int first_of(int r)
{
    return (int)((int64_t)n * r / ranks);
}

static void make_particles(void)
{
    for (int i = 0; i < n; ++i) {
        double place[3], mass;
        for (int c = 0; c < 3; ++c) {
            const double u = 2 * uniform() - 1;
            place[c] = u * u * u;
        }
        mass = (0.5 + uniform()) / n;
        if (i < first_of(rank) || i >= first_of(rank + 1))
            continue;
        for (int c = 0; c < 3; ++c)
            x[own][c] = place[c];
        m[own++] = mass;
    }
}

static double energy(void)
{
    double mine = 0, all;
    for (int i = 0; i < own; ++i)
        mine += m[i] *
                (0.5 * (v[i][0] * v[i][0] + v[i][1] * v[i][1] + v[i][2] * v[i][2]) + 0.5 * phi[i]);
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

/* The hash is passed from process to process. */
static void print_accelerations(void)
{
    uint64_t hash = 14695981039346656037u;
    if (rank > 0)
        MPI_Recv(&hash, 1, MPI_UINT64_T, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    hash = fnv1a(hash, a, (size_t)own * sizeof a[0]);
    if (rank + 1 < ranks)
        MPI_Send(&hash, 1, MPI_UINT64_T, rank + 1, 0, MPI_COMM_WORLD);
    MPI_Bcast(&hash, 1, MPI_UINT64_T, ranks - 1, MPI_COMM_WORLD);
    if (rank == 0)
        printf("accelerations %016llx\n", (unsigned long long)hash);
}

static void evaluate(void)
{
    check(chm_mpi_evaluate(forces, own, chm_vectors(x[0]), chm_numbers(m), chm_vectors(a[0]),
                           chm_numbers(phi)));
}

static void kick(double step)
{
    for (int i = 0; i < own; ++i)
        for (int c = 0; c < 3; ++c)
            v[i][c] += step * a[i][c];
}

static void drift(double step)
{
    for (int i = 0; i < own; ++i)
        for (int c = 0; c < 3; ++c)
            x[i][c] += step * v[i][c];
}

int main(int words, char** word)
{
    MPI_Init(&words, &word);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int steps = words > 1 ? atoi(word[1]) : 10;
    const double step = 0.002;
    make_particles();

    check(chm_mpi_create(MPI_COMM_WORLD, &forces));
    check(chm_mpi_set_option(forces, "softening", "0.01"));
    evaluate();
    if (rank == 0)
        printf("%s on %d processes: %s\n", chm_version(), ranks, chm_mpi_device(forces));
    print_accelerations();

    const double start = energy();
    for (int k = 0; k < steps; ++k) { /* kick, drift, kick */
        kick(0.5 * step);
        drift(step);
        evaluate();
        kick(0.5 * step);
    }
    const double change = fabs(energy() / start - 1);
    if (rank == 0)
        printf("energy %.6f, changed by %.1e in %d steps\n", start, change, steps);
    chm_mpi_destroy(forces);
    MPI_Finalize();
    return change < 1e-4 ? 0 : 1;
}
