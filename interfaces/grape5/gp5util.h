/* The calls of the GRAPE-5 library as in Phantom-GRAPE and sapporo2. Existing codes link
 * libchamomile_g5 instead without changes. Fortran: the same names, all arguments by reference.
 *
 *     a_i = sum_j m_j (x_j - x_i) / u^3     p_i = +sum_j m_j / u     u^2 = r^2 + eps^2     (G = 1)
 *
 * The potential is positive, as in Phantom-GRAPE. It is negative in sapporo2:
 * chm_g5_set_potential_sign. A target that is also a source interacts with itself: m / eps in its
 * potential and no force; without softening coincident pairs are skipped. Arrays of j-particles are
 * read at xj[adr] to xj[adr + nj - 1]: the pointer refers to address 0. Any number may be loaded in
 * pieces in any order. g5_set_n sets the number to sum over, from address 0.
 *
 * Sums are computed in single precision relative to the targets and added in double. The
 * environment variables CHAMOMILE_DEVICE (auto, cpu, gpu, gpu:1) and CHAMOMILE_PRECISION (float,
 * double) select device and precision. Nothing prints or exits: after an error results are NaN
 * (after a loading error, until g5_open or g5_close), and g5_get_error() returns the reason. */
#ifndef CHAMOMILE_GP5UTIL_H
#define CHAMOMILE_GP5UTIL_H

#ifdef __cplusplus
extern "C" {
#endif

/* Both clear force tables and loading errors. g5_open also clears g5_get_error(), g5_close frees
 * all loaded data. */
void g5_open(void);
void g5_close(void);
int g5_open_special(int ndev, int* list); /* list is ignored; returns 0 */

/* Number of i-particles to pass to g5_set_xi at a time (16384, or CHAMOMILE_PIPES in the
 * environment), and max number of j-particles (16777216). */
int g5_get_number_of_pipelines(void);
int g5_get_jmemsize(void);
int g5_get_number_of_pipelines_per_board(void);
int g5_get_number_of_real_pipelines(void); /* 1, like the next two */
int g5_get_number_of_boards(void);
int g5_get_pcibus_freq(void);
int g5_get_firstcluster(void); /* 0 */

void g5_set_range(double xmin, double xmax, double mmin); /* no effect */

void g5_set_n(int nj);
void g5_set_xj(int adr, int nj, double (*xj)[3]);
void g5_set_mj(int adr, int nj, double* mj);
void g5_set_jp(int adr, int nj, double* mj, double (*xj)[3]);
/* u^2 = r^2 + eps_i^2 + eps_j^2, for codes compiled with SYMMETRIC. Any adr. */
void chm_g5_set_xmj_symmetric(int adr, int nj, double (*xj)[3], double* mj, double* epsj2);
void chm_g5_set_xmjMC_symmetric(int devid, int adr, int nj, double (*xj)[3], double* mj,
                                double* epsj2);
#ifdef SYMMETRIC
#define g5_set_xmj chm_g5_set_xmj_symmetric
#define g5_set_xmjMC chm_g5_set_xmjMC_symmetric
#else
void g5_set_xmj(int adr, int nj, double (*xj)[3], double* mj);
void g5_set_xmjMC(int devid, int adr, int nj, double (*xj)[3], double* mj);
#endif

/* For i-particles loaded later. */
void g5_set_eps_to_all(double eps);
void g5_set_eps2_to_all(double eps2);

void g5_set_xi(int ni, double (*xi)[3]);
void g5_set_xei(int ni, double (*xi)[3], double* eps2); /* squares */
void g5_set_eps(int ni, double* eps);                   /* not squared; after g5_set_xi */
void g5_run(void);
void g5_get_force(int ni, double (*a)[3], double* p);

/* All steps in one call, for any ni. */
void g5_calculate_force_on_x(double (*x)[3], double (*a)[3], double* p, int ni);
void g5_calculate_force_on_xe(double (*x)[3], double* eps2, double (*a)[3], double* p, int ni);

/* The same with separate memory and pipelines: devid 0 to 1023; the calls above use devid 0.
 * Different threads may use different devids at the same time. */
void g5_set_nMC(int devid, int nj);
void g5_set_xiMC(int devid, int ni, double (*xi)[3]);
void g5_set_xeiMC(int devid, int ni, double (*xi)[3], double* eps2);
void g5_set_epsMC(int devid, int ni, double* eps);
void g5_runMC(int devid);
void g5_get_forceMC(int devid, int ni, double (*a)[3], double* p);
void g5_calculate_force_on_xMC(int devid, double (*x)[3], double (*a)[3], double* p, int ni);
void g5_calculate_force_on_xeMC(int devid, double (*x)[3], double* eps2, double (*a)[3], double* p,
                                int ni);

/* Cells: qj = sum m (3 d d - d^2 1) about their centers of mass, as xx, xy, xz, yy, yz, zz. Cells
 * have separate memory. Targets are set by g5_set_xiMC, results are read by g5_get_forceMC. */
void g5c_set_nMC(int devid, int nj);
void g5c_set_xmjMC(int devid, int adr, int nj, double (*xj)[3], double* mj, double (*qj)[6]);
void g5c_runMC(int devid);
void g5c_calculate_force_on_xMC(int devid, double (*x)[3], double (*a)[3], double* p, int ni);
void g5c_set_xmjMC0(int devid, int adr, int nj, double (*xj)[3], double* mj, double (*qj)[6]);
void g5c_runMC0(int devid);
void g5c_calculate_force_on_xMC0(int devid, double (*x)[3], double (*a)[3], double* p, int ni);

/* Until g5_open or g5_close, the force is a_i = sum m_j f(r) (x_j - x_i) for r < rcut, without
 * softening, with potentials 0, computed on the CPU. S2: force of clouds of diameter sft_PP minus
 * force of clouds of diameter sft_PM. */
void pg5_gen_force_table(double (*f)(double r), double rcut);
void pg5_gen_s2_force_table(double sft_PP, double sft_PM);
void pg5_set_xscale(double xscale); /* no effect: tables need no scale */
void g5_set_eta(double eta);        /* no effect, as in Phantom-GRAPE */
/* Not supported: always an error. */
void g5_set_cutoff_table(double (*ffunc)(double), double fcut, double fcor, double (*pfunc)(double),
                         double pcut, double pcor);

/* The first error since g5_open(), in any thread; empty if none. */
const char* g5_get_error(void); /* Fortran: call chm_g5_error_text(text), character(len=*) */

/* +1 (Phantom-GRAPE, the default) or -1 (sapporo2), for all results fetched later. */
void chm_g5_set_potential_sign(int sign);

#ifdef __cplusplus
}
#endif

#endif
