// Calls without devid (board 0), alternative names, and Fortran names: arguments by reference,
// lower case, trailing underscore.
#include "chamomile/clients/grape5/gp5util.h"

extern "C" {

void g5_set_n(int nj)
{
    g5_set_nMC(0, nj);
}
void g5_set_xi(int ni, double (*xi)[3])
{
    g5_set_xiMC(0, ni, xi);
}
void g5_set_xei(int ni, double (*xi)[3], double* eps2)
{
    g5_set_xeiMC(0, ni, xi, eps2);
}
void g5_set_eps(int ni, double* eps)
{
    g5_set_epsMC(0, ni, eps);
}
void g5_run(void)
{
    g5_runMC(0);
}
void g5_get_force(int ni, double (*a)[3], double* p)
{
    g5_get_forceMC(0, ni, a, p);
}
void g5_calculate_force_on_x(double (*x)[3], double (*a)[3], double* p, int ni)
{
    g5_calculate_force_on_xMC(0, x, a, p, ni);
}
void g5_calculate_force_on_xe(double (*x)[3], double* eps2, double (*a)[3], double* p, int ni)
{
    g5_calculate_force_on_xeMC(0, x, eps2, a, p, ni);
}
void g5_set_xmj(int adr, int nj, double (*xj)[3], double* mj)
{
    g5_set_xmjMC(0, adr, nj, xj, mj);
}

void chm_g5_set_xmj_symmetric(int adr, int nj, double (*xj)[3], double* mj, double* epsj2)
{
    chm_g5_set_xmjMC_symmetric(0, adr, nj, xj, mj, epsj2);
}
void g5_set_jp(int adr, int nj, double* mj, double (*xj)[3])
{
    g5_set_xmjMC(0, adr, nj, xj, mj);
}
void g5c_set_xmjMC0(int devid, int adr, int nj, double (*xj)[3], double* mj, double (*qj)[6])
{
    g5c_set_xmjMC(devid, adr, nj, xj, mj, qj);
}
void g5c_runMC0(int devid)
{
    g5c_runMC(devid);
}
void g5c_calculate_force_on_xMC0(int devid, double (*x)[3], double (*a)[3], double* p, int ni)
{
    g5c_calculate_force_on_xMC(devid, x, a, p, ni);
}

void g5_open_(void)
{
    g5_open();
}
void g5_close_(void)
{
    g5_close();
}
void g5_set_range_(double* xmin, double* xmax, double* mmin)
{
    g5_set_range(*xmin, *xmax, *mmin);
}
void g5_set_xj_(int* adr, int* nj, double (*xj)[3])
{
    g5_set_xj(*adr, *nj, xj);
}
void g5_set_mj_(int* adr, int* nj, double* mj)
{
    g5_set_mj(*adr, *nj, mj);
}
void g5_set_jp_(int* adr, int* nj, double* mj, double (*xj)[3])
{
    g5_set_jp(*adr, *nj, mj, xj);
}
void g5_set_eps_to_all_(double* eps)
{
    g5_set_eps_to_all(*eps);
}
void g5_set_eps2_to_all_(double* eps2)
{
    g5_set_eps2_to_all(*eps2);
}
void g5_set_eta_(double* eta)
{
    g5_set_eta(*eta);
}
void pg5_gen_s2_force_table_(double* sft_PP, double* sft_PM)
{
    pg5_gen_s2_force_table(*sft_PP, *sft_PM);
}
void pg5_set_xscale_(double* xscale)
{
    pg5_set_xscale(*xscale);
}
void chm_g5_set_potential_sign_(int* sign)
{
    chm_g5_set_potential_sign(*sign);
}
void g5_set_n_(int* nj)
{
    g5_set_n(*nj);
}
void g5_set_xi_(int* ni, double (*xi)[3])
{
    g5_set_xi(*ni, xi);
}
void g5_set_xei_(int* ni, double (*xi)[3], double* eps2)
{
    g5_set_xei(*ni, xi, eps2);
}
void g5_set_eps_(int* ni, double* eps)
{
    g5_set_eps(*ni, eps);
}
void g5_run_(void)
{
    g5_run();
}
void g5_get_force_(int* ni, double (*a)[3], double* p)
{
    g5_get_force(*ni, a, p);
}
void g5_calculate_force_on_x_(double (*x)[3], double (*a)[3], double* p, int* ni)
{
    g5_calculate_force_on_x(x, a, p, *ni);
}
void g5_calculate_force_on_xe_(double (*x)[3], double* eps2, double (*a)[3], double* p, int* ni)
{
    g5_calculate_force_on_xe(x, eps2, a, p, *ni);
}
void g5_set_xmj_(int* adr, int* nj, double (*xj)[3], double* mj)
{
    g5_set_xmj(*adr, *nj, xj, mj);
}
void g5_set_nmc_(int* devid, int* nj)
{
    g5_set_nMC(*devid, *nj);
}
void g5_set_ximc_(int* devid, int* ni, double (*xi)[3])
{
    g5_set_xiMC(*devid, *ni, xi);
}
void g5_set_xeimc_(int* devid, int* ni, double (*xi)[3], double* eps2)
{
    g5_set_xeiMC(*devid, *ni, xi, eps2);
}
void g5_set_epsmc_(int* devid, int* ni, double* eps)
{
    g5_set_epsMC(*devid, *ni, eps);
}
void g5_runmc_(int* devid)
{
    g5_runMC(*devid);
}
void g5_get_forcemc_(int* devid, int* ni, double (*a)[3], double* p)
{
    g5_get_forceMC(*devid, *ni, a, p);
}
void g5_calculate_force_on_xmc_(int* devid, double (*x)[3], double (*a)[3], double* p, int* ni)
{
    g5_calculate_force_on_xMC(*devid, x, a, p, *ni);
}
void g5_calculate_force_on_xemc_(int* devid, double (*x)[3], double* eps2, double (*a)[3],
                                 double* p, int* ni)
{
    g5_calculate_force_on_xeMC(*devid, x, eps2, a, p, *ni);
}
void g5_set_xmjmc_(int* devid, int* adr, int* nj, double (*xj)[3], double* mj)
{
    g5_set_xmjMC(*devid, *adr, *nj, xj, mj);
}
void g5c_set_nmc_(int* devid, int* nj)
{
    g5c_set_nMC(*devid, *nj);
}
void g5c_set_xmjmc_(int* devid, int* adr, int* nj, double (*xj)[3], double* mj, double (*qj)[6])
{
    g5c_set_xmjMC(*devid, *adr, *nj, xj, mj, qj);
}
void g5c_runmc_(int* devid)
{
    g5c_runMC(*devid);
}
void g5c_calculate_force_on_xmc_(int* devid, double (*x)[3], double (*a)[3], double* p, int* ni)
{
    g5c_calculate_force_on_xMC(*devid, x, a, p, *ni);
}
void g5c_set_xmjmc0_(int* devid, int* adr, int* nj, double (*xj)[3], double* mj, double (*qj)[6])
{
    g5c_set_xmjMC0(*devid, *adr, *nj, xj, mj, qj);
}
void g5c_runmc0_(int* devid)
{
    g5c_runMC0(*devid);
}
void g5c_calculate_force_on_xmc0_(int* devid, double (*x)[3], double (*a)[3], double* p, int* ni)
{
    g5c_calculate_force_on_xMC0(*devid, x, a, p, *ni);
}
int g5_get_number_of_pipelines_(void)
{
    return g5_get_number_of_pipelines();
}
int g5_get_jmemsize_(void)
{
    return g5_get_jmemsize();
}
int g5_get_number_of_pipelines_per_board_(void)
{
    return g5_get_number_of_pipelines_per_board();
}
int g5_get_number_of_real_pipelines_(void)
{
    return g5_get_number_of_real_pipelines();
}
int g5_get_number_of_boards_(void)
{
    return g5_get_number_of_boards();
}
int g5_get_pcibus_freq_(void)
{
    return g5_get_pcibus_freq();
}
int g5_get_firstcluster_(void)
{
    return g5_get_firstcluster();
}
int g5_open_special_(int* ndev, int* list)
{
    return g5_open_special(*ndev, list);
}
void pg5_gen_force_table_(double (*f)(double), double* rcut)
{
    pg5_gen_force_table(f, *rcut);
}

// For programs that bind to exact names with bind(C).
void g5_set_nMC_(int* devid, int* nj) __attribute__((alias("g5_set_nmc_")));
void g5_set_xiMC_(int* devid, int* ni, double (*xi)[3]) __attribute__((alias("g5_set_ximc_")));
void g5_set_xeiMC_(int* devid, int* ni, double (*xi)[3], double* eps2)
    __attribute__((alias("g5_set_xeimc_")));
void g5_set_epsMC_(int* devid, int* ni, double* eps) __attribute__((alias("g5_set_epsmc_")));
void g5_runMC_(int* devid) __attribute__((alias("g5_runmc_")));
void g5_get_forceMC_(int* devid, int* ni, double (*a)[3], double* p)
    __attribute__((alias("g5_get_forcemc_")));
void g5_calculate_force_on_xMC_(int* devid, double (*x)[3], double (*a)[3], double* p, int* ni)
    __attribute__((alias("g5_calculate_force_on_xmc_")));
void g5_calculate_force_on_xeMC_(int* devid, double (*x)[3], double* eps2, double (*a)[3],
                                 double* p, int* ni)
    __attribute__((alias("g5_calculate_force_on_xemc_")));
void g5_set_xmjMC_(int* devid, int* adr, int* nj, double (*xj)[3], double* mj)
    __attribute__((alias("g5_set_xmjmc_")));
void g5c_set_nMC_(int* devid, int* nj) __attribute__((alias("g5c_set_nmc_")));
void g5c_set_xmjMC_(int* devid, int* adr, int* nj, double (*xj)[3], double* mj, double (*qj)[6])
    __attribute__((alias("g5c_set_xmjmc_")));
void g5c_runMC_(int* devid) __attribute__((alias("g5c_runmc_")));
void g5c_calculate_force_on_xMC_(int* devid, double (*x)[3], double (*a)[3], double* p, int* ni)
    __attribute__((alias("g5c_calculate_force_on_xmc_")));
void g5c_set_xmjMC0_(int* devid, int* adr, int* nj, double (*xj)[3], double* mj, double (*qj)[6])
    __attribute__((alias("g5c_set_xmjmc0_")));
void g5c_runMC0_(int* devid) __attribute__((alias("g5c_runmc0_")));
void g5c_calculate_force_on_xMC0_(int* devid, double (*x)[3], double (*a)[3], double* p, int* ni)
    __attribute__((alias("g5c_calculate_force_on_xmc0_")));

} // extern "C"
