/* The calls of the GRAPE-6 library as in Phantom-GRAPE, sapporo2 and AMUSE's g6lib. Existing codes
 * link libchamomile_g6 instead without changes. Each call also has a Fortran form, with a trailing
 * underscore and all arguments by reference.
 *
 *     a_i = sum_j m_j r / u^3     jerk_i = sum_j m_j [v / u^3 - 3 (r.v) r / u^5]
 *     pot_i = -sum_j m_j / u      u^2 = r^2 + eps2, r = x_j - x_i, v = v_j - v_i     (G = 1)
 *
 * over the j-particles at addresses 0 to nj - 1, excluding those with the target's index. They are
 * predicted to the time of g6_set_ti with all derivatives of g6_set_j_particle: snap / 18, jerk /
 * 6, acceleration / 2. Addresses may be loaded in any order, indices are arbitrary. cl, any number
 * from 0, selects a separate memory.
 *
 * Nearest neighbours and neighbour lists hold indices. Distances are unsoftened and compared in
 * double; lists are ascending. Forces are summed in single precision relative to the targets and
 * added in double. The environment variables CHAMOMILE_DEVICE (auto, cpu, gpu, gpu:1) and
 * CHAMOMILE_PRECISION (float, double) select device and precision. Nothing overflows, so no call
 * needs a retry: a call that returns non-zero had an error and filled its results with NaN;
 * chm_g6_get_error() returns the reason. A loading error persists until g6_open or g6_close.
 * Nothing exits, and nothing prints, except one line per process on standard error if a cluster is
 * used that was never opened, or particles that were never loaded. */
#ifndef CHAMOMILE_GP6UTIL_H
#define CHAMOMILE_GP6UTIL_H

#ifdef __cplusplus
extern "C" {
#endif

int g6_open(int cl); /* empties the memory, clears errors */
int g6_close(int cl);
int g6_open_special(int ndev, int* list); /* cluster 0; list is ignored */

/* Number of targets to send at a time: 48 as on the boards and in Phantom-GRAPE, since codes may
 * have fixed array sizes, or CHAMOMILE_PIPES in the environment. Any number is accepted. */
int g6_npipes(void);

/* No effect; int and double are both accepted. */
int g6_set_tunit(int tunit);
int g6_set_xunit(int xunit);

int g6_set_ti(int cl, double ti);
int g6_set_j_particle(int cl, int address, int index, double tj, double dtj, double mass,
                      double a2by18[3], double a1by6[3], double aby2[3], double v[3], double x[3]);

/* aold, j6old, phiold are ignored. h2 may be NULL if no lists are needed. */
void g6calc_firsthalf(int cl, int nj, int ni, int index[], double xi[][3], double vi[][3],
                      double aold[][3], double j6old[][3], double phiold[], double eps2,
                      double h2[]);
int g6calc_lasthalf(int cl, int nj, int ni, int index[], double xi[][3], double vi[][3],
                    double eps2, double h2[], double acc[][3], double jerk[][3], double pot[]);
/* nnb: index of the nearest, -1 if none. rnnb: its distance. */
int g6calc_lasthalf2(int cl, int nj, int ni, int index[], double xi[][3], double vi[][3],
                     double eps2, double h2[], double acc[][3], double jerk[][3], double pot[],
                     int nnb[]);
int g6calc_lasthalf2p(int cl, int nj, int ni, int index[], double xi[][3], double vi[][3],
                      double eps2, double h2[], double acc[][3], double jerk[][3], double pot[],
                      int nnb[], float rnnb[]);
/* The same; neighbour lists are available after any of them. */
int g6calc_lasthalfn(int cl, int nj, int ni, int index[], double xi[][3], double vi[][3],
                     double eps2, double h2[], double acc[][3], double jerk[][3], double pot[]);
int g6calc_lasthalf2n(int cl, int nj, int ni, int index[], double xi[][3], double vi[][3],
                      double eps2, double h2[], double acc[][3], double jerk[][3], double pot[],
                      int nnb[]);
int g6calc_lasthalf2np(int cl, int nj, int ni, int index[], double xi[][3], double vi[][3],
                       double eps2, double h2[], double acc[][3], double jerk[][3], double pot[],
                       int nnb[], float rnnb[]);

/* Returns 0, or -1 for an error: lists never overflow. */
int g6_read_neighbour_list(int cl);
/* Indices of the j-particles within h2 of target ipipe (from 0). Returns 1 if there are more than
 * maxlength: *n is then maxlength and the list holds the first. Returns -1 on error. */
int g6_get_neighbour_list(int cl, int ipipe, int maxlength, int* n, int list[]);
/* Lists are always sorted. */
int g6_set_neighbour_list_sort_mode(int mode);
int g6_get_neighbour_list_sort_mode(void);

/* No effect. */
int g6_initialize_jp_buffer(int cl, int size);
int g6_flush_jp_buffer(int cl);
int g6_flush_jp_buffer_and_multisend(int cl, int n);
int g6_reset(int cl);
int g6_reset_fofpga(int cl);
int g6_reinitialize(int cl);
int g6_setup_njdata(int cl, int nj);
int g6_set_njp(int cl, int nj);
int g6_print_chip_status(int cl);
int g6_set_overflow_flag_test_mode(int aflag, int jflag, int pflag);
void force_j_particle_send(void);
void g6_debugfunc(int value);
void g6_debugfunc_double(double value);
void g6_dump(double t, int n, double* m, double (*x)[3], double (*v)[3]);

/* Loads a particle at rest. */
int g6_set_j_particle_multisend_mxfast_(int* cl, int* nclusters, int* address, int* index,
                                        double* mass, double x[3]);

/* The first error since g6_open(), in any thread; empty if none.
 * Fortran: call chm_g6_error_text(text), character(len=*). */
const char* chm_g6_get_error(void);

#ifdef __cplusplus
}
#endif

#endif
