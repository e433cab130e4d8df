/// \file  Behavior of the HDF5 library at program exit.
#pragma once

namespace chamomile {

/// Keeps the library from closing open objects at exit, when it would print errors after a damaged
/// file. Output files are closed before. Only for programs, before the first use of the library.
void leave_hdf5_open_at_exit();

} // namespace chamomile
