/* The calls of the GRAPE-5 library as Phantom-GRAPE and sapporo2 have them: old codes link
 * libchamomile_g5 instead and change nothing. Fortran: the same names, all arguments by reference.
 *
 *     a_i = sum_j m_j (x_j - x_i) / u^3     p_i = +sum_j m_j / u     u^2 = r^2 + eps^2     (G = 1)
 *
 * The potential is positive, as Phantom-GRAPE's; sapporo2's is negative: chm_g5_set_potential_sign.
 * A target that is a source too meets itself, which adds m / eps to its potential and no force;
 * without softening pairs at one place add nothing. Arrays of j-particles are read at xj[adr] to
 * xj[adr + nj - 1]: the pointer is that of the whole array. Any number may be loaded piece by
 * piece, in any order; g5_set_n says how many, from address 0, are summed.
 *
 * Sums are taken in single precision about the targets and added in double. CHAMOMILE_DEVICE (auto,
 * cpu, gpu, gpu:1) and CHAMOMILE_PRECISION (float, double) in the environment choose machine and
 * precision. Nothing prints or exits: after a fault results are NaN (after one in loading, until
 * g5_open or g5_close), and g5_get_error() says what was wrong. */
#ifndef CHAMOMILE_GP5UTIL_H
#define CHAMOMILE_GP5UTIL_H

#ifdef __cplusplus
extern "C" {
#endif

/* Forgets faults and force tables; closing frees all that was loaded. */
void g5_open(void);
void g5_close(void);
int g5_open_special(int ndev, int* list); /* the list is not looked at; 0 */

/* How many i-particles g5_set_xi is promised to take (16384, or CHAMOMILE_PIPES in the environment)
 * and how many j-particles there is room for (16777216). */
int g5_get_number_of_pipelines(void);
int g5_get_jmemsize(void);
int g5_get_number_of_pipelines_per_board(void);
int g5_get_number_of_real_pipelines(void); /* 1, as of the next two */
int g5_get_number_of_boards(void);
int g5_get_pcibus_freq(void);
int g5_get_firstcluster(void); /* 0 */

void g5_set_range(double xmin, double xmax, double mmin); /* nothing */

void g5_set_n(int nj);
void g5_set_xj(int adr, int nj, double (*xj)[3]);
void g5_set_mj(int adr, int nj, double* mj);
void g5_set_jp(int adr, int nj, double* mj, double (*xj)[3]);
/* u^2 = r^2 + eps_i^2 + eps_j^2; what codes compiled with SYMMETRIC mean. Any adr. */
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

/* Of i-particles loaded later. */
void g5_set_eps_to_all(double eps);
void g5_set_eps2_to_all(double eps2);

void g5_set_xi(int ni, double (*xi)[3]);
void g5_set_xei(int ni, double (*xi)[3], double* eps2); /* squares */
void g5_set_eps(int ni, double* eps);                   /* not squared; after g5_set_xi */
void g5_run(void);
void g5_get_force(int ni, double (*a)[3], double* p);

/* All of it, for any ni. */
void g5_calculate_force_on_x(double (*x)[3], double (*a)[3], double* p, int ni);
void g5_calculate_force_on_xe(double (*x)[3], double* eps2, double (*a)[3], double* p, int ni);

/* The same with memory and pipelines of their own: devid 0 to 1023; that of the calls above is 0.
 * Different threads may use different ones at the same time. */
void g5_set_nMC(int devid, int nj);
void g5_set_xiMC(int devid, int ni, double (*xi)[3]);
void g5_set_xeiMC(int devid, int ni, double (*xi)[3], double* eps2);
void g5_set_epsMC(int devid, int ni, double* eps);
void g5_runMC(int devid);
void g5_get_forceMC(int devid, int ni, double (*a)[3], double* p);
void g5_calculate_force_on_xMC(int devid, double (*x)[3], double (*a)[3], double* p, int ni);
void g5_calculate_force_on_xeMC(int devid, double (*x)[3], double* eps2, double (*a)[3], double* p,
                                int ni);

/* Cells: qj = sum m (3 d d - d^2 1) about their centres of mass, as xx, xy, xz, yy, yz, zz. They
 * have a memory of their own beside the j-particles; targets and results are g5_set_xiMC's and
 * g5_get_forceMC's. */
void g5c_set_nMC(int devid, int nj);
void g5c_set_xmjMC(int devid, int adr, int nj, double (*xj)[3], double* mj, double (*qj)[6]);
void g5c_runMC(int devid);
void g5c_calculate_force_on_xMC(int devid, double (*x)[3], double (*a)[3], double* p, int ni);
void g5c_set_xmjMC0(int devid, int adr, int nj, double (*xj)[3], double* mj, double (*qj)[6]);
void g5c_runMC0(int devid);
void g5c_calculate_force_on_xMC0(int devid, double (*x)[3], double (*a)[3], double* p, int ni);

/* From here on j-particles pull with a_i = sum m_j f(r) (x_j - x_i) for r < rcut, without softening
 * and with potentials 0, until g5_open or g5_close; summed on the processor. S2: clouds of diameter
 * sft_PP less those of sft_PM. */
void pg5_gen_force_table(double (*f)(double r), double rcut);
void pg5_gen_s2_force_table(double sft_PP, double sft_PM);
void pg5_set_xscale(double xscale); /* nothing: tables need no scale here */
void g5_set_eta(double eta);        /* nothing, as in Phantom-GRAPE */
/* Not supported, which is a fault. */
void g5_set_cutoff_table(double (*ffunc)(double), double fcut, double fcor, double (*pfunc)(double),
                         double pcut, double pcor);

/* The first fault since g5_open(), of any thread; empty if there was none. */
const char* g5_get_error(void); /* Fortran: call chm_g5_error_text(text), character(len=*) */

/* +1 (Phantom-GRAPE, the default) or -1 (sapporo2): of all results fetched from now on. */
void chm_g5_set_potential_sign(int sign);

#ifdef __cplusplus
}
#endif

#endif
