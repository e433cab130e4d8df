// Second names of GRAPE-6's calls, calls without effect, and Fortran names.
#include "chamomile/interfaces/grape6/gp6util.h"
#include "chamomile/interfaces/second_names.hpp"

extern "C" {

int g6calc_lasthalf2(int cl, int nj, int ni, int index[], double xi[][3], double vi[][3],
                     double eps2, double h2[], double acc[][3], double jerk[][3], double pot[],
                     int nnb[])
{
    return g6calc_lasthalf2p(cl, nj, ni, index, xi, vi, eps2, h2, acc, jerk, pot, nnb, nullptr);
}
int g6calc_lasthalf(int cl, int nj, int ni, int index[], double xi[][3], double vi[][3],
                    double eps2, double h2[], double acc[][3], double jerk[][3], double pot[])
{
    return g6calc_lasthalf2(cl, nj, ni, index, xi, vi, eps2, h2, acc, jerk, pot, nullptr);
}
SECOND_NAME(11, g6calc_lasthalfn, g6calc_lasthalf);
SECOND_NAME(12, g6calc_lasthalf2n, g6calc_lasthalf2);
SECOND_NAME(13, g6calc_lasthalf2np, g6calc_lasthalf2p);
int g6_open_special(int, int*)
{
    return g6_open(0);
}

NO_EFFECT(1, g6_set_tunit); // Fortran passes an integer or a real
NO_EFFECT(1, g6_set_xunit);
NO_EFFECT(2, g6_initialize_jp_buffer);
NO_EFFECT(1, g6_flush_jp_buffer);
NO_EFFECT(2, g6_flush_jp_buffer_and_multisend);
NO_EFFECT(1, g6_reset);
NO_EFFECT(1, g6_reset_fofpga);
NO_EFFECT(1, g6_reinitialize);
NO_EFFECT(2, g6_setup_njdata);
NO_EFFECT(2, g6_set_njp);
NO_EFFECT(1, g6_print_chip_status);
NO_EFFECT(3, g6_set_overflow_flag_test_mode);
NO_EFFECT(0, force_j_particle_send);
NO_EFFECT(1, g6_debugfunc);
NO_EFFECT(1, g6_debugfunc_double);
NO_EFFECT(5, g6_dump);

FORTRAN(11, g6calc_lasthalf);
FORTRAN(12, g6calc_lasthalf2);
FORTRAN(13, g6calc_lasthalf2p);
FORTRAN(11, g6calc_lasthalfn);
FORTRAN(12, g6calc_lasthalf2n);
FORTRAN(13, g6calc_lasthalf2np);
FORTRAN(11, g6calc_firsthalf);
FORTRAN(11, g6_set_j_particle);
FORTRAN(2, g6_set_ti);
FORTRAN(5, g6_get_neighbour_list);
FORTRAN(2, g6_open_special);
FORTRAN(0, g6_npipes);
FORTRAN(0, g6_get_neighbour_list_sort_mode);
FORTRAN(1, g6_open);
FORTRAN(1, g6_close);
FORTRAN(1, g6_read_neighbour_list);
FORTRAN(1, g6_set_neighbour_list_sort_mode);

} // extern "C"
