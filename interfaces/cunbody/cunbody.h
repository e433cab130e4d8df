/* The calls of CUNBODY-1 for C, C++ and Fortran, with the names of its paper (Hamada & Iitaka 2007,
 * astro-ph/0703100) and of its library, cunbody1_... Existing codes link libchamomile_cunbody
 * instead (pkg-config chamomile_cunbody) without changes.
 *
 * Arrays are double, n[3] in C and (3,n) in Fortran, and are not kept. ni and nj are independent,
 * any number from 0. Units are the caller's, G = 1. A target that is also a source interacts with
 * itself: no force, and -m / eps in its potential. With eps2 = 0 coincident pairs are skipped. Sums
 * are computed in single precision relative to the targets and added in double.
 *
 * The environment variables CHAMOMILE_DEVICE (auto, cpu, gpu, gpu:1) and CHAMOMILE_PRECISION
 * (float, double) select device and precision. Each thread keeps a separate solver between calls. A
 * failing call fills its results with NaN; cunbody_error() returns the reason. */
#ifndef CHAMOMILE_CUNBODY_H
#define CHAMOMILE_CUNBODY_H

#ifdef __cplusplus
extern "C" {
#endif

/* a[i] = sum over j of mj[j] r / (r^2 + eps2)^(3/2), r = xj[j] - xi[i] (their eq. 1). */
void force(const double (*xj)[3], const double* mj, const double (*xi)[3], double eps2,
           double (*a)[3], int ni, int nj);

/* Same as force(). */
void cunbody1_force(const double (*xj)[3], const double* mj, const double (*xi)[3], double eps2,
                    double (*a)[3], int ni, int nj);

/* Same as force(), on the GPU with this number. The number is ignored without GPUs, or if
 * CHAMOMILE_DEVICE is set. */
void cunbody1_force_mp(int devid, const double (*xj)[3], const double* mj, const double (*xi)[3],
                       double eps2, double (*a)[3], int ni, int nj);

/* Same as force(), in two calls of one thread with the same arguments. The first reads xj, mj and
 * xi and computes, the second writes a. Both are synchronous: there is no overlap with other work.
 */
void cunbody1_force_begin(const double (*xj)[3], const double* mj, const double (*xi)[3],
                          double eps2, double (*a)[3], int ni, int nj);
void cunbody1_force_end(const double (*xj)[3], const double* mj, const double (*xi)[3], double eps2,
                        double (*a)[3], int ni, int nj);

/* The force, its time derivative and the potential (appendix of the paper, which fixes eps =
 * 1/256): jerk[i] = sum of mj[j] [v / u^3 - 3 (r.v) r / u^5], pot[i] = -sum of mj[j] / u, v = vj[j]
 * - vi[i], u^2 = r^2 + eps2. */
void force_jerk_potential(const double (*xj)[3], const double (*vj)[3], const double* mj,
                          const double (*xi)[3], const double (*vi)[3], double eps2, double (*a)[3],
                          double (*jerk)[3], double* pot, int ni, int nj);

/* Error message of the last call of this thread; empty if it succeeded. */
const char* cunbody_error(void);

#ifdef __cplusplus
}
#endif

/* Fortran:
 *     call force(xj, mj, xi, eps2, a, ni, nj)              ! or cunbody1_force, ..._begin, ..._end
 *     call force_jerk_potential(xj, vj, mj, xi, vi, eps2, a, jerk, pot, ni, nj)
 *     call cunbody_error_text(text)      ! character(len=*): blank after success
 * with double precision xj(3,nj), mj(nj), xi(3,ni), eps2, a(3,ni), ... and integer ni, nj. */
#endif
