// Second names of GRAPE-5's calls: without devid (board 0), and for Fortran.
#include "chamomile/interfaces/grape5/gp5util.h"
#include "chamomile/interfaces/second_names.hpp"

#define CHM_NEXT_PARAMETER(z, k, call) chamomile::Argument<decltype(call), k + 1> a##k
/// A call with n arguments after devid, on board 0.
#define ON_BOARD_0(n, name, call)                                                                  \
    CHM_RESULT(call) name(BOOST_PP_ENUM(n, CHM_NEXT_PARAMETER, call))                              \
    {                                                                                              \
        return call(0 BOOST_PP_ENUM_TRAILING_PARAMS(n, a));                                        \
    }                                                                                              \
    CHM_CHECK_COUNT(n + 1, call)

/// The Fortran forms of a call with devid: in lower case, and as written, for bind(C).
#define FORTRAN_MC(n, lower, call)                                                                 \
    FORTRAN_NAME(n, lower##_, call);                                                               \
    FORTRAN_NAME(n, call##_, call)

extern "C" {

ON_BOARD_0(1, g5_set_n, g5_set_nMC);
ON_BOARD_0(2, g5_set_xi, g5_set_xiMC);
ON_BOARD_0(3, g5_set_xei, g5_set_xeiMC);
ON_BOARD_0(2, g5_set_eps, g5_set_epsMC);
ON_BOARD_0(0, g5_run, g5_runMC);
ON_BOARD_0(3, g5_get_force, g5_get_forceMC);
ON_BOARD_0(4, g5_calculate_force_on_x, g5_calculate_force_on_xMC);
ON_BOARD_0(5, g5_calculate_force_on_xe, g5_calculate_force_on_xeMC);
ON_BOARD_0(4, g5_set_xmj, g5_set_xmjMC);
ON_BOARD_0(5, chm_g5_set_xmj_symmetric, chm_g5_set_xmjMC_symmetric);
void g5_set_jp(int adr, int nj, double* mj, double (*xj)[3])
{
    g5_set_xmj(adr, nj, xj, mj);
}

SECOND_NAME(6, g5c_set_xmjMC0, g5c_set_xmjMC);
SECOND_NAME(1, g5c_runMC0, g5c_runMC);
SECOND_NAME(5, g5c_calculate_force_on_xMC0, g5c_calculate_force_on_xMC);

FORTRAN(0, g5_open);
FORTRAN(0, g5_close);
FORTRAN(2, g5_open_special);
FORTRAN(0, g5_get_number_of_pipelines);
FORTRAN(0, g5_get_jmemsize);
FORTRAN(0, g5_get_number_of_pipelines_per_board);
FORTRAN(0, g5_get_number_of_real_pipelines);
FORTRAN(0, g5_get_number_of_boards);
FORTRAN(0, g5_get_pcibus_freq);
FORTRAN(0, g5_get_firstcluster);
FORTRAN(3, g5_set_range);
FORTRAN(1, g5_set_n);
FORTRAN(3, g5_set_xj);
FORTRAN(3, g5_set_mj);
FORTRAN(4, g5_set_jp);
FORTRAN(4, g5_set_xmj);
FORTRAN(1, g5_set_eps_to_all);
FORTRAN(1, g5_set_eps2_to_all);
FORTRAN(2, g5_set_xi);
FORTRAN(3, g5_set_xei);
FORTRAN(2, g5_set_eps);
FORTRAN(0, g5_run);
FORTRAN(3, g5_get_force);
FORTRAN(4, g5_calculate_force_on_x);
FORTRAN(5, g5_calculate_force_on_xe);
FORTRAN(2, pg5_gen_force_table);
FORTRAN(2, pg5_gen_s2_force_table);
FORTRAN(1, pg5_set_xscale);
FORTRAN(1, g5_set_eta);
FORTRAN(1, chm_g5_set_potential_sign);

FORTRAN_MC(2, g5_set_nmc, g5_set_nMC);
FORTRAN_MC(5, g5_set_xmjmc, g5_set_xmjMC);
FORTRAN_MC(3, g5_set_ximc, g5_set_xiMC);
FORTRAN_MC(4, g5_set_xeimc, g5_set_xeiMC);
FORTRAN_MC(3, g5_set_epsmc, g5_set_epsMC);
FORTRAN_MC(1, g5_runmc, g5_runMC);
FORTRAN_MC(4, g5_get_forcemc, g5_get_forceMC);
FORTRAN_MC(5, g5_calculate_force_on_xmc, g5_calculate_force_on_xMC);
FORTRAN_MC(6, g5_calculate_force_on_xemc, g5_calculate_force_on_xeMC);
FORTRAN_MC(2, g5c_set_nmc, g5c_set_nMC);
FORTRAN_MC(6, g5c_set_xmjmc, g5c_set_xmjMC);
FORTRAN_MC(1, g5c_runmc, g5c_runMC);
FORTRAN_MC(5, g5c_calculate_force_on_xmc, g5c_calculate_force_on_xMC);
FORTRAN_MC(6, g5c_set_xmjmc0, g5c_set_xmjMC0);
FORTRAN_MC(1, g5c_runmc0, g5c_runMC0);
FORTRAN_MC(5, g5c_calculate_force_on_xmc0, g5c_calculate_force_on_xMC0);

} // extern "C"
