// Alternative names, calls without effect, and Fortran names: by reference, with an underscore.
#include "chamomile/clients/grape6/gp6util.h"

extern "C" {

int g6calc_lasthalf(int cl, int nj, int ni, int index[], double xi[][3], double vi[][3],
                    double eps2, double h2[], double acc[][3], double jerk[][3], double pot[])
{
    return g6calc_lasthalf2p(cl, nj, ni, index, xi, vi, eps2, h2, acc, jerk, pot, nullptr, nullptr);
}
int g6calc_lasthalf2(int cl, int nj, int ni, int index[], double xi[][3], double vi[][3],
                     double eps2, double h2[], double acc[][3], double jerk[][3], double pot[],
                     int nnb[])
{
    return g6calc_lasthalf2p(cl, nj, ni, index, xi, vi, eps2, h2, acc, jerk, pot, nnb, nullptr);
}
int g6calc_lasthalfn(int cl, int nj, int ni, int index[], double xi[][3], double vi[][3],
                     double eps2, double h2[], double acc[][3], double jerk[][3], double pot[])
{
    return g6calc_lasthalf2p(cl, nj, ni, index, xi, vi, eps2, h2, acc, jerk, pot, nullptr, nullptr);
}
int g6calc_lasthalf2n(int cl, int nj, int ni, int index[], double xi[][3], double vi[][3],
                      double eps2, double h2[], double acc[][3], double jerk[][3], double pot[],
                      int nnb[])
{
    return g6calc_lasthalf2p(cl, nj, ni, index, xi, vi, eps2, h2, acc, jerk, pot, nnb, nullptr);
}
int g6calc_lasthalf2np(int cl, int nj, int ni, int index[], double xi[][3], double vi[][3],
                       double eps2, double h2[], double acc[][3], double jerk[][3], double pot[],
                       int nnb[], float rnnb[])
{
    return g6calc_lasthalf2p(cl, nj, ni, index, xi, vi, eps2, h2, acc, jerk, pot, nnb, rnnb);
}
int g6_open_special(int, int*)
{
    return g6_open(0);
}

// Libraries pass either an int or a double. The value is never read.
int g6_set_tunit(int)
{
    return 0;
}
int g6_set_xunit(int)
{
    return 0;
}
int g6_set_tunit_(void*)
{
    return 0;
}
int g6_set_xunit_(void*)
{
    return 0;
}

int g6_initialize_jp_buffer(int, int)
{
    return 0;
}
int g6_initialize_jp_buffer_(int*, int*)
{
    return 0;
}
int g6_flush_jp_buffer(int)
{
    return 0;
}
int g6_flush_jp_buffer_(int*)
{
    return 0;
}
int g6_flush_jp_buffer_and_multisend(int, int)
{
    return 0;
}
int g6_flush_jp_buffer_and_multisend_(int*, int*)
{
    return 0;
}
int g6_reset(int)
{
    return 0;
}
int g6_reset_(int*)
{
    return 0;
}
int g6_reset_fofpga(int)
{
    return 0;
}
int g6_reset_fofpga_(int*)
{
    return 0;
}
int g6_reinitialize(int)
{
    return 0;
}
int g6_reinitialize_(int*)
{
    return 0;
}
int g6_setup_njdata(int, int)
{
    return 0;
}
int g6_setup_njdata_(int*, int*)
{
    return 0;
}
int g6_set_njp(int, int)
{
    return 0;
}
int g6_set_njp_(int*, int*)
{
    return 0;
}
int g6_print_chip_status(int)
{
    return 0;
}
int g6_print_chip_status_(int*)
{
    return 0;
}
int g6_set_overflow_flag_test_mode(int, int, int)
{
    return 0;
}
int g6_set_overflow_flag_test_mode_(int*, int*, int*)
{
    return 0;
}
void force_j_particle_send(void) {}
void force_j_particle_send_(void) {}
void g6_debugfunc(int) {}
void g6_debugfunc_(int*) {}
void g6_debugfunc_double(double) {}
void g6_debugfunc_double_(double*) {}
void g6_dump(double, int, double*, double (*)[3], double (*)[3]) {}
void g6_dump_(double*, int*, double*, double (*)[3], double (*)[3]) {}

int g6calc_lasthalf_(int* cl, int* nj, int* ni, int index[], double xi[][3], double vi[][3],
                     double* eps2, double h2[], double acc[][3], double jerk[][3], double pot[])
{
    return g6calc_lasthalf(*cl, *nj, *ni, index, xi, vi, *eps2, h2, acc, jerk, pot);
}
int g6calc_lasthalf2_(int* cl, int* nj, int* ni, int index[], double xi[][3], double vi[][3],
                      double* eps2, double h2[], double acc[][3], double jerk[][3], double pot[],
                      int nnb[])
{
    return g6calc_lasthalf2(*cl, *nj, *ni, index, xi, vi, *eps2, h2, acc, jerk, pot, nnb);
}
int g6calc_lasthalf2p_(int* cl, int* nj, int* ni, int index[], double xi[][3], double vi[][3],
                       double* eps2, double h2[], double acc[][3], double jerk[][3], double pot[],
                       int nnb[], float rnnb[])
{
    return g6calc_lasthalf2p(*cl, *nj, *ni, index, xi, vi, *eps2, h2, acc, jerk, pot, nnb, rnnb);
}
int g6calc_lasthalfn_(int* cl, int* nj, int* ni, int index[], double xi[][3], double vi[][3],
                      double* eps2, double h2[], double acc[][3], double jerk[][3], double pot[])
{
    return g6calc_lasthalfn(*cl, *nj, *ni, index, xi, vi, *eps2, h2, acc, jerk, pot);
}
int g6calc_lasthalf2n_(int* cl, int* nj, int* ni, int index[], double xi[][3], double vi[][3],
                       double* eps2, double h2[], double acc[][3], double jerk[][3], double pot[],
                       int nnb[])
{
    return g6calc_lasthalf2n(*cl, *nj, *ni, index, xi, vi, *eps2, h2, acc, jerk, pot, nnb);
}
int g6calc_lasthalf2np_(int* cl, int* nj, int* ni, int index[], double xi[][3], double vi[][3],
                        double* eps2, double h2[], double acc[][3], double jerk[][3], double pot[],
                        int nnb[], float rnnb[])
{
    return g6calc_lasthalf2np(*cl, *nj, *ni, index, xi, vi, *eps2, h2, acc, jerk, pot, nnb, rnnb);
}
void g6calc_firsthalf_(int* cl, int* nj, int* ni, int index[], double xi[][3], double vi[][3],
                       double aold[][3], double j6old[][3], double phiold[], double* eps2,
                       double h2[])
{
    g6calc_firsthalf(*cl, *nj, *ni, index, xi, vi, aold, j6old, phiold, *eps2, h2);
}
int g6_set_j_particle_(int* cl, int* address, int* index, double* tj, double* dtj, double* mass,
                       double a2by18[3], double a1by6[3], double aby2[3], double v[3], double x[3])
{
    return g6_set_j_particle(*cl, *address, *index, *tj, *dtj, *mass, a2by18, a1by6, aby2, v, x);
}
int g6_set_ti_(int* cl, double* ti)
{
    return g6_set_ti(*cl, *ti);
}
int g6_get_neighbour_list_(int* cl, int* ipipe, int* maxlength, int* n, int list[])
{
    return g6_get_neighbour_list(*cl, *ipipe, *maxlength, n, list);
}
int g6_open_special_(int* ndev, int* list)
{
    return g6_open_special(*ndev, list);
}
int g6_npipes_(void)
{
    return g6_npipes();
}
int g6_get_neighbour_list_sort_mode_(void)
{
    return g6_get_neighbour_list_sort_mode();
}

int g6_open_(int* cl)
{
    return g6_open(*cl);
}
int g6_close_(int* cl)
{
    return g6_close(*cl);
}
int g6_read_neighbour_list_(int* cl)
{
    return g6_read_neighbour_list(*cl);
}
int g6_set_neighbour_list_sort_mode_(int* mode)
{
    return g6_set_neighbour_list_sort_mode(*mode);
}

} // extern "C"
