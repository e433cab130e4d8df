/// \file  The behaviour of the HDF5 library at the end of a program.
#pragma once

namespace chamomile {

/// Keeps the library from closing at the exit what is still open, about which it prints after a
/// damaged file; written files have been closed before. Programs, which own their process, call it
/// before the first use of the library.
void leave_hdf5_open_at_exit();

} // namespace chamomile
