#include "chamomile/io/hdf5/handle.hpp"

#include "chamomile/io/hdf5/at_exit.hpp"

namespace chamomile {

void leave_hdf5_open_at_exit()
{
    H5dont_atexit();
}

std::string hdf5_reason()
{
    std::string reason;
    const auto keep_first = [](unsigned number, const H5E_error2_t* error, void* data) -> herr_t {
        if (number == 0 && error->desc)
            *static_cast<std::string*>(data) = error->desc;
        return 0;
    };
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, &reason);
    return reason.empty() ? "unknown HDF5 error" : reason;
}

Hdf5Handle hdf5_file_access()
{
    Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    H5Pset_file_locking(access.id(), false, true);
    return access;
}

} // namespace chamomile
