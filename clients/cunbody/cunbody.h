/* The calls of CUNBODY-1, for C, C++ and Fortran: those of its paper (Hamada & Iitaka 2007,
 * astro-ph/0703100) and those of its library, cunbody1_... Old codes link libchamomile_cunbody
 * instead (pkg-config chamomile_cunbody) and change nothing.
 *
 * Arrays are double, n[3] in C and (3,n) in Fortran, and are not kept. ni and nj are independent,
 * any number from 0. Units are the caller's, G = 1. A target that is a source too meets itself:
 * that adds no force, and -m / eps to its potential; with eps2 = 0 pairs at one place add nothing.
 * Sums are taken in single precision about the targets and added in double.
 *
 * CHAMOMILE_DEVICE (auto, cpu, gpu, gpu:1) and CHAMOMILE_PRECISION (float, double) in the
 * environment choose machine and precision. Each thread has a solver of its own, kept from call to
 * call. A call that fails fills its results with NaN; cunbody_error() then says why. */
#ifndef CHAMOMILE_CUNBODY_H
#define CHAMOMILE_CUNBODY_H

#ifdef __cplusplus
extern "C" {
#endif

/* a[i] = sum over j of mj[j] r / (r^2 + eps2)^(3/2), r = xj[j] - xi[i] (their eq. 1). */
void force(const double (*xj)[3], const double* mj, const double (*xi)[3], double eps2,
           double (*a)[3], int ni, int nj);

/* The same. */
void cunbody1_force(const double (*xj)[3], const double* mj, const double (*xi)[3], double eps2,
                    double (*a)[3], int ni, int nj);

/* The same by the GPU of this number. Without GPUs, or with CHAMOMILE_DEVICE, the number is not
 * looked at. */
void cunbody1_force_mp(int devid, const double (*xj)[3], const double* mj, const double (*xi)[3],
                       double eps2, double (*a)[3], int ni, int nj);

/* The same in two calls of one thread with the same arguments: the first reads xj, mj and xi and
 * sums, the second writes a. What may be done between them is not done at the same time. */
void cunbody1_force_begin(const double (*xj)[3], const double* mj, const double (*xi)[3],
                          double eps2, double (*a)[3], int ni, int nj);
void cunbody1_force_end(const double (*xj)[3], const double* mj, const double (*xi)[3], double eps2,
                        double (*a)[3], int ni, int nj);

/* The force, its rate of change and the potential (their appendix, which fixes eps = 1/256):
 * jerk[i] = sum of mj[j] [v / u^3 - 3 (r.v) r / u^5], pot[i] = -sum of mj[j] / u,
 * v = vj[j] - vi[i], u^2 = r^2 + eps2. */
void force_jerk_potential(const double (*xj)[3], const double (*vj)[3], const double* mj,
                          const double (*xi)[3], const double (*vi)[3], double eps2, double (*a)[3],
                          double (*jerk)[3], double* pot, int ni, int nj);

/* What went wrong in the last call of this thread; empty if nothing did. */
const char* cunbody_error(void);

#ifdef __cplusplus
}
#endif

/* Fortran:
 *     call force(xj, mj, xi, eps2, a, ni, nj)              ! or cunbody1_force, ..._begin, ..._end
 *     call force_jerk_potential(xj, vj, mj, xi, vi, eps2, a, jerk, pot, ni, nj)
 *     call cunbody_error_text(text)      ! character(len=*): blank if nothing went wrong
 * with double precision xj(3,nj), mj(nj), xi(3,ni), eps2, a(3,ni), ... and integer ni, nj. */
#endif
