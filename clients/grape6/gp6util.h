/* The calls of the GRAPE-6 library as Phantom-GRAPE, sapporo2 and AMUSE's g6lib have them: old
 * codes link libchamomile_g6 instead and change nothing. Each call also has its Fortran form, with
 * a trailing underscore and all arguments by reference.
 *
 *     a_i = sum_j m_j r / u^3     jerk_i = sum_j m_j [v / u^3 - 3 (r.v) r / u^5]
 *     pot_i = -sum_j m_j / u      u^2 = r^2 + eps2, r = x_j - x_i, v = v_j - v_i     (G = 1)
 *
 * over the j-particles at addresses 0 to nj - 1, without those whose index is that of the target.
 * They are predicted to the time of g6_set_ti by all derivatives that g6_set_j_particle takes,
 * which are snap / 18, jerk / 6, acceleration / 2. Addresses are loaded in any order, indices are
 * any numbers. cl, any number from 0, names a memory of its own.
 *
 * Nearest neighbours and neighbour lists hold indices; distances are without softening and compared
 * in double; lists are ascending. Forces are summed in single precision about the targets and added
 * in double. CHAMOMILE_DEVICE (auto, cpu, gpu, gpu:1) and CHAMOMILE_PRECISION (float, double) in
 * the environment choose machine and precision. Nothing overflows, so that nothing need be retried:
 * a call that returns a number other than 0 had a fault, of which chm_g6_get_error() tells, and
 * filled its results with NaN. A fault in loading stays until g6_open or g6_close. Nothing exits,
 * and nothing prints but one line, once, on standard error: where a cluster is used that was not
 * opened, or particles that were not loaded. */
#ifndef CHAMOMILE_GP6UTIL_H
#define CHAMOMILE_GP6UTIL_H

#ifdef __cplusplus
extern "C" {
#endif

int g6_open(int cl); /* empties the memory, forgets faults */
int g6_close(int cl);
int g6_open_special(int ndev, int* list); /* cluster 0; the list is not looked at */

/* How many targets a code should send at a time: 48 as the boards and Phantom-GRAPE had, which
 * codes may have arrays for, or CHAMOMILE_PIPES in the environment. Any number is taken. */
int g6_npipes(void);

/* Nothing; ints and doubles are both taken. */
int g6_set_tunit(int tunit);
int g6_set_xunit(int xunit);

int g6_set_ti(int cl, double ti);
int g6_set_j_particle(int cl, int address, int index, double tj, double dtj, double mass,
                      double a2by18[3], double a1by6[3], double aby2[3], double v[3], double x[3]);

/* aold, j6old, phiold are not looked at. h2 may be NULL where no lists are wanted. */
void g6calc_firsthalf(int cl, int nj, int ni, int index[], double xi[][3], double vi[][3],
                      double aold[][3], double j6old[][3], double phiold[], double eps2,
                      double h2[]);
int g6calc_lasthalf(int cl, int nj, int ni, int index[], double xi[][3], double vi[][3],
                    double eps2, double h2[], double acc[][3], double jerk[][3], double pot[]);
/* nnb: index of the nearest, -1 if there is none. rnnb: its distance. */
int g6calc_lasthalf2(int cl, int nj, int ni, int index[], double xi[][3], double vi[][3],
                     double eps2, double h2[], double acc[][3], double jerk[][3], double pot[],
                     int nnb[]);
int g6calc_lasthalf2p(int cl, int nj, int ni, int index[], double xi[][3], double vi[][3],
                      double eps2, double h2[], double acc[][3], double jerk[][3], double pot[],
                      int nnb[], float rnnb[]);
/* The same; lists can be had after any of them. */
int g6calc_lasthalfn(int cl, int nj, int ni, int index[], double xi[][3], double vi[][3],
                     double eps2, double h2[], double acc[][3], double jerk[][3], double pot[]);
int g6calc_lasthalf2n(int cl, int nj, int ni, int index[], double xi[][3], double vi[][3],
                      double eps2, double h2[], double acc[][3], double jerk[][3], double pot[],
                      int nnb[]);
int g6calc_lasthalf2np(int cl, int nj, int ni, int index[], double xi[][3], double vi[][3],
                       double eps2, double h2[], double acc[][3], double jerk[][3], double pot[],
                       int nnb[], float rnnb[]);

/* 0, or -1 for a fault: there is room for every list. */
int g6_read_neighbour_list(int cl);
/* Indices of the j-particles within h2 of target ipipe, from 0. 1 if there are more than maxlength:
 * then *n is maxlength and the list holds the first; -1: a fault. */
int g6_get_neighbour_list(int cl, int ipipe, int maxlength, int* n, int list[]);
/* Lists are sorted in every mode. */
int g6_set_neighbour_list_sort_mode(int mode);
int g6_get_neighbour_list_sort_mode(void);

/* Nothing. */
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

/* A particle at rest. */
int g6_set_j_particle_multisend_mxfast_(int* cl, int* nclusters, int* address, int* index,
                                        double* mass, double x[3]);

/* The first fault since g6_open(), of any thread; empty if there was none.
 * Fortran: call chm_g6_error_text(text), character(len=*). */
const char* chm_g6_get_error(void);

#ifdef __cplusplus
}
#endif

#endif
