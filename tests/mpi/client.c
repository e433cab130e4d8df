/* A host whose particles lie on the processes of MPI, for check_mpi.py: client CASE [WORDS].
 * Process 0 prints what it finds; of a bad call each process prints its status and line. */
#define _DEFAULT_SOURCE
#include <chamomile_mpi.h>
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int rank, ranks;
static chm_mpi_forces* forces;
static const chm_view none;

static double uniform(void) /* of Park & Miller (1988) */
{
    static int64_t state = 1;
    state = 16807 * state % 2147483647;
    return (double)state / 2147483647.0;
}

static void end(const char* what, const char* line)
{
    fprintf(stderr, "rank %d: %s: %s\n", rank, what, line);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void check(const char* what, int status)
{
    if (status != CHM_OK)
        end(what, chm_mpi_last_error(forces));
}

/* The particles of all, on each process: a cloud with a dense middle. */
typedef struct Cloud {
    int n;
    double *x, *m, *a, *phi, *eps;
} Cloud;

static Cloud cloud_of(int n)
{
    Cloud cloud = {n, NULL, NULL, NULL, NULL, NULL};
    cloud.x = calloc((size_t)(9 * n + 1), sizeof(double));
    cloud.m = cloud.x + 3 * n;
    cloud.a = cloud.m + n;
    cloud.phi = cloud.a + 3 * n;
    cloud.eps = cloud.phi + n;
    for (int i = 0; i < n; ++i) {
        for (int c = 0; c < 3; ++c) {
            const double u = 2 * uniform() - 1;
            cloud.x[3 * i + c] = u * u * u;
        }
        cloud.m[i] = (0.5 + uniform()) / n;
        cloud.eps[i] = i % 3 ? 0.02 : 0.1;
    }
    return cloud;
}

/* The forces by one process, through the C interface. */
static void solve_alone(Cloud cloud, const char* precision, const char* solver, const char* device,
                        int has_lengths)
{
    chm_context* field;
    if (chm_create(&field) != CHM_OK || chm_set_option(field, "softening", "0.02") ||
        chm_set_option(field, "precision", precision) || chm_set_option(field, "G", "2.5") ||
        chm_set_option(field, "device", device) || chm_set_option(field, "solver", solver) ||
        (!has_lengths && chm_solve(field, cloud.n, cloud.m, cloud.x, cloud.a, cloud.phi)))
        end("one process", chm_last_error(field));
    if (has_lengths) {
        const int64_t in = sizeof(double);
        const chm_view x = chm_view_aos(cloud.x, 3 * in, CHM_FLOAT64, CHM_HOST),
                       m = chm_view_numbers(cloud.m, in, CHM_FLOAT64, CHM_HOST),
                       eps = chm_view_numbers(cloud.eps, in, CHM_FLOAT64, CHM_HOST);
        const chm_results all = {chm_view_aos(cloud.a, 3 * in, CHM_FLOAT64, CHM_HOST),
                                 chm_view_numbers(cloud.phi, in, CHM_FLOAT64, CHM_HOST), none,
                                 none};
        if (chm_set_sources(field, cloud.n, x, m, none) || chm_set_softenings(field, eps) ||
            chm_build(field) || chm_eval_active(field, cloud.n, NULL, &all))
            end("one process, softening lengths", chm_last_error(field));
    }
    chm_destroy(field);
}

/* How the particles are dealt: whose is particle i? */
static int owner_of(const char* deal, int i, int n)
{
    if (strcmp(deal, "blocks") == 0)
        return (int)((int64_t)i * ranks / n);
    if (strcmp(deal, "cards") == 0)
        return i % ranks;
    if (strcmp(deal, "empty") == 0) /* process 1 has none, the others unequal parts */
        return ranks < 3 ? 0 : i % 5 < 4 ? 0 : ranks - 1;
    return ranks - 1; /* last: one has all */
}

typedef struct Own { /* of this process, in records */
    double x[3];
    float mass, potential;
    double a[3], eps;
    int64_t number;
} Own;

static int own_of(Cloud cloud, const char* deal, Own* own)
{
    int n = 0;
    for (int i = cloud.n - 1; i >= 0; --i) /* in an order of its own, but for blocks */
        if (owner_of(deal, i, cloud.n) == rank)
            own[n++].number = i;
    for (int k = 0; strcmp(deal, "blocks") == 0 && k < n / 2; ++k) {
        const Own first = own[k];
        own[k] = own[n - 1 - k];
        own[n - 1 - k] = first;
    }
    for (int k = 0; k < n; ++k) {
        memcpy(own[k].x, cloud.x + 3 * own[k].number, sizeof own[k].x);
        own[k].mass = (float)cloud.m[own[k].number];
        own[k].eps = cloud.eps[own[k].number];
    }
    return n;
}

static int evaluate(Own* own, int n, int with_potential)
{
    const int64_t step = sizeof *own;
    return chm_mpi_evaluate(
        forces, n, chm_view_aos(own->x, step, CHM_FLOAT64, CHM_HOST),
        chm_view_numbers(&own->mass, step, CHM_FLOAT32, CHM_HOST),
        chm_view_aos(own->a, step, CHM_FLOAT64, CHM_HOST),
        with_potential ? chm_view_numbers(&own->potential, step, CHM_FLOAT32, CHM_HOST) : none);
}

static void set(const char* key, const char* value)
{
    check(key, chm_mpi_set_option(forces, key, value));
}

/* forces N DEAL PRECISION SOLVER [DEVICE [lengths]]: the difference from one process, relative to
 * the rms of all, and how many accelerations have other bits. */
static void compare(int n, const char* deal, const char* precision, const char* solver,
                    const char* device, int has_lengths)
{
    Cloud cloud = cloud_of(n);
    Own* own = calloc((size_t)(n + 1), sizeof *own);
    for (int i = 0; i < n; ++i)
        cloud.m[i] = (float)cloud.m[i];
    solve_alone(cloud, precision, solver, device, has_lengths);
    set("device", device);
    if (strcmp(device, "cpu") != 0)
        set("share_gpu", "true");
    set("softening", "0.02");
    set("G", "2.5");
    set("precision", precision);
    set("solver", solver);
    const int mine = own_of(cloud, deal, own);
    if (has_lengths)
        check("softenings",
              chm_mpi_set_softenings(
                  forces, mine > 0 ? chm_view_numbers(&own->eps, sizeof *own, CHM_FLOAT64, CHM_HOST)
                                   : none));
    double sums[5] = {0}, all[5];
    for (int turn = 0; turn < 3; ++turn) { /* with domains by work, and without potentials */
        check("evaluate", evaluate(own, mine, turn < 2));
        for (int k = 0; k < mine; ++k) {
            const int64_t i = own[k].number;
            for (int c = 0; c < 3; ++c) {
                const double truth = cloud.a[3 * i + c], difference = own[k].a[c] - truth;
                sums[0] += difference * difference;
                sums[1] += truth * truth;
                sums[2] += difference != 0;
            }
            sums[3] += pow(own[k].potential - cloud.phi[i], 2);
            sums[4] += pow(cloud.phi[i], 2);
        }
    }
    MPI_Reduce(sums, all, 5, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("rms %.3e potential %.3e other bits %.0f\n", sqrt(all[0] / all[1]),
               sqrt(all[3] / all[4]), all[2]);
    free(cloud.x);
    free(own);
}

/* What process 1 gives wrong; returns the status. */
static int call_badly(const char* what, Own* own, int n)
{
    const int bad = rank == 1;
    const int64_t step = sizeof *own;
    const chm_view x = chm_view_aos(own->x, step, CHM_FLOAT64, CHM_HOST),
                   a = chm_view_aos(own->a, step, CHM_FLOAT64, CHM_HOST);
    chm_view other = x;
    if (strcmp(what, "unknown key") == 0)
        return chm_mpi_set_option(forces, bad ? "softenin" : "softening", "0.02");
    if (strcmp(what, "value") == 0)
        return chm_mpi_set_option(forces, "softening", bad ? "-1" : "0.02");
    if (strcmp(what, "no value") == 0)
        return chm_mpi_set_option(forces, "softening", bad ? NULL : "0.02");
    if (strcmp(what, "other option") == 0) {
        set("theta", bad ? "0.4" : "0.5");
        return evaluate(own, n, 0);
    }
    if (strcmp(what, "box") == 0) {
        set("box", bad ? "5" : "4");
        return evaluate(own, n, 0);
    }
    if (strcmp(what, "idle") == 0) {
        set("share_gpu", bad ? "true" : "false");
        return evaluate(own, n, 0);
    }
    if (strcmp(what, "other call") == 0)
        return bad ? evaluate(own, n, 0) : chm_mpi_set_option(forces, "softening", "0.02");
    if (strcmp(what, "not finite") == 0) {
        if (bad)
            own[7].x[1] = NAN;
        return evaluate(own, n, 0);
    }
    if (strcmp(what, "twins") == 0) {
        set("softening", "0");
        if (bad)
            memcpy(own[7].x, own[3].x, sizeof own->x);
        return evaluate(own, n, 0);
    }
    if (strcmp(what, "potential") == 0)
        return evaluate(own, n, bad);
    if (strcmp(what, "number") == 0)
        return chm_mpi_evaluate(forces, bad ? -3 : n, x, none, a, none);
    if (strcmp(what, "no positions") == 0)
        return chm_mpi_evaluate(forces, n, bad ? none : x, none, a, none);
    if (strcmp(what, "no room") == 0)
        return chm_mpi_evaluate(forces, n, x, none, bad ? none : a, none);
    if (strcmp(what, "overlap") == 0)
        return chm_mpi_evaluate(forces, n, x, none, bad ? x : a, none);
    if (strcmp(what, "some softenings") == 0 || strcmp(what, "softening") == 0) {
        own->eps = bad ? -1 : 0.1;
        check("softenings",
              chm_mpi_set_softenings(
                  forces, bad && strcmp(what, "softening") != 0
                              ? none
                              : chm_view_numbers(&own->eps, step, CHM_FLOAT64, CHM_HOST)));
        return chm_mpi_evaluate(forces, n, x, none, a, none);
    }
    if (strcmp(what, "place") == 0)
        other.place = bad ? CHM_GPU : CHM_HOST;
    else if (strcmp(what, "type") == 0)
        other.type = bad ? 9 : CHM_FLOAT64;
    else
        end("case", what);
    return chm_mpi_evaluate(forces, n, other, none, a, none);
}

/* bad WHAT: status and line of each process, and that all go on afterwards. */
static void refuse(const char* what)
{
    Cloud cloud = cloud_of(600);
    Own* own = calloc(600, sizeof *own);
    set("softening", "0.02");
    const int mine = own_of(cloud, "cards", own), status = call_badly(what, own, mine);
    char line[300];
    snprintf(line, sizeof line, "%d: %s", status, chm_mpi_last_error(forces));
    char* all = calloc((size_t)ranks, sizeof line);
    MPI_Gather(line, sizeof line, MPI_CHAR, all, sizeof line, MPI_CHAR, 0, MPI_COMM_WORLD);
    for (int r = 0; rank == 0 && r < ranks; ++r)
        printf("%s\n", all + (size_t)r * sizeof line);
    own_of(cloud, "cards", own);
    set("softening", "0.02");
    set("box", "0");
    set("theta", "0.5");
    set("share_gpu", "false");
    check("softenings", chm_mpi_set_softenings(forces, none));
    check("after the fault", evaluate(own, mine, 1));
    free(all);
    free(own);
    free(cloud.x);
}

/* some: process 1 is not in the communicator of the others. */
static void compute_with_some(void)
{
    Cloud cloud = cloud_of(300);
    Own* own = calloc(300, sizeof *own);
    MPI_Comm some;
    MPI_Comm_split(MPI_COMM_WORLD, rank == 1, rank, &some);
    chm_mpi_destroy(forces);
    check("create", chm_mpi_create(some, &forces));
    MPI_Comm_free(&some); /* a copy is kept */
    if (rank != 1)
        check("some processes", evaluate(own, own_of(cloud, "cards", own), 0));
    if (rank == 0)
        printf("%s\n", chm_mpi_device(forces));
    free(own);
    free(cloud.x);
}

static void stay_silent(int signal)
{
    (void)signal;
    const struct timespec while_ = {2, 0};
    nanosleep(&while_, NULL);
    alarm(1); /* again, where no call was under way */
}

/* fail memory|silent: process 1 fails within a call, by what it is given in its environment or by
 * sleeping. Each process tells the status and the line of that call, and of the next one. */
static void fail(const char* what)
{
    Cloud cloud = cloud_of(600);
    Own* own = calloc(600, sizeof *own);
    const int n = own_of(cloud, "cards", own);
    int status = CHM_OK;
    set("peer_timeout", "1");
    set("softening", "0.02");
    if (strcmp(what, "silent") == 0 && rank == 1) {
        signal(SIGALRM, stay_silent);
        alarm(1);
    }
    for (int turn = 0; turn < 1000000 && status == CHM_OK; ++turn)
        status = evaluate(own, n, 0);
    alarm(0);
    printf("%d: %s\n", status, chm_mpi_last_error(forces));
    printf("%d: next\n", evaluate(own, n, 0));
    fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int words, char** word)
{
    int status;
    chm_mpi_forces* early;
    if (words < 2)
        return 2;
    status = chm_mpi_create(MPI_COMM_WORLD, &early);
    if (status != CHM_USAGE || !strstr(chm_mpi_last_error(NULL), "MPI_Init()"))
        return 3;
    MPI_Init(&words, &word);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    check("create", chm_mpi_create(MPI_COMM_WORLD, &forces));
    set("device", "cpu");
    if (strcmp(word[1], "forces") == 0)
        compare(atoi(word[2]), word[3], word[4], word[5], words > 6 ? word[6] : "cpu", words > 7);
    else if (strcmp(word[1], "bad") == 0)
        refuse(word[2]);
    else if (strcmp(word[1], "handle") == 0) { /* process 1 gives no place for it */
        chm_mpi_destroy(forces);
        forces = NULL;
        status = chm_mpi_create(MPI_COMM_WORLD, rank == 1 ? NULL : &early);
        printf("%d: %s\n", status, chm_mpi_last_error(NULL));
    } else if (strcmp(word[1], "some") == 0)
        compute_with_some();
    else if (strcmp(word[1], "fail") == 0)
        fail(word[2]);
    else
        end("case", word[1]);
    chm_mpi_destroy(forces);
    MPI_Finalize();
    return 0;
}
